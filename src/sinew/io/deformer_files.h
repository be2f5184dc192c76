// Lattices and wires in hand-written files (docs/formats.md).
#pragma once

#include <filesystem>
#include <string_view>

#include "sinew/character/character.h"
#include "sinew/deform/deformer.h"
#include "sinew/deform/placement.h"

namespace sinew {

/// Reads the settings of an operator that deformers() lists with source Options. The file refers to joints by name.
/// `space` selects whether it is applied before or after the skin. Errors name the file, the key and the remedy.
DeformerPtr readDeformer(std::string_view kind, const std::filesystem::path& path, const Character& character,
                         PointSpace space);

}  // namespace sinew
