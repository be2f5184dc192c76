// sinew deform: poses a character.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "arguments.h"
#include "command.h"
#include "console.h"
#include "operators.h"
#include "shapes.h"
#include "sinew/deform/placed_mesh.h"
#include "sinew/io/formats.h"
#include "sinew/io/gltf.h"
#include "sinew/io/poses.h"

namespace sinew::cli {
namespace {

/// The character with its joints in the pose, for glTF. Helper joints keep their transforms and the keys of their
/// clips, but not their rules, which refer to the old rest pose.
CharacterFile inPose(CharacterFile file, Pose pose) {
  applyHelpers(file.character.skeleton, file.character.helpers, pose);
  file.character.helpers.clear();
  std::vector<Joint> joints(file.character.skeleton.joints().begin(), file.character.skeleton.joints().end());
  for (std::size_t j = 0; j < joints.size(); ++j) joints[j].rest = pose.local[j];
  file.character.skeleton = Skeleton(std::move(joints));
  for (std::size_t m = 0; m < file.character.morphs.size(); ++m)
    file.character.morphs[m].defaultWeight = pose.morphWeights[m];
  return file;
}

/// The posed mesh alone, in world space.
CharacterFile bakedMesh(const CharacterFile& file, Mesh mesh, bool keepSource) {
  CharacterFile baked;
  baked.character.name = file.character.name;
  baked.character.mesh = std::move(mesh);
  if (keepSource) baked.source = file.source;
  return baked;
}

class DeformCommand : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.input("CHARACTER", character_, "the character's file");
    arguments.required("--pose", "POSE", pose_, "a pose file, CLIP@SECONDS, or rest");
    arguments.output(output_, "a mesh (.obj, .off) or a character (.glb, .gltf)");
    arguments.option(
        "--deformer", "NAME", deformers_,
        "operators in order: linear-blend, dual-quaternion, rigid, pose-space, lattice:FILE.json, wire:FILE.json");
    arguments.flag("--all", all_, "also write meshes without a skin");
  }

  int run(Console& console) override {
    checkOperators(deformers_);
    checkWritable(output_);
    const CharacterFile file = readCharacter(character_, console.reading(0, 0.6));
    const Pose pose = poseOf(pose_, file.character, character_, console);
    const Playing playing = playingOf(file, deformers_);
    console.warn(operatorWarnings(playing, file.character, {&pose, 1}));
    Mesh posed = PlacedPoser(file.character, instancesOf(file), playing.playback).mesh(pose);
    const auto vertices = toSize(skinnedColumns(posed, posed.points, all_).cols());

    const bool plays =
        !file.poseSpace && (!playing.playback.deformer || (deformers_.size() == 1 && deformers_[0] == "linear-blend"));
    const bool asCharacter = isGltf(output_) && plays && !file.character.skeleton.empty();
    const bool sameKind = std::filesystem::path(output_).extension() == std::filesystem::path(character_).extension();
    const CharacterFile result =
        asCharacter ? inPose(file, pose) : bakedMesh(file, std::move(posed), sameKind && !isGltf(output_));
    WriteOptions writing = console.writing(0.6, 1);
    writing.includeUnskinned = all_ || asCharacter;
    LostList lost = writeCharacter(output_, result, writing);
    if (isGltf(output_) && !asCharacter && file.source)
      lost.emplace_back(
          "the posed mesh is written without skeleton and materials: glTF does not support these operators");
    for (const std::string& sentence : lost) console.detail(sentence);

    console.result(fmt::format("{}: {} posed\n", output_, counted(vertices, "vertex", "vertices")),
                   {{"vertices", vertices},
                    {"deformers", deformers_.empty() ? std::vector<std::string>{"linear-blend"} : deformers_},
                    {"learned", playing.learned},
                    {"output", output_},
                    {"lost", lost}});
    return Done;
  }

 private:
  std::string character_;
  std::string pose_;
  std::string output_;
  std::vector<std::string> deformers_;
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Command> makeDeformCommand() {
  return std::make_unique<DeformCommand>();
}

}  // namespace sinew::cli
