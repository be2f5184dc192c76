// glTF 2.0: .glb, and .gltf with .bin files or data URIs.
#pragma once

#include <filesystem>

#include "sinew/io/formats.h"

namespace sinew {

/// Every accessor, index, joint and count is checked before use; errors name the position inside the file and the
/// remedy.
CharacterFile readGltf(const std::filesystem::path& path, const ReadOptions& options = {});

/// With a glTF source, only what the character changed is written again; all else comes back as it was. Without one, a
/// fresh document: the mesh is split where a vertex has several texture coordinates.
LostList writeGltf(const std::filesystem::path& path, const CharacterFile& file, const WriteOptions& options = {});

}  // namespace sinew
