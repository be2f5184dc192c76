// A character whose rest shape equals its rest pose in world space.
#pragma once

#include <span>

#include "sinew/character/character.h"
#include "sinew/deform/mesh_instance.h"

namespace sinew {

/// Points, normals and morph targets transformed to the rest pose in world space, with each instance of a mesh as its
/// own mesh. The skin is removed (its bind matrices no longer match); skeleton and clips are kept.
Character restInWorld(const Character& character, std::span<const MeshInstance> instances = {});

/// Rest points that the rest pose of `after` moves to the same positions as that of `before` moves `points`. The two
/// characters have the same vertices and different weights: if the rest pose is not the bind pose, weights move it. The
/// same points if nothing moves.
Points sameRestInWorld(const Character& before, const Character& after, const Points& points);

}  // namespace sinew
