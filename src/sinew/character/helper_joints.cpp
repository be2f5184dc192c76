// Mohr and Gleicher, "Building efficient, accurate character skins from examples" (2003), as rules on local transforms.
// - A half joint takes a share of the source's turn away from rest: rest (rest_s^-1 rotation_s)^share.
// - A bulge joint scales by s = 1 + k/2 (b1.b2 + 1), b1 and b2 pointing along the two bones away from their joint. A
//   limb that is straight at rest has b1.b2 = -cos phi. We write s = 1 + k (1 - cos phi) / 2 with phi counted from the
//   rest pose, so that s is 1 at rest for limbs that are bent there too, and never leaves [1, 1 + k].
// - Ours: twist and bend joints, which take a share of one part of the turn. Skin spreads a twist over the length of a
//   bone, and no blend of the whole turn with none does that where the joint bends at the same time.
#include "sinew/character/helper_joints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/math/rotation.h"

namespace sinew {
namespace {

/// A rotation by a share of its angle.
Quat shareOf(const Quat& turn, double share) {
  return quaternionFromRotationVector(share * rotationVector(turn));
}

/// The part of the source's rotation that a helper joint takes.
Quat takenTurn(const HelperJoint& helper, const Quat& turn) {
  if (helper.kind == HelperKind::Half) return shareOf(turn, helper.share);
  const SwingTwist split = swingTwist(turn, helper.direction);
  if (helper.kind == HelperKind::Bend) return shareOf(split.swing, helper.share);
  return split.swing * shareOf(split.twist, helper.share);
}

}  // namespace

LocalTransform helperTransform(const Skeleton& skeleton, const HelperJoint& helper, const Pose& pose) {
  LocalTransform local = skeleton[helper.joint].rest;
  const LocalTransform& source = pose.local[toSize(helper.source)];
  const Quat& rest = skeleton[helper.source].rest.rotation;
  if (helper.kind != HelperKind::Bulge) {
    local.rotation = local.rotation * takenTurn(helper, (rest.conjugate() * source.rotation).normalized());
    local.translation += source.translation - skeleton[helper.source].rest.translation;
    return local;
  }
  const double cosine = (rest * helper.direction).dot(source.rotation.normalized() * helper.direction);
  local.scale.x() *= 1 + helper.gain * (1 - std::clamp(cosine, -1.0, 1.0)) / 2;
  return local;
}

std::string helperRule(const Skeleton& skeleton, const HelperJoint& helper) {
  const std::string& source = skeleton[helper.source].name;
  if (helper.kind == HelperKind::Bulge)
    return fmt::format("{} with {}'s bend", helper.gain < 0 ? "shrinks" : "grows", source);
  const std::string share = helper.share == 0.5 ? "half" : fmt::format("{:g}", helper.share);
  if (helper.kind == HelperKind::Half) return fmt::format("{} of {}'s turn", share, source);
  if (helper.kind == HelperKind::Bend) return fmt::format("{} of {}'s bend without its twist", share, source);
  if (helper.share == 0) return fmt::format("{}'s bend without its twist", source);
  return fmt::format("{}'s bend with {} of its twist", source, share);
}

void applyHelpers(const Skeleton& skeleton, std::span<const HelperJoint> helpers, Pose& pose) {
  for (const HelperJoint& helper : helpers) pose.local[toSize(helper.joint)] = helperTransform(skeleton, helper, pose);
}

bool isHelper(std::span<const HelperJoint> helpers, int joint) {
  return std::any_of(helpers.begin(), helpers.end(), [joint](const HelperJoint& h) { return h.joint == joint; });
}

void checkHelpers(const Skeleton& skeleton, std::span<const HelperJoint> helpers, const char* where) {
  std::vector<bool> ruled(toSize(skeleton.size()), false);
  for (const HelperJoint& helper : helpers) {
    for (const int joint : {helper.joint, helper.source}) {
      SINEW_CHECK(joint >= 0 && joint < skeleton.size(), where,
                  fmt::format("a helper rule refers to joint {} of a skeleton with {}", joint, skeleton.size()));
    }
    const auto i = toSize(helper.joint);
    SINEW_CHECK(!ruled[i], where, fmt::format("joint '{}' has two helper rules", skeleton[helper.joint].name));
    ruled[i] = true;
  }
  for (const HelperJoint& helper : helpers) {
    const std::string& name = skeleton[helper.joint].name;
    SINEW_CHECK(
        !ruled[toSize(helper.source)], where,
        fmt::format("helper joint '{}' follows '{}', which is a helper itself", name, skeleton[helper.source].name));
    const int parent = skeleton[helper.joint].parent;
    const bool beside = parent == skeleton[helper.source].parent;
    SINEW_CHECK(beside || (helper.kind == HelperKind::Bulge && parent == helper.source), where,
                fmt::format("helper joint '{}' does not have the same parent as '{}', which it follows", name,
                            skeleton[helper.source].name));
    SINEW_CHECK(skeleton[helper.source].parent >= 0, where,
                fmt::format("helper joint '{}' follows the root '{}', whose rotation moves the whole body", name,
                            skeleton[helper.source].name));
    SINEW_CHECK(helper.share >= 0 && helper.share <= 1, where,
                fmt::format("helper joint '{}' has the share {}; it must be between 0 and 1", name, helper.share));
    SINEW_CHECK(helper.gain > -1 && std::isfinite(helper.gain), where,
                fmt::format("helper joint '{}' has a gain of {}; it must be above -1", name, helper.gain));
    SINEW_CHECK(std::abs(helper.direction.norm() - 1) < 1e-6, where,
                fmt::format("the direction of helper joint '{}' is not a unit vector", name));
  }
  for (int j = 0; j < skeleton.size(); ++j) {
    const int parent = skeleton[j].parent;
    SINEW_CHECK(parent < 0 || !ruled[toSize(parent)], where,
                fmt::format("joint '{}' is a child of helper joint '{}'", skeleton[j].name,
                            parent < 0 ? "" : skeleton[parent].name));
  }
}

}  // namespace sinew
