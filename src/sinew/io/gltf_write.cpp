#include <fmt/format.h>

#include "sinew/base/check.h"
#include "sinew/io/check_clips.h"
#include "sinew/io/files.h"
#include "sinew/io/gltf.h"
#include "sinew/io/gltf_document.h"

namespace sinew {
namespace {

void checkForWriting(const Character& character) {
  checkCharacter(character, "");
  checkClips(character);
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

/// What is written can be read: no file appears that Sinew itself would reject, or whose learned part it would pass
/// over.
void checkReadsBack(const GltfFiles& packed, const std::filesystem::path& path, const CharacterFile& file) {
  try {
    auto document = std::make_shared<GltfDocument>(
        gltf::openDocument(packed.files.front().second, path.parent_path(), {}, &packed.files));
    if (const auto* source = dynamic_cast<const GltfDocument*>(file.source.get()))
      document->tolerant = source->tolerant;
    const CharacterFile again = gltf::characterOf(std::move(document), {});
    const bool whole = (!file.poseSpace || again.poseSpace) && (!file.reduced || again.reduced) &&
                       again.character.helpers.size() == file.character.helpers.size();
    SINEW_CHECK(whole, "", again.problems.empty() ? "the learned data is missing" : again.problems.back());
  } catch (const Error& error) {
    throw Error(
        ErrorCode::Internal,
        fmt::format("the result cannot be read back ({}), so it was not written; please report it", error.message()),
        path.string());
  }
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
  report(options.progress, {0.5, "checking"});
  checkReadsBack(packed, path, file);
  writeGltfFiles(packed, options.into);
  return packed.lost;
}

}  // namespace sinew
