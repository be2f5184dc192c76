// Welding of whole characters: coincident vertices are one point only if they belong together.
#pragma once

#include "sinew/character/character.h"
#include "sinew/character/correspondence.h"

namespace sinew {

/// weld(), but never across parts that can separate: coincident vertices of one mesh are one point, those of two meshes
/// only if one skin moves both with the same weights. `rest` are the character's vertices in one space; parts in
/// different spaces are never welded.
WeldMap weldCharacter(const Character& character, const ConstPointsRef& rest, double tolerance = 1e-6);

/// The same for a mesh alone: within each of its meshes (MeshPart::mesh).
WeldMap weldMeshes(const Mesh& mesh, const ConstPointsRef& points, double tolerance = 1e-6);

}  // namespace sinew
