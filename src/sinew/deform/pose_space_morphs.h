// The weights of morph targets that imitate a pose-space model where nothing but morphing and skinning plays.
#pragma once

#include <Eigen/Core>

#include "sinew/character/character.h"
#include "sinew/deform/pose_space.h"

namespace sinew {

/// Memory of repeated calls.
struct PoseSpaceMorphScratch {
  Eigen::VectorXd coordinates;
  Eigen::VectorXd weights;
};

/// The model's weights of its first group alone: how it fades, without the cost of its other groups.
PoseSpaceWeights fadingOf(const PoseSpaceModel& model);

/// The cardinal functions of the knots or their mixtures, faded as the model fades. Built once, then const; needs
/// neither afterwards.
class PoseSpaceMorphWeights {
 public:
  /// Throws BadInput if knots, morph targets and the model's drivers do not fit each other.
  PoseSpaceMorphWeights(const PoseSpaceModel& model, const PoseSpaceMorphs& morphs);

  [[nodiscard]] const PoseSpaceMorphs& morphs() const { return morphs_; }
  [[nodiscard]] const RbfInterpolator& interpolator() const { return interpolator_; }
  /// For other runtimes: weights are full within reach() of a centre of examples(), and zero at twice that distance
  /// (smoothly: 1 - b^2 (3 - 2 b), b = distance / reach - 1 between 0 and 1). 0 if nothing fades.
  [[nodiscard]] const RbfInterpolator& examples() const { return fade_.interpolator(0); }
  [[nodiscard]] double reach() const { return fade_.reach(0); }

  /// Every weight (PoseSpaceMorphs::weightCount) at pose coordinates as PoseSpace gives them. Does not allocate.
  void evaluate(const Eigen::Ref<const Eigen::VectorXd>& coordinates, Eigen::Ref<Eigen::VectorXd> weights) const;
  [[nodiscard]] Eigen::VectorXd evaluate(const Eigen::Ref<const Eigen::VectorXd>& coordinates) const;

  /// Writes the weights of the morph targets at a pose into that pose; its other weights stay. No allocation once the
  /// scratch has grown.
  void apply(const Skeleton& skeleton, PoseSpaceMorphScratch& scratch, Pose& pose) const;
  void apply(const Skeleton& skeleton, Pose& pose) const;

 private:
  PoseSpaceMorphs morphs_;
  PoseSpace space_;
  PoseSpaceWeights fade_;
  RbfInterpolator interpolator_;
};

/// The pose with those morph targets at 0: for playing the model itself, which they would double.
void silencePoseSpaceMorphs(const PoseSpaceMorphs& morphs, Pose& pose);

/// Takes the morph targets out of the character, their rows out of its clips, and the clip that visits the examples.
/// Further morph targets keep their order. Does nothing for none.
void removePoseSpaceMorphs(const PoseSpaceMorphs& morphs, Character& character);

}  // namespace sinew
