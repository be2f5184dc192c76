// Keys of a curve for linear interpolation: at the keys of its sources, at the requested rate, and more densely where
// it bends.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "sinew/character/clip.h"

namespace sinew {

/// The nearest value that a file can store: 32-bit floats.
double roundedToFile(double value);

/// Times at which a curve may bend, in order: the keys of the relevant channels, and times in between, at least
/// `framesPerSecond`. A step has a key with the old value before it. Empty if no channel is relevant.
std::vector<double> bakedTimes(const Clip& clip, const std::function<bool(const ClipChannel&)>& counts,
                               double framesPerSecond);

struct BakedCurve {
  std::function<Eigen::VectorXd(double time)> value;
  /// The error of a linear interpolation from `first` to `last` at the fraction t.
  std::function<double(const Eigen::VectorXd& first, const Eigen::VectorXd& last, double t,
                       const Eigen::VectorXd& value)>
      gap;
  double tolerance = 0;  ///< of gap; 0: no more keys than the times given
  int mostHalvings = 4;  ///< of the time between two keys
};

struct BakedKeys {
  std::vector<double> times;
  std::vector<Eigen::VectorXd> columns;

  /// A column per key.
  [[nodiscard]] Eigen::MatrixXd values() const;
};

/// The curve at the given times (ascending, not empty) and at as many in between as its tolerance needs.
BakedKeys bakeKeys(const BakedCurve& curve, const std::vector<double>& times);

}  // namespace sinew
