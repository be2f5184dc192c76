#include "sinew/learn/bind/surface.h"

#include <algorithm>
#include <cmath>

#include "sinew/math/point_grid.h"

namespace sinew::bind {
namespace {

/// Vertices at an edge of one triangle only, and loose ones: where a file may have split a surface.
std::vector<std::uint32_t> openVertices(Index vertexCount, std::span<const Triangle> triangles) {
  std::vector<std::uint64_t> edges;
  edges.reserve(3 * triangles.size());
  std::vector<bool> open(toSize(vertexCount), true);
  for (const Triangle& t : triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint64_t a = t[k];
      const std::uint64_t b = t[(k + 1) % 3];
      open[a] = false;
      if (a != b) edges.push_back(std::min(a, b) << 32 | std::max(a, b));
    }
  }
  std::sort(edges.begin(), edges.end());
  for (std::size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
    while (end < edges.size() && edges[end] == edges[begin]) ++end;
    if (end - begin > 1) continue;
    open[edges[begin] >> 32] = true;
    open[edges[begin] & 0xFFFFFFFFu] = true;
  }
  std::vector<std::uint32_t> found;
  for (std::uint32_t v = 0; v < open.size(); ++v) {
    if (open[v]) found.push_back(v);
  }
  return found;
}

/// Numbers the points: an open vertex shares the point of the first vertex of its cluster.
void weldSeams(const Mesh& mesh, std::span<const Triangle> triangles, double radius, Surface& surface) {
  const std::vector<std::uint32_t> open = openVertices(mesh.vertexCount(), triangles);
  Points places(3, static_cast<Index>(open.size()));
  for (std::size_t i = 0; i < open.size(); ++i) places.col(static_cast<Index>(i)) = mesh.points.col(open[i]);
  const std::vector<std::uint32_t> cluster = clusterPoints(places, radius);
  constexpr std::uint32_t kNone = ~0u;
  std::vector<std::uint32_t> pointOfCluster(open.size(), kNone);
  surface.pointOfVertex.assign(toSize(mesh.vertexCount()), kNone);
  std::vector<std::uint32_t> firstVertex;
  std::size_t next = 0;  // of the open vertices
  for (std::uint32_t v = 0; v < surface.pointOfVertex.size(); ++v) {
    std::uint32_t point = kNone;
    if (next < open.size() && open[next] == v) {
      std::uint32_t& shared = pointOfCluster[cluster[next++]];
      if (shared == kNone) shared = static_cast<std::uint32_t>(firstVertex.size());
      point = shared;
    } else {
      point = static_cast<std::uint32_t>(firstVertex.size());
    }
    if (point == firstVertex.size()) firstVertex.push_back(v);
    surface.pointOfVertex[v] = point;
  }
  surface.points.resize(3, static_cast<Index>(firstVertex.size()));
  for (std::size_t p = 0; p < firstVertex.size(); ++p) {
    surface.points.col(static_cast<Index>(p)) = mesh.points.col(firstVertex[p]);
  }
}

/// The outward direction: a piece whose triangles wind inward gets its normals flipped; one with almost no volume is a
/// sheet.
void orient(const Surface& surface, std::span<const Triangle> triangles, Piece& piece, Points& normals) {
  Vec3 centre = Vec3::Zero();
  for (const std::uint32_t p : piece.points) centre += surface.points.col(p);
  centre /= static_cast<double>(piece.points.size());
  double volume = 0;
  double area = 0;
  for (const Triangle& t : triangles) {
    const Vec3 a = surface.points.col(t[0]) - centre;
    const Vec3 b = surface.points.col(t[1]) - centre;
    const Vec3 c = surface.points.col(t[2]) - centre;
    volume += a.dot(b.cross(c)) / 6;
    area += 0.5 * (b - a).cross(c - a).norm();
  }
  // A ball has 0.094 and a limb ten times longer than wide 0.04 of its area to the power 3/2.
  piece.loose = area <= 1e-14 * surface.diagonal * surface.diagonal;
  piece.sheet = std::abs(volume) <= 1e-3 * std::pow(area, 1.5);
  if (volume >= 0) return;
  for (const std::uint32_t p : piece.points) normals.col(p) *= -1;
}

void splitIntoPieces(Surface& surface) {
  surface.pieceOf = connectedPieces(surface.pointCount(), surface.laplacian.edges);
  surface.pieces.resize(*std::max_element(surface.pieceOf.begin(), surface.pieceOf.end()) + 1);
  for (std::uint32_t p = 0; p < surface.pieceOf.size(); ++p) surface.pieces[surface.pieceOf[p]].points.push_back(p);
  std::vector<std::vector<Triangle>> triangles(surface.pieces.size());
  for (const Triangle& t : surface.triangles) triangles[surface.pieceOf[t[0]]].push_back(t);
  computeNormals(surface.points, surface.triangles, surface.normals);
  for (std::size_t k = 0; k < surface.pieces.size(); ++k) {
    surface.pieces[k].triangles = TriangleBvh(surface.points, triangles[k]);
    orient(surface, triangles[k], surface.pieces[k], surface.normals);
  }
}

}  // namespace

Surface makeSurface(const Mesh& mesh, double weldTolerance) {
  Surface surface;
  surface.diagonal = boundingBox(mesh.points).diagonal();
  const std::vector<Triangle> triangles = triangulate(mesh);
  weldSeams(mesh, triangles, weldTolerance * surface.diagonal, surface);
  for (const Triangle& t : triangles) {
    const Triangle welded = {surface.pointOfVertex[t[0]], surface.pointOfVertex[t[1]], surface.pointOfVertex[t[2]]};
    if (welded[0] != welded[1] && welded[1] != welded[2] && welded[2] != welded[0]) surface.triangles.push_back(welded);
  }
  surface.laplacian = surfaceLaplacian(surface.points, surface.triangles);
  splitIntoPieces(surface);
  return surface;
}

}  // namespace sinew::bind
