// How much of sculpted corrections a ridge leaves.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sinew/deform/pose_space.h"

namespace sinew::pose_space {

/// Products of the corrections of any two examples, summed over vertices: examples x examples.
Eigen::MatrixXd productsOf(const PoseSpaceModel& model);

/// (G + rho I)^-1 of all examples but rest.
Eigen::MatrixXd ridgeInverse(const PoseSpaceModel& model, double rho);

/// Corrections of the examples named (not rest) from those that were sculpted: smoothed = A sculpted. With rho 0 the
/// identity, at 1 about half of the correction is left, at 10 a tenth. What neighbouring examples agree on stays more
/// than what they do not, where examples are dense enough to tell. A is a contraction that falls with rho, and no
/// example ends farther from its sculpt than without any correction.
Eigen::MatrixXd ridgeSmoother(const PoseSpaceModel& model, const std::vector<Index>& examples,
                              const Eigen::MatrixXd& products, double rho);

}  // namespace sinew::pose_space
