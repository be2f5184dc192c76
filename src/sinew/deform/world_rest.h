// Operators that stand before the skin see world space, as those after it do.
#pragma once

#include "sinew/character/character.h"
#include "sinew/deform/deformer.h"

namespace sinew {

/// What an operator in world space of the rest pose does to points before the skin: p -> M^-1 D(M p), M the vertex'
/// blended matrix in the rest pose. The operator itself where the character was bound in world space. Throws on a
/// vertex whose matrix cannot be inverted.
DeformerPtr beforeSkin(DeformerPtr inner, const Character& character);

}  // namespace sinew
