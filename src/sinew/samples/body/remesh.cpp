// Marching tetrahedra leave short edges where the surface passes close to a node. Collapsing those (vertex clustering
// as in Treece, Prager and Gee 1999, here by legal edge collapses only), then alternating Delaunay flips with
// tangential smoothing and projection (Botsch and Kobbelt 2004) gives triangles close to equilateral.
#include "sinew/samples/body/remesh.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sinew/base/parallel.h"

namespace sinew::body {
namespace {

constexpr double kLeastRoundness = 0.06;  ///< twice the area over the longest edge squared
constexpr double kLeastFacing = 0.15;     ///< cosine between a face and its corners' normals

// Twice the area over the longest edge squared, or -1 for a face that looks away from `outward`.
double roundness(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& outward) {
  const Vec3 area = (b - a).cross(c - a);
  const double longest = std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
  const double size = area.norm();
  return area.dot(outward) > kLeastFacing * size * outward.norm() ? size / longest : -1;
}

// The worst face around v, except those that touch `without`, if v were at `place`.
double worstAround(const HalfEdges& mesh, const std::vector<Vec3>& normals, HalfEdges::Id v, HalfEdges::Id without,
                   const Vec3& place) {
  double worst = 1;
  mesh.around(v, [&](HalfEdges::Id h) {
    const HalfEdges::Id b = mesh.to(h);
    const HalfEdges::Id c = mesh.apex(h);
    if (b == without || c == without) return;
    worst = std::min(worst, roundness(place, mesh.points[b], mesh.points[c], normals[v] + normals[b] + normals[c]));
  });
  return worst;
}

// Whether v may move to `place`: all faces around it are well formed afterwards, or at least no worse than before.
bool mayMove(const HalfEdges& mesh, const std::vector<Vec3>& normals, HalfEdges::Id v, HalfEdges::Id without,
             const Vec3& place) {
  const double after = worstAround(mesh, normals, v, without, place);
  return after > kLeastRoundness || after > worstAround(mesh, normals, v, HalfEdges::kNone, mesh.points[v]);
}

double cotangent(const Vec3& apex, const Vec3& a, const Vec3& b) {
  const Vec3 u = a - apex;
  const Vec3 v = b - apex;
  return u.dot(v) / std::max(1e-300, u.cross(v).norm());
}

void flipToDelaunay(HalfEdges& mesh, const std::vector<Vec3>& normals) {
  for (HalfEdges::Id h = 0; h < mesh.halfEdgeCount(); ++h) {
    if (!mesh.faceAlive(h / 3) || mesh.twin(h) < h) continue;
    const HalfEdges::Id u = mesh.from(h);
    const HalfEdges::Id v = mesh.to(h);
    const HalfEdges::Id a = mesh.apex(h);
    const HalfEdges::Id b = mesh.apex(mesh.twin(h));
    const auto& p = mesh.points;
    if (cotangent(p[a], p[u], p[v]) + cotangent(p[b], p[u], p[v]) > -1e-3) continue;
    const Vec3 outward = normals[a] + normals[b];
    if (sameSide(normals[a], normals[b]) && wellFormed(p[b], p[a], p[u], outward + normals[u]) &&
        wellFormed(p[a], p[b], p[v], outward + normals[v]) && mesh.canFlip(h)) {
      mesh.flip(h);
    }
  }
}

void smoothAlongSurface(HalfEdges& mesh, const ImplicitSurface& surface, std::vector<Vec3>& normals) {
  std::vector<Vec3> moved = mesh.points;
  parallelFor(static_cast<Index>(mesh.points.size()), 1024, [&](Index i) {
    const auto v = static_cast<HalfEdges::Id>(i);
    if (!mesh.vertexAlive(v)) return;
    Vec3 sum = Vec3::Zero();
    int count = 0;
    double shortest = 1e300;
    mesh.around(v, [&](HalfEdges::Id h) {
      sum += mesh.points[mesh.to(h)];
      shortest = std::min(shortest, (mesh.points[mesh.to(h)] - mesh.points[v]).norm());
      ++count;
    });
    Vec3 step = 0.6 * (sum / count - mesh.points[v]);
    step -= step.dot(normals[v]) * normals[v];
    const Vec3 place = surface.projected(mesh.points[v] + step, 3, std::max(shortest, 0.5 * step.norm()));
    // A step that would flip or flatten a face is rejected.
    if (mayMove(mesh, normals, v, HalfEdges::kNone, place)) moved[v] = place;
  });
  mesh.points = std::move(moved);
  normals = surfaceNormals(mesh, surface);
}

}  // namespace

bool wellFormed(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& outward) {
  return roundness(a, b, c, outward) > kLeastRoundness;
}

bool sameSide(const Vec3& normalA, const Vec3& normalB) {
  return normalA.dot(normalB) > -0.3;
}

std::vector<Vec3> surfaceNormals(const HalfEdges& mesh, const ImplicitSurface& surface) {
  std::vector<Vec3> normals(mesh.points.size(), Vec3::UnitY());
  parallelFor(static_cast<Index>(mesh.points.size()), 1024, [&](Index v) {
    if (mesh.vertexAlive(static_cast<HalfEdges::Id>(v))) normals[v] = surface.normal(mesh.points[v]);
  });
  return normals;
}

void collapseShortEdges(HalfEdges& mesh, const ImplicitSurface& surface, double length, const LatticeMap& map) {
  const std::vector<Vec3> normals = surfaceNormals(mesh, surface);
  for (HalfEdges::Id h = 0; h < mesh.halfEdgeCount(); ++h) {
    if (!mesh.faceAlive(h / 3)) continue;
    const HalfEdges::Id u = mesh.from(h);
    const HalfEdges::Id v = mesh.to(h);
    const double edge = (mesh.points[u] - mesh.points[v]).norm();
    if (edge > length) continue;
    const Vec3 middle = 0.5 * (mesh.points[u] + mesh.points[v]);
    if (edge > length * map.scaleAt(middle) || !mesh.canCollapse(h)) continue;
    if (!mayMove(mesh, normals, u, v, middle) || !mayMove(mesh, normals, v, u, middle)) continue;
    mesh.points[u] = middle;
    mesh.collapse(h);
  }
}

void collapseNeedles(HalfEdges& mesh, const ImplicitSurface& surface) {
  const std::vector<Vec3> normals = surfaceNormals(mesh, surface);
  const auto lengthOf = [&](HalfEdges::Id h) { return (mesh.points[mesh.to(h)] - mesh.points[mesh.from(h)]).norm(); };
  for (HalfEdges::Id h = 0; h < mesh.halfEdgeCount(); h += 3) {
    if (!mesh.faceAlive(h / 3)) continue;
    const HalfEdges::Id a = mesh.from(h);
    const HalfEdges::Id b = mesh.to(h);
    const HalfEdges::Id c = mesh.apex(h);
    if (wellFormed(mesh.points[a], mesh.points[b], mesh.points[c], normals[a] + normals[b] + normals[c])) continue;
    std::array<HalfEdges::Id, 3> sides{h, h + 1, h + 2};
    std::sort(sides.begin(), sides.end(), [&](HalfEdges::Id x, HalfEdges::Id y) { return lengthOf(x) < lengthOf(y); });
    for (const HalfEdges::Id side : sides) {
      const HalfEdges::Id u = mesh.from(side);
      const HalfEdges::Id v = mesh.to(side);
      const Vec3 middle = 0.5 * (mesh.points[u] + mesh.points[v]);
      if (!mesh.canCollapse(side) || !mayMove(mesh, normals, u, v, middle) || !mayMove(mesh, normals, v, u, middle)) {
        continue;
      }
      mesh.points[u] = middle;
      mesh.collapse(side);
      break;
    }
  }
}

void relax(HalfEdges& mesh, const ImplicitSurface& surface, int rounds) {
  std::vector<Vec3> normals = surfaceNormals(mesh, surface);
  for (int round = 0; round < rounds; ++round) {
    flipToDelaunay(mesh, normals);
    smoothAlongSurface(mesh, surface, normals);
  }
  flipToDelaunay(mesh, normals);
}

namespace {

HalfEdges meshWithCell(const ImplicitSurface& surface, const LatticeMap& map, double cell, int rounds) {
  HalfEdges mesh(polygonise(surface, cell, map));
  for (const double length : {0.25, 0.5, 0.62}) collapseShortEdges(mesh, surface, length * cell, map);
  relax(mesh, surface, rounds);
  collapseNeedles(mesh, surface);
  return mesh;
}

}  // namespace

TriangleSoup meshSurface(const ImplicitSurface& surface, const LatticeMap& map, Index vertices, Index fine,
                         const Progress& progress) {
  // The count grows with the inverse square of the cell: a coarse mesh gives the factor.
  report(progress, {0.0, "measuring the surface"});
  double cell = (surface.high() - surface.low()).maxCoeff() / 120;
  const bool simplified = vertices < 2 * fine;
  const auto wanted = static_cast<double>(simplified ? std::max(2 * vertices, fine) : vertices);
  const auto scaled = [&](const HalfEdges& mesh) {
    return cell * std::sqrt(static_cast<double>(mesh.aliveVertices()) / wanted);
  };
  cell = scaled(meshWithCell(surface, map, cell, 0));
  report(progress, {0.1, "polygonising"});
  const int rounds = simplified ? 1 : 4;
  HalfEdges mesh = meshWithCell(surface, map, cell, rounds);
  const double off = static_cast<double>(mesh.aliveVertices()) / wanted - 1;
  if (!simplified && std::abs(off) > 0.08) {
    cell = scaled(mesh);
    mesh = meshWithCell(surface, map, cell, rounds);
  }
  if (simplified) {
    report(progress, {0.5, "simplifying"});
    for (int round = 0; round < 4 && mesh.aliveVertices() > toSize(vertices); ++round) {
      simplify(mesh, surface, toSize(vertices));
      mesh = HalfEdges(mesh.compact());
      relax(mesh, surface, 3);
    }
  }
  return mesh.compact();
}

}  // namespace sinew::body
