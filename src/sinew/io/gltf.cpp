// Reading: container, then the character, then the blocks. Writing: a patched copy of the source, or a fresh document,
// read back before anything is written.
#include "sinew/io/gltf.h"

#include <fmt/format.h>

#include "sinew/base/check.h"
#include "sinew/character/check_clips.h"
#include "sinew/io/files.h"
#include "sinew/io/gltf/blocks/block.h"
#include "sinew/io/gltf/container/document.h"

namespace sinew::gltf {
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

/// What is written can be read: no file appears that Sinew itself would reject, or whose learned part it would pass
/// over.
void checkReadsBack(const GltfFiles& packed, const std::filesystem::path& path, const CharacterFile& file) {
  try {
    auto document = std::make_shared<GltfDocument>(
        openDocument(packed.files.front().second, path.parent_path(), {}, &packed.files));
    if (const auto* source = dynamic_cast<const GltfDocument*>(file.source.get()))
      document->tolerant = source->tolerant;
    const CharacterFile again = characterOf(std::move(document), {});
    const auto rows = blocks();
    const bool whole = std::all_of(rows.begin(), rows.end(),
                                   [&](const BlockRow& row) { return row.present(again) || !row.present(file); });
    SINEW_CHECK(whole, "", again.problems.empty() ? "the learned data is missing" : again.problems.back());
  } catch (const Error& error) {
    throw Error(
        ErrorCode::Internal,
        fmt::format("the result cannot be read back ({}), so it was not written; please report it", error.message()),
        path.string());
  }
}

}  // namespace
}  // namespace sinew::gltf

namespace sinew {

CharacterFile readGltfFromMemory(const std::string& bytes, const std::filesystem::path& folder, const std::string& name,
                                 const ReadOptions& options) {
  auto document = std::make_shared<gltf::GltfDocument>(gltf::openDocument(bytes, folder, options.rules.root));
  document->name = name;
  document->tolerant = options.tolerant;
  CharacterFile file = gltf::characterOf(std::move(document), options);
  file.format = bytes.rfind("glTF", 0) == 0 ? "glTF binary" : "glTF";
  return file;
}

bool isGltf(const std::filesystem::path& path) {
  return path.extension() == ".glb" || path.extension() == ".gltf";
}

CharacterFile readGltf(const std::filesystem::path& path, const ReadOptions& options) {
  const std::string bytes = readFile(path, options.progress);
  try {
    return readGltfFromMemory(bytes, path.parent_path(), path.stem().string(), options);
  } catch (const Error& error) {
    throw Error(error.code(), error.what(), path.string());
  }
}

GltfFiles gltfToMemory(const std::filesystem::path& path, const CharacterFile& file, const WriteOptions& options) {
  try {
    gltf::checkForWriting(file.character);
    for (const gltf::BlockRow& row : gltf::blocks()) row.validate(file);
    LostList lost;
    std::optional<gltf::GltfDocument> document;
    if (const auto* source = dynamic_cast<const gltf::GltfDocument*>(file.source.get())) {
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
  gltf::checkReadsBack(packed, path, file);
  writeGltfFiles(packed, options.into);
  return packed.lost;
}

}  // namespace sinew
