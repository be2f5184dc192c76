// Some examples of many that represent all.
#pragma once

#include <vector>

#include "sinew/deform/pose_space.h"

namespace sinew::pose_space {

/// At most `most` examples of a model, spread over its poses: rest, and each next one farthest from those chosen.
/// Ascending.
std::vector<Index> spreadExamples(const PoseSpaceModel& model, std::size_t most);

/// How much farther apart these examples are than all, by mean distances to the nearest.
double thinningOf(const PoseSpaceModel& model, const std::vector<Index>& examples);

/// What a model needs for the weights of some of its examples only: names, poses, confidences. Without deltas.
PoseSpaceModel ofExamples(const PoseSpaceModel& model, const std::vector<Index>& examples);

/// Keeps some examples of a model of low rank, which become its centres, with new coefficients (shapes x examples).
void keepExamples(const std::vector<Index>& examples, const Eigen::MatrixXd& coefficients, PoseSpaceModel& model);

}  // namespace sinew::pose_space
