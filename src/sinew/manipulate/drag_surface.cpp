// Distances over a triangle surface from one point, up to a radius: Dijkstra's order, with the update of fast marching
// (Kimmel and Sethian 1998) in the form of Novotni and Klein (2002): two known corners of a triangle with distances a
// and b are unfolded with a source at these distances, and the third corner is as far from it as the straight line
// through the triangle. Exact where the surface unfolds flat; edges alone would be up to 40 % too long.
#include "sinew/manipulate/drag_surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/base/check.h"
#include "sinew/character/weld.h"
#include "sinew/deform/posing.h"

namespace sinew {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The rest positions of the vertices in world space: parts that follow nodes have their own rest spaces.
Points restInScene(const Character& character) {
  return posePoints(character, restPose(character));
}

/// Distance of corner c from a source that is `a` from corner A and `b` from corner B; infinite if the straight line
/// misses the edge AB.
double throughTriangle(const Vec3& cornerA, const Vec3& cornerB, const Vec3& cornerC, double a, double b) {
  const Vec3 base = cornerB - cornerA;
  const double length = base.norm();
  if (!(length > 0)) return kInfinity;
  const Vec3 side = cornerC - cornerA;
  const double x = side.dot(base) / length;
  const double y = std::sqrt(std::max(0.0, side.squaredNorm() - x * x));
  const double sourceX = (length * length + a * a - b * b) / (2 * length);
  const double sourceY2 = a * a - sourceX * sourceX;
  if (sourceY2 < 0 || !(y > 0)) return kInfinity;
  const double sourceY = std::sqrt(sourceY2);
  const double crossing = sourceX + (x - sourceX) * sourceY / (y + sourceY);
  if (crossing < 0 || crossing > length) return kInfinity;
  return std::hypot(x - sourceX, y + sourceY);
}

/// Later ones are farther; of equal ones the higher number.
bool later(const DragSurface::Near& a, const DragSurface::Near& b) {
  return a.distance != b.distance ? a.distance > b.distance : a.point > b.point;
}

}  // namespace

double falloffShare(Falloff falloff, double x) {
  switch (falloff) {
    case Falloff::Smooth:
      return (1 - x * x) * (1 - x * x);
    case Falloff::Linear:
      return 1 - x;
    case Falloff::Sharp:
      return (1 - x) * (1 - x);
    case Falloff::Round:
      return std::sqrt(1 - x * x);
  }
  return 0;
}

DragSurface::DragSurface(const Character& character) : weld_(weldCharacter(character, restInScene(character))) {
  const auto points = toSize(weld_.pointCount());
  vertexStart_.assign(points + 1, 0);
  for (const std::uint32_t point : weld_.pointOfVertex) ++vertexStart_[point + 1];
  for (std::size_t p = 0; p < points; ++p) vertexStart_[p + 1] += vertexStart_[p];
  vertices_.resize(weld_.pointOfVertex.size());
  std::vector<std::uint32_t> next(vertexStart_.begin(), vertexStart_.end() - 1);
  for (std::uint32_t v = 0; v < vertices_.size(); ++v) vertices_[next[weld_.pointOfVertex[v]]++] = v;

  triangles_ = triangulate(character.mesh);
  for (Triangle& triangle : triangles_) {
    for (std::uint32_t& corner : triangle) corner = weld_.pointOfVertex[corner];
  }
  std::erase_if(triangles_, [](const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; });
  triangleStart_.assign(points + 1, 0);
  for (const Triangle& triangle : triangles_) {
    for (const std::uint32_t corner : triangle) ++triangleStart_[corner + 1];
  }
  for (std::size_t p = 0; p < points; ++p) triangleStart_[p + 1] += triangleStart_[p];
  around_.resize(3 * triangles_.size());
  next.assign(triangleStart_.begin(), triangleStart_.end() - 1);
  for (std::uint32_t t = 0; t < triangles_.size(); ++t) {
    for (const std::uint32_t corner : triangles_[t]) around_[next[corner]++] = t;
  }
}

std::span<const std::uint32_t> DragSurface::verticesOf(std::uint32_t point) const {
  return {vertices_.data() + vertexStart_[point], vertices_.data() + vertexStart_[point + 1]};
}

void DragSurface::offer(std::uint32_t point, double distance, Search& search) const {
  if (!(distance < search.distance[point])) return;
  search.distance[point] = distance;
  search.heap.push_back({point, distance});
  std::push_heap(search.heap.begin(), search.heap.end(), later);
}

/// Offers a path over the triangles around a finished point to their corners.
void DragSurface::spread(const ConstPointsRef& posed, std::uint32_t from, Search& search) const {
  const Vec3 here = place(posed, from);
  const double way = search.distance[from];
  for (std::uint32_t k = triangleStart_[from]; k < triangleStart_[from + 1]; ++k) {
    const Triangle& triangle = triangles_[around_[k]];
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint32_t to = triangle[c];
      if (to == from || search.known[to] != 0) continue;
      const Vec3 there = place(posed, to);
      double distance = way + (there - here).norm();
      const std::uint32_t other = triangle[0] + triangle[1] + triangle[2] - from - to;
      if (search.known[other] != 0) {
        distance = std::min(distance, throughTriangle(here, place(posed, other), there, way, search.distance[other]));
      }
      offer(to, distance, search);
    }
  }
}

void DragSurface::within(const ConstPointsRef& posed, std::uint32_t source, double radius, Search& search,
                         std::vector<Near>& found) const {
  within(posed, {&source, 1}, radius, search, found);
}

void DragSurface::within(const ConstPointsRef& posed, std::span<const std::uint32_t> sources, double radius,
                         Search& search, std::vector<Near>& found) const {
  fit(search);
  found.clear();
  search.heap.clear();
  for (const std::uint32_t source : sources) offer(source, 0, search);
  // Every point with a tentative distance is in the heap at least once, so clearing needs no second list.
  while (!search.heap.empty()) {
    const Near nearest = search.heap.front();
    std::pop_heap(search.heap.begin(), search.heap.end(), later);
    search.heap.pop_back();
    if (search.known[nearest.point] != 0) continue;
    if (nearest.distance >= radius && nearest.distance > 0) {
      search.distance[nearest.point] = kInfinity;
      continue;
    }
    search.known[nearest.point] = 1;
    found.push_back(nearest);
    spread(posed, nearest.point, search);
  }
  for (const Near& near : found) {
    search.distance[near.point] = kInfinity;
    search.known[near.point] = 0;
  }
}

void DragSurface::fit(Search& search) const {
  const auto points = toSize(weld_.pointCount());
  if (search.distance.size() == points) return;
  search.distance.assign(points, kInfinity);
  search.known.assign(points, 0);
}

void DragSurface::rings(std::uint32_t source, int count, Search& search, std::vector<Near>& found) const {
  fit(search);
  found.assign(1, {source, 0});
  search.known[source] = 1;
  for (std::size_t next = 0; next < found.size() && found[next].distance < count; ++next) {
    const Near from = found[next];
    for (std::uint32_t k = triangleStart_[from.point]; k < triangleStart_[from.point + 1]; ++k) {
      for (const std::uint32_t to : triangles_[around_[k]]) {
        if (search.known[to] != 0) continue;
        search.known[to] = 1;
        found.push_back({to, from.distance + 1});
      }
    }
  }
  for (const Near& near : found) search.known[near.point] = 0;
}

void DragSurface::withinBall(const ConstPointsRef& posed, std::uint32_t source, double radius,
                             std::vector<Near>& found) const {
  found.clear();
  const Vec3 middle = place(posed, source);
  for (std::uint32_t p = 0; p < weld_.firstVertex.size(); ++p) {
    const double distance = p == source ? 0 : (place(posed, p) - middle).norm();
    if (p == source || distance < radius) found.push_back({p, distance});
  }
  std::sort(found.begin(), found.end(), [source](const Near& a, const Near& b) {
    if ((a.point == source) != (b.point == source)) return a.point == source;
    return later(b, a);
  });
}

}  // namespace sinew
