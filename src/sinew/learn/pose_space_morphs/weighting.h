// How morph targets get their weights from a pose, and how many of them there are.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "sinew/learn/pose_space_morphs.h"
#include "sinew/learn/pose_space_morphs/fit.h"

namespace sinew::pose_space_morphs {

/// Of targets that leave too much anyway, the last ones that lower the error by less than this in all are not worth
/// their bytes.
inline constexpr double kWorth = 0.98;

struct MorphLimits {
  int maxMorphs = 32;
  int mostCentres = 600;          ///< of the interpolation of mixed shapes
  double asked = 0;               ///< rms over the samples, scene units
  std::size_t bytesPerMorph = 0;  ///< for the table
};

struct MorphWeighting {
  MorphMethod method = MorphMethod::Knots;
  Eigen::MatrixXd knots;  ///< knot 0 is rest
  RbfOptions interpolation;
  Eigen::MatrixXd mixing;          ///< targets x knots; empty: target k has the function of knot k + 1
  std::vector<std::string> names;  ///< per target
  Eigen::MatrixXd basis;           ///< targets x samples
  std::vector<PoseSpaceTrade> trade;

  [[nodiscard]] int count() const { return static_cast<int>(basis.rows()); }
};

/// What targets with these weights leave.
PoseSpaceTrade tradeOf(const MorphFit& fit, const Eigen::MatrixXd& basis, MorphMethod method,
                       const MorphLimits& limits);

/// By the method, or for Auto: knots if they keep the asked error, since each sculpt is met then; otherwise what has
/// less error at the held-out poses with the same number of targets.
MorphWeighting chooseWeighting(const MorphFit& fit, const PoseSpaceModel& model, MorphMethod method,
                               const MorphLimits& limits, const Progress& progress);

}  // namespace sinew::pose_space_morphs
