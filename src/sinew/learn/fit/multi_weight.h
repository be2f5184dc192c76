// Multi-weight enveloping (Wang and Phillips 2002): a weight for every entry of every joint's matrix. No engine plays
// it; it is here to compare with.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sinew/learn/fit/problem.h"

namespace sinew::fit {

struct MultiWeightOptions {
  double cutOff = 1e-2;  ///< singular values below this share of the largest are dropped
};

/// Per point, for each of its joints 12 numbers that multiply the entries of the joint's 3 x 4 matrix.
struct MultiWeightModel {
  std::vector<std::vector<std::uint32_t>> bindings;                ///< per point
  std::vector<Eigen::Matrix<double, 12, Eigen::Dynamic>> weights;  ///< per point, a column per binding
  Points rest;
};

/// Fitted as a correction of the given convex weights, in the frame of the skeleton's root (`root` per example: world
/// from root): the method depends on the frame.
MultiWeightModel fitMultiWeight(const FitProblem& problem, const std::vector<std::vector<Influence>>& columns,
                                const std::vector<Affine>& worldFromRoot, const MultiWeightOptions& options = {});

/// Points in world space for joint matrices as PosedJoints has them.
Points playMultiWeight(const MultiWeightModel& model, const std::vector<Affine>& worldFromRest,
                       const Affine& worldFromRoot);

}  // namespace sinew::fit
