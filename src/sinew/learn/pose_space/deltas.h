// The corrections of examples in the space in which they are interpolated.
#pragma once

#include <span>
#include <vector>

#include "sinew/character/character.h"
#include "sinew/character/example_set.h"
#include "sinew/deform/deformer.h"
#include "sinew/deform/dual_quaternion_blend.h"
#include "sinew/deform/pose_space.h"

namespace sinew::pose_space {

/// d(moved point) / d(rest point) of an operator that moves each point by an affine map of its own, as skins do.
void affineJacobians(const Deformer& deformer, const ConstPointsRef& rest, const PosedJoints& joints,
                     DeformScratch& scratch, std::span<Mat3> jacobians);

/// Converts corrections between world space and the space of a model, pose by pose.
class DeltaFrames {
 public:
  DeltaFrames(const Character& character, const Deformer& base, DeltaSpace space, double regularisation);

  /// Sets the pose; `rest` are the points before skinning.
  void setPose(const ConstPointsRef& rest, const PosedJoints& joints);

  struct Stored {
    Vec3 delta = Vec3::Zero();
    Vec3 layer = Vec3::Zero();
    bool singular = false;
  };
  /// What reproduces the correction `world` of a vertex at this pose.
  [[nodiscard]] Stored store(Index vertex, const Vec3& world) const;
  /// The correction in world space of stored numbers at this pose.
  [[nodiscard]] Vec3 world(Index vertex, const Vec3& delta, const Vec3& layer) const;

 private:
  [[nodiscard]] const Mat3& rootTurn(Index vertex) const { return rootTurns_[toSize(rootOf_[toSize(vertex)])]; }

  const Character& character_;
  const Deformer& base_;
  DeltaSpace space_;
  double mu_;
  DualQuaternionBlend blend_;
  DeformScratch scratch_;
  std::vector<Mat3> matrices_;   // per vertex: Q or M at the pose
  std::vector<Mat3> rootTurns_;  // per joint, of use for roots
  std::vector<int> rootOf_;      // per vertex
};

}  // namespace sinew::pose_space
