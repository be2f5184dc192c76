// What models that leave one example out predict at its pose.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sinew/deform/pose_space.h"

namespace sinew::pose_space {

/// The weights of all examples of a model at the pose of each, as the model without it gives them (its own is 0). In
/// closed form; only for examples that alone determine a direction a model without them is made.
class LeftOutWeights {
 public:
  /// Both must outlive it.
  LeftOutWeights(const PoseSpaceModel& model, const PoseSpaceWeights& weights);
  /// Examples x groups, at the pose of example k.
  [[nodiscard]] Eigen::MatrixXd at(std::size_t k) const;

 private:
  [[nodiscard]] Eigen::MatrixXd refitted(std::size_t k) const;

  const PoseSpaceModel& model_;
  std::vector<Eigen::MatrixXd> groups_;  // row k: at example k
  std::vector<char> refit_;              // per example
};

/// The operator of a ridge (pose_space/ridge.h) on the weights of left-out examples: weights of smoothed corrections
/// become weights of those that were sculpted, smoothed without the example.
class LeftOutRidge {
 public:
  /// `products` of the sculpted corrections, examples x examples. Refers to its arguments.
  LeftOutRidge(const PoseSpaceModel& model, const Eigen::MatrixXd& products, double rho);
  [[nodiscard]] Eigen::MatrixXd ofSculpted(std::size_t k, Eigen::MatrixXd weights) const;

 private:
  const PoseSpaceModel& model_;
  const Eigen::MatrixXd& products_;
  double rho_;
  Eigen::MatrixXd inverse_;  // of many examples: (G + rho I)^-1
};

}  // namespace sinew::pose_space
