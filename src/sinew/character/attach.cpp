#include "sinew/character/attach.h"

#include <algorithm>
#include <optional>

namespace sinew {
namespace {

std::vector<Affine> restTransforms(const Skeleton& skeleton) {
  PosedJoints posed;
  poseJoints(skeleton, {}, restPose(skeleton), posed);
  return posed.worldFromJoint;
}

/// For each requested joint the character's own joint with that name and position; none if one is missing.
std::optional<std::vector<int>> findOwn(const Character& character, const Character& rig, std::span<const int> wanted) {
  const std::vector<Affine> own = restTransforms(character.skeleton);
  const std::vector<Affine> theirs = restTransforms(rig.skeleton);
  std::vector<int> found;
  for (const int joint : wanted) {
    const auto match = character.skeleton.find(rig.skeleton[joint].name);
    if (!match) return std::nullopt;
    const auto& a = own[toSize(*match)].matrix();
    const auto& b = theirs[toSize(joint)].matrix();
    if (!a.isApprox(b, 1e-5)) return std::nullopt;
    found.push_back(*match);
  }
  return found;
}

/// The requested joints and all their ancestors.
std::vector<bool> withAncestors(const Skeleton& skeleton, std::span<const int> wanted) {
  std::vector<bool> kept(toSize(skeleton.size()), false);
  for (int joint : wanted) {
    for (; joint >= 0 && !kept[toSize(joint)]; joint = skeleton[joint].parent) kept[toSize(joint)] = true;
  }
  return kept;
}

void copyClips(const Character& rig, std::span<const int> newNumber, Character& character) {
  for (const Clip& clip : rig.clips) {
    Clip copy{clip.name, {}};
    for (ClipChannel channel : clip.channels) {
      channel.joint = newNumber[toSize(channel.joint)];
      if (channel.path != ClipPath::Weights && channel.joint >= 0) copy.channels.push_back(std::move(channel));
    }
    if (!copy.channels.empty()) character.clips.push_back(std::move(copy));
  }
}

/// Rules of the copied joints; a requested helper joint keeps its rule only if its source, which has the same parent,
/// is requested too, and is a plain joint otherwise.
void copyHelpers(const Character& rig, std::span<const int> newNumber, Character& character) {
  for (HelperJoint helper : rig.helpers) {
    helper.joint = newNumber[toSize(helper.joint)];
    helper.source = newNumber[toSize(helper.source)];
    if (helper.joint >= 0 && helper.source >= 0) character.helpers.push_back(helper);
  }
}

}  // namespace

std::vector<int> deformingJoints(const Character& rig) {
  std::vector<int> joints = skinJoints(rig);
  std::erase_if(joints, [&](int joint) { return isHelper(rig.helpers, joint); });
  if (!joints.empty()) return joints;
  std::vector<bool> places(toSize(rig.skeleton.size()), false);
  for (const MeshPart& part : rig.mesh.parts) {
    if (part.node >= 0) places[toSize(part.node)] = true;
  }
  for (int j = 0; j < rig.skeleton.size(); ++j) {
    if (!places[toSize(j)] && !isHelper(rig.helpers, j)) joints.push_back(j);
  }
  return joints;
}

AttachResult attachSkeleton(const Character& character, const Character& rig, std::span<const int> wanted) {
  AttachResult result{character, {}};
  if (auto own = findOwn(character, rig, wanted)) {
    result.joints = std::move(*own);
    return result;
  }
  const std::vector<bool> kept = withAncestors(rig.skeleton, wanted);
  std::vector<int> newNumber(kept.size(), -1);
  std::vector<Joint> joints(character.skeleton.joints().begin(), character.skeleton.joints().end());
  for (std::size_t j = 0; j < kept.size(); ++j) {
    if (!kept[j]) continue;
    newNumber[j] = static_cast<int>(joints.size());
    joints.push_back(rig.skeleton[static_cast<int>(j)]);
  }
  for (std::size_t j = 0; j < kept.size(); ++j) {
    if (!kept[j]) continue;
    int& parent = joints[toSize(newNumber[j])].parent;
    if (parent >= 0) parent = newNumber[toSize(parent)];
  }
  result.character.skeleton = Skeleton(std::move(joints));
  copyClips(rig, newNumber, result.character);
  copyHelpers(rig, newNumber, result.character);
  for (const int joint : wanted) result.joints.push_back(newNumber[toSize(joint)]);
  return result;
}

}  // namespace sinew
