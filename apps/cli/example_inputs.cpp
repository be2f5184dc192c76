#include "example_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "argument_value.h"
#include "arguments.h"
#include "command.h"
#include "console.h"
#include "sinew/base/error.h"

namespace sinew::cli {

void ExampleInputs::declare(Arguments& arguments, const std::string& help, const std::string& forceHelp) {
  arguments.option("--examples", "FILE", examples, help);
  arguments.option("--clip", "CLIP|FILE:CLIP", clip,
                   "instead of --examples: the clip whose frames --meshes has; of the character, or of a file whose "
                   "joints have the same names");
  arguments.option("--meshes", "PATH", meshes,
                   "the shapes of --clip: a point cache (.pc2, .mdd), a folder of meshes, or a file with a clip of "
                   "morph weights");
  arguments.option("--rest-mesh", "FILE", restMesh,
                   "the rest mesh of --meshes, where its vertices are in another order");
  arguments.needs({"--examples", "--clip", "--meshes"}, "(--examples FILE | --clip CLIP --meshes PATH)",
                  "--examples (or --clip with --meshes)");
  arguments.fields(rate);
  arguments.flag("--force", force, forceHelp);
}

void ExampleInputs::checkWords() const {
  const auto refuse = [](const std::string& sentence) { throw UsageError(sentence); };
  if (examples.empty() && clip.empty() && meshes.empty())
    refuse("--examples is missing; give an examples file, or --clip and --meshes");
  if (!examples.empty() && !clip.empty())
    refuse(fmt::format("--clip is given with --examples {}; keep one, or name the sequence in that file", examples));
  if (!examples.empty() && !meshes.empty())
    refuse(fmt::format("--meshes is given with --examples {}; keep one, or name the sequence in that file", examples));
  if (clip.empty() && !meshes.empty())
    refuse(fmt::format("--meshes {} has no clip; give it too (--clip NAME)", meshes));
  if (!clip.empty() && meshes.empty())
    refuse(fmt::format("--clip '{}' has no meshes; give them too (--meshes FOLDER or a .pc2 or .mdd file)", clip));
  if (meshes.empty() && !restMesh.empty())
    refuse("--rest-mesh is the rest mesh of --meshes; give both, or \"rest\" in the examples file");
  if (meshes.empty() && rate.fps > 0)
    refuse("--fps is the rate of --meshes; give both, or \"fps\" in the examples file");
}

void ExampleInputs::checkMeshes(const Character& character, const std::string& characterFile) const {
  std::error_code fault;
  const bool own = !meshes.empty() && std::filesystem::equivalent(meshes, characterFile, fault);
  const bool shows = std::any_of(character.clips.begin(), character.clips.end(), [](const Clip& one) {
    return std::any_of(one.channels.begin(), one.channels.end(),
                       [](const ClipChannel& channel) { return channel.path == ClipPath::Weights; });
  });
  if (!own || shows) return;
  throw Error(ErrorCode::BadInput,
              "is the character itself, so its shapes are those of plain skinning; give a point cache (.pc2, .mdd), a "
              "folder of meshes, or a file with a clip of morph weights",
              meshes);
}

std::unique_ptr<ExampleFiles> ExampleInputs::open(const CharacterFile& file, const std::string& characterFile,
                                                  const Console& console) const {
  checkMeshes(file.character, characterFile);
  OpenExamplesOptions options{.force = force, .rules = console.rules()};
  if (!unlessForced.empty()) options.unlessForced = unlessForced;
  if (!examples.empty()) return openExamples(examples, file, options);
  try {
    return openSequence(
        {.clip = clipSource(clip, file.character), .meshes = meshes, .rest = restMesh, .framesPerSecond = rate.fps},
        file, options);
  } catch (const Error& error) {
    throw error.in(characterFile);  // a clip that it does not have
  }
}

}  // namespace sinew::cli
