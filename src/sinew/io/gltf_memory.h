// glTF without files: for tests, fuzzing and programs that get their bytes elsewhere.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "sinew/io/formats.h"

namespace sinew {

/// Reads a whole .glb or .gltf given as bytes; `folder` contains its .bin files and images.
CharacterFile readGltfFromMemory(const std::string& bytes, const std::filesystem::path& folder, const std::string& name,
                                 const ReadOptions& options = {});

class OutputFiles;

/// Files that belong together, the .glb or .gltf first.
struct GltfFiles {
  std::vector<std::pair<std::filesystem::path, std::string>> files;
  std::vector<std::filesystem::path> outdated;  ///< .bin files of the .gltf that is replaced, which nothing else uses
  LostList lost;
};

/// What writeGltf would write to `path`, by its extension (.glb, else .gltf).
GltfFiles gltfToMemory(const std::filesystem::path& path, const CharacterFile& file, const WriteOptions& options = {});

/// Writes them: at every moment the .gltf of before or the new one is there with all its buffers. Into `into`, or at
/// once where that is null. Throws Unwritable.
void writeGltfFiles(const GltfFiles& packed, OutputFiles* into = nullptr);

}  // namespace sinew
