#include "sinew/character/pose.h"

#include <fmt/format.h>

#include <cmath>

#include "sinew/base/check.h"

namespace sinew {

Pose restPose(const Skeleton& skeleton) {
  Pose pose;
  pose.local.reserve(toSize(skeleton.size()));
  for (const Joint& joint : skeleton.joints()) pose.local.push_back(joint.rest);
  return pose;
}

void poseJoints(const Skeleton& skeleton, std::span<const Binding> bindings, const Pose& pose, PosedJoints& posed) {
  SINEW_CHECK(pose.local.size() == toSize(skeleton.size()), "pose",
              fmt::format("the pose has {} joints, the skeleton {}", pose.local.size(), skeleton.size()));
  posed.pose = pose;
  posed.worldFromJoint.resize(pose.local.size());
  for (const int j : skeleton.order()) {
    const auto i = toSize(j);
    const Affine parentFromJoint = pose.local[i].parentFromJoint();
    SINEW_CHECK(parentFromJoint.matrix().allFinite(), "pose",
                fmt::format("joint '{}' has a value that is not a finite number", skeleton[j].name));
    const int parent = skeleton[j].parent;
    posed.worldFromJoint[i] = parent < 0 ? parentFromJoint : posed.worldFromJoint[toSize(parent)] * parentFromJoint;
  }
  posed.worldFromRest.resize(bindings.size());
  for (std::size_t b = 0; b < bindings.size(); ++b) {
    const int joint = bindings[b].joint;
    SINEW_CHECK(joint >= 0 && joint < skeleton.size(), "pose",
                fmt::format("the skin refers to joint {} of a skeleton with {}", joint, skeleton.size()));
    posed.worldFromRest[b] = posed.worldFromJoint[toSize(joint)] * bindings[b].jointFromRest;
  }
}

Pose movedBy(const Skeleton& skeleton, const Pose& pose, const Eigen::Isometry3d& motion) {
  SINEW_CHECK(pose.local.size() == toSize(skeleton.size()), "pose",
              fmt::format("the pose has {} joints, the skeleton {}", pose.local.size(), skeleton.size()));
  Pose moved = pose;
  for (int j = 0; j < skeleton.size(); ++j) {
    if (skeleton[j].parent >= 0) continue;
    // motion * (T R S): the motion multiplies from the left, so scale is still applied first.
    LocalTransform& local = moved.local[toSize(j)];
    local.translation = motion * local.translation;
    local.rotation = (Quat(motion.linear()) * local.rotation).normalized();
  }
  return moved;
}

}  // namespace sinew
