// Greedy edge collapse (Hoppe 1996, Garland and Heckbert 1997) that keeps triangles near equilateral: the cost of an
// edge is its length times the local need for vertices, (|curvature| + floor)^p. New vertices lie on the implicit
// surface, so errors do not add up, and the link condition keeps the topology.
#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>

#include "sinew/base/parallel.h"
#include "sinew/samples/body/remesh.h"

namespace sinew::body {
namespace {

constexpr double kDensityPower = 0.6;

// The rotation of the normal per length, averaged over neighbours.
std::vector<double> vertexDensity(const HalfEdges& mesh, const std::vector<Vec3>& normals, double floor) {
  std::vector<double> density(mesh.points.size(), 0);
  for (HalfEdges::Id v = 0; v < mesh.points.size(); ++v) {
    if (!mesh.vertexAlive(v)) continue;
    mesh.around(v, [&](HalfEdges::Id h) {
      const HalfEdges::Id u = mesh.to(h);
      density[v] = std::max(density[v], (normals[u] - normals[v]).norm() / (mesh.points[u] - mesh.points[v]).norm());
    });
  }
  for (int round = 0; round < 6; ++round) {
    std::vector<double> smooth = density;
    for (HalfEdges::Id v = 0; v < mesh.points.size(); ++v) {
      if (!mesh.vertexAlive(v)) continue;
      double sum = density[v];
      int count = 1;
      mesh.around(v, [&](HalfEdges::Id h) {
        sum += density[mesh.to(h)];
        ++count;
      });
      smooth[v] = sum / count;
    }
    density = std::move(smooth);
  }
  for (double& d : density) d = std::pow(std::min(d, 60 * floor) + floor, kDensityPower);
  return density;
}

class Simplifier {
 public:
  Simplifier(HalfEdges& mesh, const ImplicitSurface& surface)
      : mesh_(mesh),
        surface_(surface),
        normals_(surfaceNormals(mesh, surface)),
        density_(vertexDensity(mesh, normals_, 2.0 / (surface.high() - surface.low()).maxCoeff())),
        stamp_(mesh.points.size(), 0) {}

  void run(std::size_t vertices) {
    for (HalfEdges::Id h = 0; h < mesh_.halfEdgeCount(); ++h) {
      if (mesh_.faceAlive(h / 3) && h < mesh_.twin(h)) push(h);
    }
    while (mesh_.aliveVertices() > vertices && !queue_.empty()) {
      const Candidate best = queue_.top();
      queue_.pop();
      if (!mesh_.faceAlive(best.edge / 3)) continue;
      const HalfEdges::Id u = mesh_.from(best.edge);
      const HalfEdges::Id v = mesh_.to(best.edge);
      if (stamp_[u] != best.stampFrom || stamp_[v] != best.stampTo) continue;
      tryCollapse(best.edge, u, v);
    }
  }

 private:
  // Valid as long as both ends still have the stamps from when it was made.
  struct Candidate {
    float cost;
    HalfEdges::Id edge;
    std::uint32_t stampFrom, stampTo;
    bool operator<(const Candidate& other) const {
      return std::tie(other.cost, other.edge) < std::tie(cost, edge);  // the queue gives the largest first
    }
  };

  void push(HalfEdges::Id h) {
    const HalfEdges::Id u = mesh_.from(h);
    const HalfEdges::Id v = mesh_.to(h);
    const double length = (mesh_.points[u] - mesh_.points[v]).norm();
    queue_.push({static_cast<float>(length * (density_[u] + density_[v])), h, stamp_[u], stamp_[v]});
  }

  void tryCollapse(HalfEdges::Id h, HalfEdges::Id u, HalfEdges::Id v) {
    if (!mesh_.canCollapse(h)) return;
    const Vec3& a = mesh_.points[u];
    const Vec3& b = mesh_.points[v];
    const Vec3 place = surface_.projected(0.5 * (a + b), 4, 0.3 * (a - b).norm());
    const Vec3 normal = surface_.normal(place);
    if (!formed(u, v, place, normal) || !formed(v, u, place, normal)) return;
    mesh_.points[u] = place;
    normals_[u] = normal;
    density_[u] = std::max(density_[u], density_[v]) * 0.5 + 0.25 * (density_[u] + density_[v]);
    mesh_.collapse(h);
    stamp_[u] = ++collapses_;
    // Edges of u have new costs; those opposite to it may have become possible.
    mesh_.around(u, [&](HalfEdges::Id out) {
      push(out);
      push(HalfEdges::next(out));
    });
  }

  [[nodiscard]] bool formed(HalfEdges::Id v, HalfEdges::Id without, const Vec3& place, const Vec3& normal) const {
    bool good = true;
    mesh_.around(v, [&](HalfEdges::Id h) {
      const HalfEdges::Id b = mesh_.to(h);
      const HalfEdges::Id c = mesh_.apex(h);
      if (!good || b == without || c == without) return;
      good = sameSide(normal, normals_[b]) && sameSide(normal, normals_[c]) &&
             wellFormed(place, mesh_.points[b], mesh_.points[c], normal + normals_[b] + normals_[c]);
    });
    return good;
  }

  HalfEdges& mesh_;
  const ImplicitSurface& surface_;
  std::vector<Vec3> normals_;
  std::vector<double> density_;
  std::vector<std::uint32_t> stamp_;  ///< the last collapse that moved the vertex
  std::uint32_t collapses_ = 0;
  std::priority_queue<Candidate> queue_;
};

}  // namespace

void simplify(HalfEdges& mesh, const ImplicitSurface& surface, std::size_t vertices) {
  Simplifier(mesh, surface).run(vertices);
}

}  // namespace sinew::body
