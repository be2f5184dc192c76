// Weights of given morph targets by projection: those that come closest to the model at a pose.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

#include "sinew/character/character.h"
#include "sinew/deform/pose_space.h"
#include "sinew/learn/pose_space_morphs/pull.h"

namespace sinew::pose_space_morphs {

/// Vertices that represent all of a mesh. Those with the same skin weights are consecutive.
struct FewVertices {
  std::vector<std::uint32_t> vertices;
  std::vector<double> standFor;  ///< how many each represents
};

/// Least squares for the weights at one pose after another; keeps its memory.
class WeightSolver {
 public:
  /// `displaced`: 3 per vertex x targets.
  WeightSolver(Eigen::MatrixXd displaced, std::span<const double> standFor);

  /// min over w of sum_v standFor_v | M_v D_v w - r_v |^2, damped towards the weights that are passed in. `matrices`
  /// and columns of `residual`: one per vertex.
  void solve(std::span<const Mat3> matrices, const Points& residual, Eigen::Ref<Eigen::VectorXd> weights);

 private:
  Eigen::MatrixXd displaced_;  // times the square roots of what vertices stand for
  Eigen::VectorXd roots_;
  Eigen::MatrixXd image_;
  Eigen::VectorXd wanted_;
  Eigen::MatrixXd gram_;
};

/// The same for the finished morph targets of a character at any pose.
class MorphProjection {
 public:
  /// `character` has the morph targets that `morphs` names.
  MorphProjection(const Character& character, const PoseSpaceModel& model, const PoseSpaceMorphs& morphs,
                  const FewVertices& few);

  /// Replaces the weights of the morph targets in a pose by their projection.
  void apply(Pose& pose);

 private:
  PoseSpaceMorphs morphs_;
  Character part_;
  Residuals residuals_;
  WeightSolver solver_;
  PosedJoints joints_;
  std::vector<Mat3> bones_;
  std::vector<Mat3> matrices_;
  Pose silent_;
  Eigen::VectorXd weights_;
};

}  // namespace sinew::pose_space_morphs
