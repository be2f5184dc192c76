// A pose: the local transform of every joint and the weight of every morph target; and the transforms that follow from
// it.
#pragma once

#include <span>
#include <vector>

#include "sinew/base/types.h"
#include "sinew/character/skeleton.h"
#include "sinew/character/skin.h"

namespace sinew {

struct Pose {
  std::vector<LocalTransform> local;  ///< a transform per joint, replacing its rest
  std::vector<double> morphWeights;   ///< a weight per morph target of the character
};

/// What deformers see of a pose.
struct PosedJoints {
  std::vector<Affine> worldFromJoint;  ///< per joint
  std::vector<Affine> worldFromRest;   ///< per binding: worldFromJoint * jointFromRest
  Pose pose = {};                      ///< the pose itself, for operators that follow angles and morph weights
};

/// The pose in which every joint is at rest and no morph target acts.
Pose restPose(const Skeleton& skeleton);

/// Fills `posed`; allocates only when its vectors must grow. Throws on a size mismatch or a value that is not finite.
void poseJoints(const Skeleton& skeleton, std::span<const Binding> bindings, const Pose& pose, PosedJoints& posed);

/// The pose with a rigid motion applied in world space to every root joint.
Pose movedBy(const Skeleton& skeleton, const Pose& pose, const Eigen::Isometry3d& motion);

}  // namespace sinew
