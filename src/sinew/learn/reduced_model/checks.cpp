#include "sinew/learn/reduced_model/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/character/correspondence.h"
#include "sinew/learn/reduced_model/rotations.h"
#include "sinew/math/rigid_fit.h"

namespace sinew::reduced_model {
namespace {

constexpr const char* kWhere = "reduced model";
constexpr Index kMirrorPairs = 4000;
constexpr std::size_t kFewMirrorPairs = 120;  // that settle what is clear

struct HalfEdge {
  std::uint32_t a, b, triangle;
};

/// Vertices that coincide at rest and in every example are one point of the graph.
std::vector<std::uint32_t> weldThroughout(const Points& rest, std::span<const Points> examples) {
  const WeldMap map = weld(rest);
  std::vector<std::uint32_t> pointOf = map.pointOfVertex;
  if (map.pointCount() == rest.cols()) return pointOf;
  const double reach = 1e-5 * boundingBox(rest).diagonal();
  auto fresh = static_cast<std::uint32_t>(map.pointCount());
  for (Index v = 0; v < rest.cols(); ++v) {
    const auto first = static_cast<Index>(map.firstVertex[pointOf[toSize(v)]]);
    const bool together = std::all_of(examples.begin(), examples.end(), [&](const Points& example) {
      return (example.col(v) - example.col(first)).norm() <= reach;
    });
    if (!together) pointOf[toSize(v)] = fresh++;
  }
  return pointOf;
}

/// How much the rotations of neighbouring triangles differ, over pairs.
double roughness(const ReducedSurface& surface, std::span<const std::pair<std::uint32_t, std::uint32_t>> pairs,
                 const Points& rest, const Points& example) {
  return parallelSum(static_cast<Index>(pairs.size()), 256, [&](Index begin, Index end) {
    double sum = 0;
    for (Index i = begin; i < end; ++i) {
      const auto& [a, b] = pairs[toSize(i)];
      sum += (triangleRotation(surface.triangles[a], rest, example) -
              triangleRotation(surface.triangles[b], rest, example))
                 .squaredNorm();
    }
    return sum;
  });
}

}  // namespace

void checkReducedExamples(const Mesh& topology, std::span<const Points> examples, std::span<const std::string> names,
                          const std::optional<Points>& rest) {
  SINEW_CHECK(!examples.empty(), kWhere, "there is no mesh to learn from; give the meshes or a folder of them");
  SINEW_CHECK(names.empty() || names.size() == examples.size(), kWhere,
              fmt::format("there are {} names for {} meshes", names.size(), examples.size()));
  const auto check = [&](const Points& points, const std::string& name) {
    SINEW_CHECK(points.cols() == topology.vertexCount(), kWhere,
                fmt::format("'{}' has {} vertices, the others have {}; all meshes must be poses of the same mesh", name,
                            points.cols(), topology.vertexCount()));
    const Index bad = firstNonFinite(points);
    SINEW_CHECK(bad < 0, kWhere,
                fmt::format("vertex {} of '{}' has a coordinate that is not a finite number; repair or remove the mesh",
                            bad, name));
  };
  for (std::size_t e = 0; e < examples.size(); ++e)
    check(examples[e], names.empty() ? fmt::format("example {}", e) : names[e]);
  if (rest) check(*rest, "the rest");
}

ReducedSurface reducedSurface(const Mesh& topology) {
  const std::vector<Triangle> all = triangulate(topology);
  ReducedSurface surface;
  surface.sourceCount = all.size();
  surface.used.assign(toSize(topology.vertexCount()), 0);
  for (std::size_t t = 0; t < all.size(); ++t) {
    const auto [a, b, c] = all[t];
    if (a == b || b == c || c == a) continue;
    surface.triangles.push_back(all[t]);
    surface.source.push_back(static_cast<std::uint32_t>(t));
    for (const std::uint32_t vertex : all[t]) surface.used[vertex] = 1;
  }
  SINEW_CHECK(!surface.triangles.empty(), kWhere, "the mesh has no face with three different vertices");
  surface.usedCount = std::count(surface.used.begin(), surface.used.end(), 1);
  return surface;
}

TriangleGraph triangleGraph(const ReducedSurface& surface, const Points& rest, std::span<const Points> examples) {
  const std::vector<std::uint32_t> pointOf = weldThroughout(rest, examples);
  std::vector<HalfEdge> edges;
  edges.reserve(3 * surface.triangles.size());
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = pointOf[surface.triangles[t][k]];
      const std::uint32_t b = pointOf[surface.triangles[t][(k + 1) % 3]];
      edges.push_back({std::min(a, b), std::max(a, b), static_cast<std::uint32_t>(t)});
    }
  }
  std::sort(edges.begin(), edges.end(), [](const HalfEdge& l, const HalfEdge& r) {
    return std::tie(l.a, l.b, l.triangle) < std::tie(r.a, r.b, r.triangle);
  });
  // Each triangle of an edge is joined to the next one only: an edge of many triangles stays cheap and connected.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::size_t i = 1; i < edges.size(); ++i) {
    const HalfEdge& one = edges[i - 1];
    const HalfEdge& two = edges[i];
    if (one.a == two.a && one.b == two.b && one.triangle != two.triangle)
      pairs.emplace_back(one.triangle, two.triangle);
  }
  TriangleGraph graph;
  graph.start.assign(surface.triangles.size() + 1, 0);
  for (const auto& [a, b] : pairs) {
    ++graph.start[a + 1];
    ++graph.start[b + 1];
  }
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) graph.start[t + 1] += graph.start[t];
  graph.neighbours.resize(2 * pairs.size());
  std::vector<std::uint32_t> next(graph.start.begin(), graph.start.end() - 1);
  for (const auto& [a, b] : pairs) {
    graph.neighbours[next[a]++] = b;
    graph.neighbours[next[b]++] = a;
  }
  return graph;
}

void checkNotMirrored(const ReducedSurface& surface, const TriangleGraph& graph, const Points& rest,
                      std::span<const Points> examples, std::span<const std::string> names) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  const std::size_t stride = std::max<std::size_t>(1, surface.triangles.size() / kMirrorPairs);
  for (std::size_t t = 0; t < surface.triangles.size(); t += stride) {
    if (graph[t].empty() || !hasRotation(surface.triangles[t], rest)) continue;
    const std::uint32_t other = graph[t].front();
    if (hasRotation(surface.triangles[other], rest)) pairs.emplace_back(static_cast<std::uint32_t>(t), other);
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> few;
  const std::size_t step = std::max<std::size_t>(1, pairs.size() / kFewMirrorPairs);
  for (std::size_t i = 0; i < pairs.size(); i += step) few.push_back(pairs[i]);
  for (std::size_t e = 0; e < examples.size(); ++e) {
    Points reflected = examples[e];
    reflected.row(0) *= -1;
    if (roughness(surface, few, rest, reflected) > 2 * roughness(surface, few, rest, examples[e])) continue;
    const double asGiven = roughness(surface, pairs, rest, examples[e]);
    // In a mirrored example each triangle flips about its own normal, so neighbours differ by twice the angle between
    // them. A flat sheet is its own mirror image: both are smooth there.
    const double asReflected = roughness(surface, pairs, rest, reflected);
    SINEW_CHECK(asReflected >= 0.5 * asGiven || asGiven < 1e-6 * static_cast<double>(pairs.size()), kWhere,
                fmt::format("'{}' is a mirror image of the rest; mirror it back, or remove it",
                            names.empty() ? fmt::format("example {}", e) : names[e]));
  }
}

std::pair<double, double> triangleSize(const Points& points, const Triangle& triangle) {
  const Vec3 e1 = points.col(triangle[1]) - points.col(triangle[0]);
  const Vec3 e2 = points.col(triangle[2]) - points.col(triangle[0]);
  return {e1.cross(e2).norm(), std::max({e1.squaredNorm(), e2.squaredNorm(), (e2 - e1).squaredNorm()})};
}

}  // namespace sinew::reduced_model
