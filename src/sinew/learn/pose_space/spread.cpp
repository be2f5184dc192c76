#include "sinew/learn/pose_space/spread.h"

#include <algorithm>
#include <numeric>

#include "sinew/learn/pose_space/centres.h"

namespace sinew::pose_space {

std::vector<Index> spreadExamples(const PoseSpaceModel& model, std::size_t most) {
  std::vector<Index> chosen(model.exampleCount());
  std::iota(chosen.begin(), chosen.end(), Index{0});
  if (chosen.size() <= most) return chosen;
  const Eigen::MatrixXd places = model.poseSpace.scales().asDiagonal() * model.poses;
  chosen = {0};
  Eigen::VectorXd nearest = (places.colwise() - places.col(0)).colwise().squaredNorm();
  while (chosen.size() < most) {
    Index next = 0;
    if (!(nearest.maxCoeff(&next) > 0)) break;  // the others are at poses that were chosen
    chosen.push_back(next);
    nearest = nearest.cwiseMin((places.colwise() - places.col(next)).colwise().squaredNorm().transpose());
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

double thinningOf(const PoseSpaceModel& model, const std::vector<Index>& examples) {
  if (examples.size() == model.exampleCount()) return 1;
  const Eigen::VectorXd scales = model.poseSpace.scales();
  const Eigen::MatrixXd few = model.poses(Eigen::all, examples);
  const double all = meanGap({model.poses, model.poses, scales, {}});
  return all > 0 ? meanGap({few, few, scales, {}}) / all : 1;
}

PoseSpaceModel ofExamples(const PoseSpaceModel& model, const std::vector<Index>& examples) {
  PoseSpaceModel result = withoutShapes(model);
  if (examples.size() == model.exampleCount()) return result;
  result.names.clear();
  result.interpolation.confidence.clear();
  for (const Index k : examples) {
    result.names.push_back(model.names[toSize(k)]);
    if (!model.interpolation.confidence.empty())
      result.interpolation.confidence.push_back(model.interpolation.confidence[toSize(k)]);
  }
  result.poses = model.poses(Eigen::all, examples);
  return result;
}

void keepExamples(const std::vector<Index>& examples, const Eigen::MatrixXd& coefficients, PoseSpaceModel& model) {
  PoseSpaceModel kept = ofExamples(model, examples);
  model.names = std::move(kept.names);
  model.interpolation = std::move(kept.interpolation);
  model.poses = std::move(kept.poses);
  model.coefficients = coefficients;
}

}  // namespace sinew::pose_space
