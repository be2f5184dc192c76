// Mean shift (Comaniciu and Meer 2002): points climb the density of a sample to its modes.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "sinew/base/types.h"

namespace sinew {

struct MeanShiftOptions {
  double bandwidth = 1;     ///< standard deviation of the Gaussian kernel, in the unit of the points
  double tolerance = 1e-3;  ///< a seed has arrived when it moves less, in bandwidths
  int mostSteps = 100;
  double mergeDistance = 0.5;  ///< seeds that arrive nearer than this are one mode, in bandwidths
  int leastSeeds = 2;          ///< modes that fewer seeds reached are left out (but never all of them)
};

struct Modes {
  Eigen::MatrixXf centres;        ///< dimensions x modes, densest first
  std::vector<double> densities;  ///< per mode: sum of weight * exp(-d^2 / (2 h^2))
  std::vector<int> seeds;         ///< per mode: how many seeds reached it
  Index unconverged = 0;          ///< seeds that used up their steps
};

/// Points and seeds are columns. Weights of the points are positive; none means all 1. The kernel is cut off where it
/// is below 4e-6, and cells of distant points are skipped. The same bits on any number of threads.
Modes findModes(const Eigen::MatrixXf& points, std::span<const double> weights, const Eigen::MatrixXf& seeds,
                const MeanShiftOptions& options = {});

/// The nearest mode of each column.
std::vector<std::uint32_t> nearestModes(const Eigen::MatrixXf& points, const Eigen::MatrixXf& centres);

}  // namespace sinew
