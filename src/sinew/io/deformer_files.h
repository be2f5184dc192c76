// Lattices and wires as people write them by hand (docs/formats.md).
#pragma once

#include <filesystem>
#include <string_view>

#include "sinew/character/character.h"
#include "sinew/deform/deformer.h"
#include "sinew/deform/placement.h"

namespace sinew {

/// Reads the settings of an operator of a kind that deformers() lists with source Options. Joints go by name in the
/// file. `space` tells whether it stands before or after the skin. Errors name the file, the key and the remedy.
DeformerPtr readDeformer(std::string_view kind, const std::filesystem::path& path, const Character& character,
                         PointSpace space);

}  // namespace sinew
