// sinew bind: first influence sets and weights.
#include "sinew/learn/bind.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "arguments.h"
#include "command.h"
#include "console.h"
#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/character/attach.h"
#include "sinew/deform/rest_in_world.h"
#include "sinew/io/formats.h"
#include "sinew/io/gltf.h"

namespace sinew::cli {
namespace {

class BindCommand : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.input("MESH", mesh_, "the mesh to bind");
    arguments.required("--skeleton", "FILE", skeleton_, "a file with the skeleton, at rest inside the mesh");
    arguments.output(output_, "the bound character (.glb, .gltf)");
    arguments.option(
        "--joint", "NAME", joints_,
        "only these joints may influence vertices; default: the joints of the skeleton's own skin, or all");
    arguments.fields(options_);
  }

  int run(Console& console) override {
    if (!isGltf(output_)) throw Error(ErrorCode::BadInput, "cannot store weights; write a .glb or .gltf file", output_);
    checkWritable(output_);
    CharacterFile mesh = readCharacter(mesh_, console.reading(0, Console::kRead / 2));
    const CharacterFile rig = readCharacter(skeleton_, console.reading(Console::kRead / 2, Console::kRead));
    if (rig.character.skeleton.empty())
      throw Error(ErrorCode::BadInput, "has no joints; give a file with a skeleton", skeleton_);
    if (mesh.character.mesh.vertexCount() == 0)
      throw Error(ErrorCode::BadInput, "has no vertices; give a file with a mesh", mesh_);

    AttachResult attached =
        attachSkeleton(restInWorld(mesh.character, instancesOf(mesh)), rig.character, wantedJoints(rig.character));
    if (attached.joints.empty())
      throw Error(ErrorCode::BadInput, "has no joints; give a file with a skeleton", skeleton_);
    mesh.character = std::move(attached.character);
    mesh.poses.clear();  // they were of other joints
    options_.joints = attached.joints;
    BindResult bound = bindSkin(mesh.character.mesh, mesh.character.skeleton, options_,
                                console.progress(Console::kRead, Console::kWrite));
    mesh.character.skin = std::move(bound.skin);
    if (mesh.character.mesh.parts.empty()) {
      mesh.character.mesh.parts.push_back({.name = "mesh",
                                           .vertexCount = mesh.character.mesh.vertexCount(),
                                           .faceCount = mesh.character.mesh.faces.size()});
    }
    for (MeshPart& part : mesh.character.mesh.parts) part.skinned = true;
    const LostList lost = writeCharacter(output_, mesh, console.writing());
    for (const std::string& sentence : lost) console.note(sentence);

    console.warn(bound.report.warnings);
    console.detail(bound.report.sentence());
    const int most = mesh.character.skin.weights.maxInfluences();
    console.result(fmt::format("{}: {} on {}, at most {}, {} unreached\n", output_,
                               counted(toSize(mesh.character.mesh.vertexCount()), "vertex", "vertices"),
                               counted(options_.joints.size(), "joint", "joints"),
                               counted(toSize(most), "influence", "influences"), bound.report.unreached),
                   {{"joints", options_.joints.size()},
                    {"maxInfluences", most},
                    {"unreached", bound.report.unreached},
                    {"pieces", bound.report.pieces},
                    {"idleJoints", bound.report.idle},
                    {"method", nameOf(options_.method)},
                    {"output", output_},
                    {"lost", lost}});
    return Done;
  }

 private:
  [[nodiscard]] std::vector<int> wantedJoints(const Character& rig) const {
    if (joints_.empty()) return deformingJoints(rig);
    std::vector<int> wanted;
    try {
      for (const std::string& name : joints_) wanted.push_back(rig.skeleton.index(name));
    } catch (const Error& error) {
      throw error.in(skeleton_);
    }
    return wanted;
  }

  std::string mesh_;
  std::string skeleton_;
  std::string output_;
  std::vector<std::string> joints_;
  BindOptions options_;
};

}  // namespace

std::unique_ptr<Command> makeBindCommand() {
  return std::make_unique<BindCommand>();
}

}  // namespace sinew::cli
