// A character whose rest shape is what its rest pose shows.
#pragma once

#include <span>

#include "sinew/character/character.h"
#include "sinew/deform/mesh_instance.h"

namespace sinew {

/// Points, normals and morph targets moved to where the rest pose puts them in world space, each place of a mesh as a
/// mesh of its own. The skin is taken off (its bind matrices no longer fit); skeleton and clips stay.
Character restInWorld(const Character& character, std::span<const MeshInstance> instances = {});

/// Rest points that stand in the rest pose of `after` where `points` stand in that of `before`, a character of the same
/// vertices with other weights: where the rest pose is not the one that a skin was bound in, weights move it. The same
/// points where nothing moves.
Points sameRestInWorld(const Character& before, const Character& after, const Points& points);

}  // namespace sinew
