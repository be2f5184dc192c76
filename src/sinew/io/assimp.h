// Formats that are only read, through Assimp: FBX, Collada, DirectX, Biovision and others.
#pragma once

#include <filesystem>

#include "sinew/io/formats.h"

namespace sinew {

/// Every node becomes a joint; each mesh becomes a part in its own space, bound by the file's offset matrices or to the
/// node that places it. Weights are scaled to sum 1, lengths stay in the file's units, polygons and the order of
/// vertices are kept. If the importer gives every corner a vertex of its own, corners with the same position, weights
/// and morph targets become one vertex again, in the order of their first corner.
CharacterFile readAssimp(const std::filesystem::path& path, const ReadOptions& options = {});

}  // namespace sinew
