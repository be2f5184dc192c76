// Operators before the skin, in world space like those after it.
#pragma once

#include "sinew/character/character.h"
#include "sinew/deform/deformer.h"

namespace sinew {

/// Applies an operator in world space of the rest pose to points before the skin: p -> M^-1 D(M p), M the blended
/// matrix of the vertex in the rest pose. The operator itself if the character was bound in world space. Throws on a
/// vertex whose matrix cannot be inverted.
DeformerPtr beforeSkin(DeformerPtr inner, const Character& character);

}  // namespace sinew
