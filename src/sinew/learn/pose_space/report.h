// What riggers want to know of a learned pose space.
#pragma once

#include <vector>

#include "sinew/learn/pose_space.h"

namespace sinew::pose_space {

/// Share of the bounding box of the examples' coordinates that is within the fade distance. `plain`: weights of the
/// examples by the model's main interpolation.
double coverageOf(const PoseSpaceModel& model, const PoseSpaceWeights& plain);

/// Poses between the examples at which the models that leave one example out differ most, best first. `products` of the
/// corrections, examples x examples.
std::vector<SculptHint> whereToSculpt(const Character& character, const PoseSpaceModel& model,
                                      const PoseSpaceWeights& plain, const Eigen::MatrixXd& products, std::size_t most);

/// Sentences on conditioning (unless the kernel was chosen by its errors), and on examples that change nothing.
std::vector<std::string> findWarnings(const PoseSpaceModel& model, const PoseSpaceReport& report, double diagonal,
                                      bool chosen);

/// A sentence on the joints whose skin left-out examples predict worse than no correction does. Squared distances per
/// vertex, summed over the examples: of plain skinning, and of the models that leave each example out.
std::vector<std::string> warningsOfRegions(const Character& character, const Eigen::VectorXd& plain,
                                           const Eigen::VectorXd& leftOut);

}  // namespace sinew::pose_space
