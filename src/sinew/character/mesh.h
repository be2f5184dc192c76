// A polygon mesh: points by column, faces of any size, and the parts of a file that it was made of.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sinew/base/types.h"

namespace sinew {

/// Polygons as one list of corners: face f has corners [start[f], start[f + 1]).
struct Faces {
  /// A constructor, not an initialiser of the member: where that one throws inside a brace-initialised aggregate, g++
  /// 12 destroys the vector twice.
  Faces() : start(1, 0) {}

  std::vector<std::uint32_t> start;
  std::vector<std::uint32_t> corner;  ///< vertex of each corner

  [[nodiscard]] std::size_t size() const { return start.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t face) const {
    return {corner.data() + start[face], corner.data() + start[face + 1]};
  }
  void add(std::span<const std::uint32_t> vertices) {
    corner.insert(corner.end(), vertices.begin(), vertices.end());
    start.push_back(static_cast<std::uint32_t>(corner.size()));
  }
};

/// A stretch of vertices and faces that belongs together: a glTF primitive, an OBJ object.
/// Vertices are numbered from 0 in file order over all parts.
struct MeshPart {
  std::string name;
  Index firstVertex = 0;
  Index vertexCount = 0;
  std::size_t firstFace = 0;
  std::size_t faceCount = 0;
  int mesh = 0;          ///< parts of one glTF mesh share this number
  int node = -1;         ///< the skeleton joint of its first instance, or -1
  int instances = 1;     ///< number of instances in the file
  bool skinned = false;  ///< moved by the file's own skin weights; else it follows `node` rigidly
};

/// `uvs` is a table: corner c has column cornerUv[c], or the column of its vertex where cornerUv is empty.
struct Mesh {
  Points points;  ///< 3 x V
  Faces faces;
  Points normals;                       ///< 3 x V, or 3 x 0 if there are none
  Eigen::Matrix2Xd uvs{2, 0};           ///< 2 x U; origin at the top left, as glTF has it
  std::vector<std::uint32_t> cornerUv;  ///< a column of uvs per corner; empty: the corner's vertex
  std::vector<MeshPart> parts;          ///< in order, covering all vertices; empty means one unnamed part

  [[nodiscard]] Index vertexCount() const { return points.cols(); }
};

/// Triangles of all faces: fans for triangles and convex polygons, ear clipping for concave ones. Order follows the
/// faces.
std::vector<Triangle> triangulate(const Mesh& mesh);

/// Unit normals weighted by the corner's angle; zero for vertices without faces. `normals` is resized.
void computeNormals(const ConstPointsRef& points, std::span<const Triangle> triangles, Points& normals);

struct BoundingBox {
  Vec3 low = Vec3::Zero();
  Vec3 high = Vec3::Zero();
  [[nodiscard]] double diagonal() const { return (high - low).norm(); }
  [[nodiscard]] Vec3 centre() const { return 0.5 * (low + high); }
};

/// A box of zero size at the origin for no points.
BoundingBox boundingBox(const ConstPointsRef& points);

/// Checks sizes and indices of a mesh: throws an Error that names the first that is wrong.
void checkMesh(const Mesh& mesh, const char* where);

}  // namespace sinew
