// A learned pose-space model as the mode shows it: shapes and activations at poses, and a map of the pose space.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "sinew/deform/posing.h"
#include "sinew/learn/pose_space.h"

namespace sinew::studio::correct {

/// How the examples of a model count at a pose.
struct Activation {
  std::vector<double> weights;  ///< per example of the model; 0 is rest
  std::size_t nearest = 0;
  double distance = 0;            ///< to it, in pose coordinates
  double fade = 1;                ///< less than 1: far from every example
  std::array<double, 2> place{};  ///< on the map
};

/// Poses are those of the character without morph targets that imitate what was learned. Not for several threads.
class LearnedModel {
 public:
  LearnedModel(Character character, PoseSpaceResult result);
  LearnedModel(const LearnedModel&) = delete;
  LearnedModel& operator=(const LearnedModel&) = delete;

  [[nodiscard]] const Character& character() const { return character_; }
  [[nodiscard]] const PoseSpaceModel& model() const { return *result_.model; }
  [[nodiscard]] const PoseSpaceReport& report() const { return result_.report; }
  /// Posed vertices in world space.
  const Points& points(const Pose& pose) { return poser_.pose(pose); }
  [[nodiscard]] Activation activation(const Pose& pose) const;
  /// Pose coordinates on the plane of the two directions in which the examples differ most, per example.
  [[nodiscard]] std::array<double, 2> placeOf(const Eigen::VectorXd& coordinates) const;

 private:
  void findAxes();

  Character character_;
  PoseSpaceResult result_;
  PoseSpaceWeights weights_;  ///< of the examples, also where the model has fewer shapes
  Index group_ = 0;           ///< of vertices: the largest
  CharacterPoser poser_;
  Eigen::VectorXd scales_;
  Eigen::VectorXd centre_;
  Eigen::MatrixXd axes_;  ///< dimensions x 2, of scaled coordinates
};

}  // namespace sinew::studio::correct
