// What a rigger wants to know of a learned pose space.
#pragma once

#include <vector>

#include "sinew/learn/pose_space.h"
#include "sinew/learn/pose_space/deltas.h"

namespace sinew::pose_space {

/// The weights of all examples at the pose of each, as the model without it gives them (its own is 0). In closed form;
/// for examples that some interpolation cannot do without, by a model without that example.
class LeftOutWeights {
 public:
  /// Both must outlive it.
  LeftOutWeights(const PoseSpaceModel& model, const PoseSpaceWeights& weights);
  /// Examples x groups, at the pose of example k.
  [[nodiscard]] Eigen::MatrixXd at(std::size_t k) const;

 private:
  const PoseSpaceModel& model_;
  std::vector<RbfLeftOut> groups_;
  std::vector<char> refitted_;  // per example
};

/// Share of the bounding box of the examples' coordinates that is within the fade distance.
double coverageOf(const PoseSpaceModel& model);

/// Poses between the examples at which the models that leave one example out differ most, best first.
std::vector<SculptHint> whereToSculpt(const Character& character, const PoseSpaceModel& model, std::size_t most);

/// Sentences on duplicate and contradictory poses, conditioning, examples that change nothing.
std::vector<std::string> findWarnings(const PoseSpaceModel& model, const PoseSpaceReport& report, double diagonal);

/// A sentence on the joints whose skin left-out examples predict worse than no correction does. Squared distances per
/// vertex, summed over the examples: of plain skinning, and of the models that leave each example out.
std::vector<std::string> warningsOfRegions(const Character& character, const Eigen::VectorXd& plain,
                                           const Eigen::VectorXd& leftOut);

}  // namespace sinew::pose_space
