// A character whose rest shape is what its rest pose shows.
#pragma once

#include "sinew/character/character.h"

namespace sinew {

/// Points, normals and morph targets moved to where the rest pose puts them in world space. The skin is taken off (its
/// bind matrices no longer fit); skeleton and clips stay.
Character restInWorld(const Character& character);

}  // namespace sinew
