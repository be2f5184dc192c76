// The surface for binding: seams welded, pieces separated.
#pragma once

#include <cstdint>
#include <vector>

#include "sinew/character/mesh.h"
#include "sinew/math/bvh.h"
#include "sinew/math/laplacian.h"

namespace sinew::bind {

/// One connected piece.
struct Piece {
  std::vector<std::uint32_t> points;
  TriangleBvh triangles{Points(3, 0), {}};
  bool loose = true;   ///< has no area
  bool sheet = false;  ///< encloses no volume, so that it has no inner side
};

struct Surface {
  std::vector<std::uint32_t> pointOfVertex;
  Points points;
  std::vector<Triangle> triangles;
  Points normals;  ///< outward if the piece is not a sheet; zero for loose points
  double diagonal = 0;
  SurfaceLaplacian laplacian;
  std::vector<Piece> pieces;
  std::vector<std::uint32_t> pieceOf;  ///< per point

  [[nodiscard]] Index pointCount() const { return points.cols(); }
};

/// Welds coincident vertices only where the mesh has open edges: seams have them, while closed parts that merely touch
/// do not, and stay separate.
Surface makeSurface(const Mesh& mesh, double weldTolerance);

}  // namespace sinew::bind
