#include "studio/modes/bind/bind_mode.h"

#include <fmt/format.h>

#include "sinew/base/error.h"
#include "sinew/character/attach.h"
#include "sinew/deform/rest_in_world.h"
#include "sinew/io/gltf.h"
#include "sinew/learn/bind.h"

namespace sinew::studio::bind {
namespace {

struct Bound {
  CharacterFile file;
  std::string sentence;
};

Bound bindTo(CharacterFile file, const std::filesystem::path& skeleton, const FileRules& rules,
             const sinew::Progress& progress) {
  const CharacterFile rig = readCharacter(skeleton, {.rules = rules});
  if (rig.character.skeleton.empty())
    throw Error(ErrorCode::BadInput, "has no joints; give a file with a skeleton", skeleton.filename().string());
  AttachResult attached =
      attachSkeleton(restInWorld(file.character, instancesOf(file)), rig.character, deformingJoints(rig.character));
  file.character = std::move(attached.character);
  file.poses.clear();  // they belong to the old joints
  BindOptions options;
  options.joints = attached.joints;
  BindResult result = bindSkin(file.character.mesh, file.character.skeleton, options, progress);
  file.character.skin = std::move(result.skin);
  Mesh& mesh = file.character.mesh;
  if (mesh.parts.empty())
    mesh.parts.push_back({.name = "mesh", .vertexCount = mesh.vertexCount(), .faceCount = mesh.faces.size()});
  for (MeshPart& part : mesh.parts) part.skinned = true;
  return {std::move(file), result.report.sentence()};
}

}  // namespace

std::span<const CommandRow> BindMode::commands() const {
  static constexpr CommandRow kCommands[] = {command<&BindMode::start>()};
  return kCommands;
}

wire::BindAnswer BindMode::start(const wire::BindCommand& asked) {
  context_.requireDocument();
  const CharacterFile& file = context_.document().file;
  if (hasWeights(file.character) || file.reduced)
    throw CommandFault("has-skin", "this character already has weights", "Open the mesh on its own to bind it again.");
  const std::filesystem::path skeleton = context_.confined(asked.skeleton);
  auto bound = std::make_shared<Bound>();
  const auto work = [file, skeleton, rules = context_.rulesFor(skeleton), bound](const sinew::Progress& progress) {
    *bound = bindTo(file, skeleton, rules, progress);
  };
  const auto done = [this, skeleton, bound](bool same) {
    // Meanwhile another document may have been opened, or this one bound.
    if (same && !hasWeights(context_.document().file.character))
      context_.commitCharacter(fmt::format("Bind to {}", skeleton.filename().string()), bound->file);
    return bound->sentence;
  };
  return {.job = context_.startJob("bind", work, done)};
}

}  // namespace sinew::studio::bind
