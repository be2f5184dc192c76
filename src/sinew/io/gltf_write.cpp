#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/io/files.h"
#include "sinew/io/gltf.h"
#include "sinew/io/gltf_document.h"

namespace sinew {
namespace {

/// Rows that the values of a channel must have, or -1 for any.
Index rowsOf(ClipPath path) {
  if (path == ClipPath::Weights) return -1;
  return path == ClipPath::Rotation ? 4 : 3;
}

void checkClip(const Character& character, const Clip& clip) {
  for (const ClipChannel& channel : clip.channels) {
    const bool weights = channel.path == ClipPath::Weights;
    const Index perKey = channel.interpolation == Interpolation::CubicSpline ? 3 : 1;
    const auto keys = static_cast<Index>(channel.times.size());
    SINEW_CHECK(weights || (channel.joint >= 0 && channel.joint < character.skeleton.size()), "",
                fmt::format("clip '{}' moves joint {} of {}", clip.name, channel.joint, character.skeleton.size()));
    SINEW_CHECK(!weights || (channel.firstMorph >= 0 && static_cast<std::size_t>(channel.firstMorph) +
                                                                static_cast<std::size_t>(channel.values.rows()) <=
                                                            character.morphs.size()),
                "", fmt::format("clip '{}' drives morph targets that the character does not have", clip.name));
    SINEW_CHECK(channel.values.cols() == perKey * keys && (weights || channel.values.rows() == rowsOf(channel.path)),
                "",
                fmt::format("clip '{}' has {} x {} values for {} keys", clip.name, channel.values.rows(),
                            channel.values.cols(), keys));
    const bool rising =
        std::adjacent_find(channel.times.begin(), channel.times.end(), std::greater_equal<>()) == channel.times.end();
    SINEW_CHECK(rising && (keys == 0 || (channel.times.front() >= 0 && std::isfinite(channel.times.back()))), "",
                fmt::format("clip '{}' has times that are negative or do not rise", clip.name));
    SINEW_CHECK(channel.values.allFinite(), "",
                fmt::format("clip '{}' has a value that is not a finite number", clip.name));
  }
}

void checkForWriting(const Character& character) {
  checkCharacter(character, "");
  for (const Clip& clip : character.clips) checkClip(character, clip);
  for (const MorphTarget& morph : character.morphs) {
    SINEW_CHECK(morph.normalDeltas.cols() == 0 || morph.normalDeltas.cols() == morph.deltas.cols(), "",
                fmt::format("morph target '{}' has {} normals for {} vertices", morph.name, morph.normalDeltas.cols(),
                            morph.deltas.cols()));
  }
}

void checkReduced(const ReducedModel& model, const Character& character) {
  checkReducedModel(model, "");
  SINEW_CHECK(
      model.rest.cols() == character.mesh.vertexCount(), "",
      fmt::format("the reduced model has {} vertices, the mesh {}", model.rest.cols(), character.mesh.vertexCount()));
}

}  // namespace

GltfFiles gltfToMemory(const std::filesystem::path& path, const CharacterFile& file, const WriteOptions& options) {
  try {
    checkForWriting(file.character);
    checkHelpers(file.character.skeleton, file.character.helpers, "");
    if (file.poseSpace) checkPoseSpaceModel(*file.poseSpace, file.character, "");
    if (file.reduced) checkReduced(*file.reduced, file.character);
    LostList lost;
    std::optional<GltfDocument> document;
    if (const auto* source = dynamic_cast<const GltfDocument*>(file.source.get())) {
      document = gltf::patchDocument(*source, file, options, lost);
    }
    if (!document) document = gltf::buildDocument(file, options, lost);
    GltfFiles packed = gltf::packDocument(std::move(*document), path);
    packed.lost.insert(packed.lost.begin(), lost.begin(), lost.end());
    return packed;
  } catch (const Error& error) {
    throw Error(error.code(), error.what(), path.string());
  }
}

void writeGltfFiles(const GltfFiles& packed, OutputFiles* into) {
  OutputFiles own;
  OutputFiles& outputs = into == nullptr ? own : *into;
  for (std::size_t i = 0; i < packed.files.size(); ++i) {
    const auto& [target, content] = packed.files[i];
    outputs.add(target, content, i == 0 ? OutputFiles::Rank::Main : OutputFiles::Rank::Data);
  }
  for (const std::filesystem::path& path : packed.outdated) outputs.removeAfterwards(path);
  if (into == nullptr) own.commit();
}

LostList writeGltf(const std::filesystem::path& path, const CharacterFile& file, const WriteOptions& options) {
  checkFolderWritable(path);
  const GltfFiles packed = gltfToMemory(path, file, options);
  writeGltfFiles(packed, options.into);
  return packed.lost;
}

}  // namespace sinew
