// Normals of a mesh whose shape has changed.
#pragma once

#include "sinew/character/mesh.h"

namespace sinew {

/// The mesh's own normals, each rotated with the surface around it from mesh.points to `points`: hard edges stay hard,
/// seams stay closed. 3 x 0 if the mesh has none. Throws if the sizes differ.
Points turnedNormals(const Mesh& mesh, const ConstPointsRef& points);

}  // namespace sinew
