// First weights of a mesh that came without any: it is bound to the skeleton of another file, as one step of undo.
#include <fmt/format.h>

#include "sinew/base/error.h"
#include "sinew/character/attach.h"
#include "sinew/deform/rest_in_world.h"
#include "sinew/io/instances.h"
#include "sinew/learn/bind.h"
#include "studio/session/session.h"

namespace sinew::studio {
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
  file.poses.clear();  // they were of other joints
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

/// The document has the weights; where they could not be kept, the reason.
std::string committedOrWhyNot(Session& session, const std::filesystem::path& skeleton, const CharacterFile& bound) {
  try {
    const std::string before = session.journal().snapshot(session.document().file);
    const std::string after = session.journal().snapshot(bound);
    session.commit({fmt::format("Bind to {}", skeleton.filename().string()), {CharacterChange{before, after}}});
  } catch (const std::exception& fault) {
    return fault.what();
  }
  return {};
}

Json bindCommand(Session& session, const Json& args) {
  session.requireDocument();
  const CharacterFile& file = session.document().file;
  if (hasWeights(file.character) || file.reduced)
    throw CommandFault("has-skin", "this character has weights already", "Open the mesh alone to bind it anew.");
  const std::filesystem::path skeleton = session.confined(args.at("skeleton").get<std::string>());
  auto bound = std::make_shared<Bound>();
  const std::uint32_t number = session.number();
  const std::uint32_t job = session.jobs().start(
      [file, skeleton, rules = rulesFor(session.options(), skeleton), bound](const sinew::Progress& progress) {
        *bound = bindTo(file, skeleton, rules, progress);
      },
      [&session, skeleton, bound, number](std::uint32_t id, const std::string& fault, bool cancelled) {
        session.post([&session, skeleton, bound, number, id, fault, cancelled] {
          // Another document may be open by now.
          const bool wanted =
              fault.empty() && session.number() == number && !hasWeights(session.document().file.character);
          const std::string why = wanted ? committedOrWhyNot(session, skeleton, bound->file) : fault;
          session.sendEvent(
              "job",
              {{"job", id}, {"what", "bind"}, {"fault", why}, {"cancelled", cancelled}, {"sentence", bound->sentence}});
        });
      });
  return {{"job", job}};
}

constexpr SessionCommand kBindCommands[] = {{"bind", bindCommand}};

}  // namespace

std::span<const SessionCommand> bindCommands() {
  return kBindCommands;
}

}  // namespace sinew::studio
