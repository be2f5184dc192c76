#include "sinew/character/character.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "sinew/base/check.h"
#include "sinew/base/text.h"

namespace sinew {

Pose restPose(const Character& character) {
  Pose pose = restPose(character.skeleton);
  pose.morphWeights.reserve(character.morphs.size());
  for (const MorphTarget& morph : character.morphs) pose.morphWeights.push_back(morph.defaultWeight);
  return pose;
}

std::size_t clipIndex(const Character& character, std::string_view clip) {
  for (std::size_t i = 0; i < character.clips.size(); ++i) {
    if (!character.clips[i].name.empty() && character.clips[i].name == clip) return i;
  }
  std::size_t index = 0;
  const auto [end, fault] = std::from_chars(clip.data(), clip.data() + clip.size(), index);
  if (fault == std::errc() && end == clip.data() + clip.size() && index < character.clips.size()) return index;
  if (character.clips.empty()) {
    throw Error(ErrorCode::NotFound, fmt::format("there is no clip '{}': the character has no clips", clip));
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < character.clips.size(); ++i) {
    names.push_back(character.clips[i].name.empty() ? fmt::format("{}", i) : character.clips[i].name);
  }
  const std::string nearest = nearestName(clip, names);
  throw Error(ErrorCode::NotFound,
              fmt::format("there is no clip '{}'; the character has: {}{}", clip, fmt::join(names, ", "),
                          nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
}

Pose clipPose(const Character& character, std::string_view clip, double time) {
  Pose pose = restPose(character);
  sampleClip(character.clips[clipIndex(character, clip)], time, pose);
  return pose;
}

void poseJoints(const Character& character, const Pose& pose, PosedJoints& posed) {
  const Skeleton& skeleton = character.skeleton;
  poseJoints(skeleton, character.skin.bindings, pose, posed);
  if (character.helpers.empty()) return;
  for (const HelperJoint& helper : character.helpers) {
    const Affine parentFromJoint = helperTransform(skeleton, helper, pose).parentFromJoint();
    const int parent = skeleton[helper.joint].parent;
    posed.worldFromJoint[toSize(helper.joint)] =
        parent < 0 ? parentFromJoint : posed.worldFromJoint[toSize(parent)] * parentFromJoint;
  }
  for (std::size_t b = 0; b < character.skin.bindings.size(); ++b) {
    const Binding& binding = character.skin.bindings[b];
    posed.worldFromRest[b] = posed.worldFromJoint[toSize(binding.joint)] * binding.jointFromRest;
  }
}

void applyMorphs(const Character& character, std::span<const double> weights, Points& points) {
  SINEW_CHECK(weights.size() == character.morphs.size(), "morph targets",
              fmt::format("{} weights for {} morph targets", weights.size(), character.morphs.size()));
  points = character.mesh.points;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const MorphTarget& morph = character.morphs[i];
    if (weights[i] != 0) points.middleCols(morph.firstVertex, morph.deltas.cols()) += weights[i] * morph.deltas;
  }
}

Character characterOfVertices(const Character& character, const std::vector<Index>& vertices) {
  Character few;
  few.skeleton = character.skeleton;
  few.helpers = character.helpers;
  few.mesh.points = character.mesh.points(Eigen::all, vertices);
  std::vector<std::vector<Influence>> columns;
  for (const Index v : vertices) {
    const std::span<const Influence> influences = character.skin.weights[v];
    columns.emplace_back(influences.begin(), influences.end());
  }
  few.skin.bindings = character.skin.bindings;
  few.skin.weights = SkinWeights::fromColumns(character.skin.weights.bindingCount(), columns);
  for (const MorphTarget& morph : character.morphs) {
    MorphTarget part{.name = morph.name, .deltas = Points::Zero(3, few.mesh.points.cols())};
    part.defaultWeight = morph.defaultWeight;
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      const Index at = vertices[i] - morph.firstVertex;
      if (at >= 0 && at < morph.deltas.cols()) part.deltas.col(static_cast<Index>(i)) = morph.deltas.col(at);
    }
    few.morphs.push_back(std::move(part));
  }
  return few;
}

std::vector<int> skinJoints(const Character& character) {
  const auto& parts = character.mesh.parts;
  if (!parts.empty() && std::none_of(parts.begin(), parts.end(), [](const MeshPart& part) { return part.skinned; }))
    return {};
  // A binding that only unskinned parts use was made to place them; every other one belongs to a skin.
  std::vector<bool> places(character.skin.bindings.size(), false);
  std::vector<bool> skins(character.skin.bindings.size(), false);
  for (const MeshPart& part : parts) {
    if (!character.hasSkin()) break;
    std::vector<bool>& uses = part.skinned ? skins : places;
    for (Index v = part.firstVertex; v < part.firstVertex + part.vertexCount; ++v) {
      for (const Influence& influence : character.skin.weights[v]) uses[influence.binding] = true;
    }
  }
  std::vector<int> joints;
  for (std::size_t b = 0; b < places.size(); ++b) {
    if (skins[b] || !places[b]) joints.push_back(character.skin.bindings[b].joint);
  }
  std::sort(joints.begin(), joints.end());
  joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
  return joints;
}

std::vector<bool> carryingJoints(const Character& character) {
  const Skeleton& skeleton = character.skeleton;
  std::vector<std::size_t> below(toSize(skeleton.size()), 0);
  std::vector<bool> used(below.size(), false);
  for (const int joint : skinJoints(character)) used[toSize(joint)] = true;
  std::size_t total = 0;
  for (auto it = skeleton.order().rbegin(); it != skeleton.order().rend(); ++it) {
    const auto j = toSize(*it);
    if (used[j]) {
      ++below[j];
      ++total;
    }
    if (const int parent = skeleton[*it].parent; parent >= 0) below[toSize(parent)] += below[j];
  }
  std::vector<bool> result(below.size(), false);
  for (std::size_t j = 0; j < below.size(); ++j) result[j] = total > 0 && below[j] == total;
  return result;
}

void checkCharacter(const Character& character, const char* where) {
  checkMesh(character.mesh, where);
  const Index vertices = character.mesh.vertexCount();
  const SkinWeights& weights = character.skin.weights;
  SINEW_CHECK(weights.empty() || weights.vertexCount() == vertices, where,
              fmt::format("the skin covers {} of {} vertices", weights.vertexCount(), vertices));
  SINEW_CHECK(weights.empty() || weights.bindingCount() == character.skin.bindings.size(), where,
              fmt::format("the weights are for {} joints, the skin binds {}", weights.bindingCount(),
                          character.skin.bindings.size()));
  for (const Binding& binding : character.skin.bindings) {
    SINEW_CHECK(binding.joint >= 0 && binding.joint < character.skeleton.size(), where,
                fmt::format("the skin binds joint {} of {}", binding.joint, character.skeleton.size()));
    SINEW_CHECK(binding.jointFromRest.matrix().allFinite(), where,
                fmt::format("the bind matrix of joint '{}' has a value that is not a finite number",
                            character.skeleton[binding.joint].name));
  }
  for (const MorphTarget& morph : character.morphs) {
    SINEW_CHECK(morph.firstVertex >= 0 && morph.firstVertex + morph.deltas.cols() <= vertices, where,
                fmt::format("morph target '{}' moves vertices beyond the mesh", morph.name));
    SINEW_CHECK(morph.normalDeltas.cols() == 0 || morph.normalDeltas.cols() == morph.deltas.cols(), where,
                fmt::format("morph target '{}' moves {} vertices, but {} normals", morph.name, morph.deltas.cols(),
                            morph.normalDeltas.cols()));
    checkFinite(morph.deltas, where, "a morph target");
  }
  checkHelpers(character.skeleton, character.helpers, where);
}

}  // namespace sinew
