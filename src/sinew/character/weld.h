// Welding of whole characters: two vertices at one place are one point only where they belong together.
#pragma once

#include "sinew/character/character.h"
#include "sinew/character/correspondence.h"

namespace sinew {

/// weld(), but never across what moves apart: vertices of one mesh at one place are one point, those of two meshes only
/// where one skin moves both by the same weights. `rest` are the character's vertices in one space; positions of
/// parts with spaces of their own never count against each other.
WeldMap weldCharacter(const Character& character, const ConstPointsRef& rest, double tolerance = 1e-6);

/// The same for a mesh alone: within each of its meshes (MeshPart::mesh).
WeldMap weldMeshes(const Mesh& mesh, const ConstPointsRef& points, double tolerance = 1e-6);

}  // namespace sinew
