// Primitives of a fresh glTF mesh: triangles, and a vertex for each pair of point and texture coordinate.
#pragma once

#include <cstdint>
#include <vector>

#include "sinew/character/mesh.h"

namespace sinew::gltf {

struct FreshPrimitive {
  MeshPart part;                        ///< its vertices are the first of `vertices`, in their own order
  std::vector<std::uint32_t> vertices;  ///< the mesh's vertex of each file vertex
  std::vector<std::uint32_t> uvs;       ///< its column of mesh.uvs; empty: the mesh has none
  std::vector<std::uint32_t> indices;   ///< three per triangle, into `vertices`
};

struct SplitMesh {
  std::vector<FreshPrimitive> primitives;  ///< of the parts that have vertices
  std::size_t polygons = 0;                ///< faces with more than 3 corners
  std::size_t dropped = 0;                 ///< faces with fewer than 3
};

/// File vertices of a part are its own vertices in order, each with its first texture coordinate, then the copies that
/// seams need.
SplitMesh splitMesh(const Mesh& mesh);

}  // namespace sinew::gltf
