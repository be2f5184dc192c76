// What a rigger wants to know of a learned pose space.
#pragma once

#include <vector>

#include "sinew/learn/pose_space.h"
#include "sinew/learn/pose_space_deltas.h"

namespace sinew {

/// The model without example k: the same settings, the same touched vertices.
PoseSpaceModel withoutExample(const PoseSpaceModel& model, std::size_t k);

/// Weights of the examples of `model` at coordinates, as the model without example k gives them (k's own is 0): a
/// column per group.
Eigen::MatrixXd weightsWithout(const PoseSpaceModel& model, std::size_t k, const Eigen::VectorXd& coordinates);

/// Share of the box around the examples' coordinates that lies within the fade's reach.
double coverageOf(const PoseSpaceModel& model);

/// Poses between the examples at which the models that leave one example out differ most, best first.
std::vector<SculptHint> whereToSculpt(const Character& character, const PoseSpaceModel& model, std::size_t most);

/// Sentences on duplicate and contradictory poses, conditioning, examples that change nothing.
std::vector<std::string> findWarnings(const PoseSpaceModel& model, const PoseSpaceReport& report, double diagonal);

}  // namespace sinew
