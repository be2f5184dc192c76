#include "studio/modes/correct/learned_model.h"

#include <Eigen/SVD>
#include <algorithm>
#include <utility>

namespace sinew::studio::correct {
namespace {

Index largestGroup(const PoseSpaceModel& model) {
  std::vector<Index> sizes(toSize(std::max<Index>(1, model.groupWeights.cols())), 0);
  for (const std::uint32_t group : model.groupOf) ++sizes[group];
  return std::max_element(sizes.begin(), sizes.end()) - sizes.begin();
}

}  // namespace

LearnedModel::LearnedModel(Character character, PoseSpaceResult result)
    : character_(std::move(character)),
      result_(std::move(result)),
      weights_(withoutShapes(*result_.model)),
      group_(largestGroup(*result_.model)),
      poser_(character_, std::make_shared<PoseSpaceDeformer>(character_, result_.model)),
      scales_(result_.model->poseSpace.scales()) {
  findAxes();
}

void LearnedModel::findAxes() {
  const Eigen::MatrixXd scaled = scales_.asDiagonal() * model().poses;
  centre_ = scaled.rowwise().mean();
  axes_ = Eigen::MatrixXd::Zero(scaled.rows(), 2);
  if (scaled.size() == 0) return;
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(scaled.colwise() - centre_, Eigen::ComputeThinU);
  const Index count = std::min<Index>(2, svd.matrixU().cols());
  axes_.leftCols(count) = svd.matrixU().leftCols(count);
  // The sign of a direction is arbitrary: the largest entry is positive.
  for (Index axis = 0; axis < count; ++axis) {
    Index largest = 0;
    axes_.col(axis).cwiseAbs().maxCoeff(&largest);
    if (axes_(largest, axis) < 0) axes_.col(axis) *= -1;
  }
}

std::array<double, 2> LearnedModel::placeOf(const Eigen::VectorXd& coordinates) const {
  const Eigen::Vector2d place = axes_.transpose() * (scales_.cwiseProduct(coordinates) - centre_);
  return {place.x(), place.y()};
}

Activation LearnedModel::activation(const Pose& pose) const {
  const Eigen::VectorXd x = model().poseSpace.coordinates(character_.skeleton, pose);
  Eigen::MatrixXd all(weights_.exampleCount(), weights_.groupCount());
  weights_.evaluate(x, all);
  Activation activation;
  const Eigen::VectorXd mine = all.col(group_);
  activation.weights.assign(mine.begin(), mine.end());
  const Eigen::VectorXd distances = (scales_.asDiagonal() * (model().poses.colwise() - x)).colwise().norm().transpose();
  Index nearest = 0;
  activation.distance = distances.minCoeff(&nearest);
  activation.nearest = toSize(nearest);
  activation.fade = weights_.fade(x, group_);
  activation.place = placeOf(x);
  return activation;
}

}  // namespace sinew::studio::correct
