// Where the mirror image of each vertex lies: on a vertex, or else on the surface near it. Files split vertices at
// seams, so the search is among welded points; of the vertices in one place the one whose normal is the mirrored one is
// taken, which keeps closed lips apart.
#include <algorithm>
#include <cmath>
#include <span>

#include "sinew/base/parallel.h"
#include "sinew/character/correspondence.h"
#include "sinew/character/mirror_parts.h"
#include "sinew/math/point_grid.h"

namespace sinew::mirrors {
namespace {

constexpr Index kGrain = 512;

/// Barycentric weights of the nearest point of a triangle (Ericson, Real-Time Collision Detection, section 5.1.5).
Vec3 nearestWeights(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a;
  const Vec3 ac = c - a;
  const Vec3 ap = p - a;
  const double d1 = ab.dot(ap);
  const double d2 = ac.dot(ap);
  if (d1 <= 0 && d2 <= 0) return {1, 0, 0};
  const Vec3 bp = p - b;
  const double d3 = ab.dot(bp);
  const double d4 = ac.dot(bp);
  if (d3 >= 0 && d4 <= d3) return {0, 1, 0};
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return {1 - d1 / (d1 - d3), d1 / (d1 - d3), 0};
  const Vec3 cp = p - c;
  const double d5 = ab.dot(cp);
  const double d6 = ac.dot(cp);
  if (d6 >= 0 && d5 <= d6) return {0, 0, 1};
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return {1 - d2 / (d2 - d6), 0, d2 / (d2 - d6)};
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const double t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return {0, 1 - t, t};
  }
  const double sum = va + vb + vc;
  if (sum <= 0) return {1, 0, 0};  // a triangle without area
  return {va / sum, vb / sum, vc / sum};
}

/// Lists of numbers by owner: those of owner i are entry[start[i]] to entry[start[i + 1]].
struct Lists {
  std::vector<std::uint32_t> start;
  std::vector<std::uint32_t> entry;
  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t owner) const {
    return {entry.data() + start[owner], entry.data() + start[owner + 1]};
  }
};

/// `ownersOf(i, emit)` calls emit with each owner of item i.
template <class OwnersOf>
Lists listByOwner(std::size_t owners, std::size_t items, const OwnersOf& ownersOf) {
  Lists lists;
  lists.start.assign(owners + 1, 0);
  for (std::size_t i = 0; i < items; ++i) ownersOf(i, [&](std::uint32_t owner) { ++lists.start[owner + 1]; });
  for (std::size_t o = 0; o < owners; ++o) lists.start[o + 1] += lists.start[o];
  lists.entry.resize(lists.start.back());
  std::vector<std::uint32_t> next(lists.start.begin(), lists.start.end() - 1);
  for (std::size_t i = 0; i < items; ++i) {
    ownersOf(i, [&](std::uint32_t owner) { lists.entry[next[owner]++] = static_cast<std::uint32_t>(i); });
  }
  return lists;
}

class VertexMatcher {
 public:
  VertexMatcher(const Body& body, const MirrorMap& plane, double partnerReach, double surfaceReach)
      : body_(body),
        plane_(plane),
        partnerReach_(partnerReach),
        surfaceReach_(surfaceReach),
        weld_(weld(body.rest)),
        grid_(weldedPoints(weld_, body.rest), searchReach()) {
    const auto points = static_cast<std::size_t>(weld_.pointCount());
    verticesOf_ = listByOwner(points, weld_.pointOfVertex.size(),
                              [&](std::size_t v, const auto& emit) { emit(weld_.pointOfVertex[v]); });
    trianglesOf_ = listByOwner(points, body.triangles.size(), [&](std::size_t t, const auto& emit) {
      for (const std::uint32_t v : body_.triangles[t]) emit(weld_.pointOfVertex[v]);
    });
  }

  [[nodiscard]] MirrorPlace place(Index v) const {
    const Vec3 image = plane_.point(body_.rest.col(v));
    const PointGrid::Hit hit = grid_.nearest(image);
    if (hit.point < 0) return {};
    if (hit.squaredDistance <= partnerReach_ * partnerReach_)
      return {MirrorPlace::Kind::Vertex, {partnerIn(hit.point, v), 0, 0}, {1, 0, 0}};
    return surfaceNear(hit.point, v, image);
  }

 private:
  /// A point of the surface within its reach has a vertex no farther than an edge more.
  [[nodiscard]] double searchReach() const {
    double longest = 0;
    for (const Triangle& t : body_.triangles) {
      for (std::size_t k = 0; k < 3; ++k) {
        longest = std::max(longest, (body_.rest.col(t[k]) - body_.rest.col(t[(k + 1) % 3])).squaredNorm());
      }
    }
    return std::max(partnerReach_, surfaceReach_ + std::min(std::sqrt(longest), 0.25 * body_.diagonal));
  }

  /// Of the vertices in one place, that of the mirrored normal; of equal ones that of the same rank in its place, so
  /// that split vertices are exchanged one by one.
  [[nodiscard]] std::uint32_t partnerIn(Index point, Index v) const {
    const auto candidates = verticesOf_[static_cast<std::size_t>(point)];
    if (candidates.size() == 1) return candidates[0];
    const auto siblings = verticesOf_[weld_.pointOfVertex[static_cast<std::size_t>(v)]];
    const auto rank = static_cast<std::size_t>(
        std::find(siblings.begin(), siblings.end(), static_cast<std::uint32_t>(v)) - siblings.begin());
    std::size_t best = std::min(rank, candidates.size() - 1);
    const Vec3 normal = plane_.direction(body_.normals.col(v));
    double bestDot = body_.normals.col(candidates[best]).dot(normal) + 1e-6;
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      const double dot = body_.normals.col(candidates[c]).dot(normal);
      if (dot <= bestDot) continue;
      best = c;
      bestDot = dot;
    }
    return candidates[best];
  }

  /// The nearest point of the triangles around a point and around its neighbours that face the mirrored way.
  [[nodiscard]] MirrorPlace surfaceNear(Index point, Index v, const Vec3& image) const {
    const Vec3 normal = plane_.direction(body_.normals.col(v));
    double nearest = surfaceReach_ * surfaceReach_;
    MirrorPlace best;
    const auto tryAround = [&](std::uint32_t around) {
      for (const std::uint32_t t : trianglesOf_[around]) {
        const Triangle& triangle = body_.triangles[t];
        const Vec3 a = body_.rest.col(triangle[0]);
        const Vec3 b = body_.rest.col(triangle[1]);
        const Vec3 c = body_.rest.col(triangle[2]);
        if ((b - a).cross(c - a).dot(normal) < 0) continue;
        const Vec3 w = nearestWeights(image, a, b, c);
        const double distance = (w[0] * a + w[1] * b + w[2] * c - image).squaredNorm();
        if (distance > nearest || (distance == nearest && best.kind != MirrorPlace::Kind::None)) continue;
        nearest = distance;
        best = {MirrorPlace::Kind::Surface, triangle, {w[0], w[1], w[2]}};
      }
    };
    const auto own = static_cast<std::uint32_t>(point);
    tryAround(own);
    for (const std::uint32_t t : trianglesOf_[own]) {
      for (const std::uint32_t corner : body_.triangles[t]) {
        if (weld_.pointOfVertex[corner] != own) tryAround(weld_.pointOfVertex[corner]);
      }
    }
    return best;
  }

  const Body& body_;
  const MirrorMap& plane_;
  double partnerReach_;
  double surfaceReach_;
  WeldMap weld_;
  PointGrid grid_;
  Lists verticesOf_;   ///< file vertices of each welded point
  Lists trianglesOf_;  ///< triangles at each welded point
};

}  // namespace

std::vector<MirrorPlace> vertexPartners(const Body& body, const MirrorMap& plane, double partnerReach,
                                        double surfaceReach) {
  const VertexMatcher matcher(body, plane, partnerReach, surfaceReach);
  std::vector<MirrorPlace> places(static_cast<std::size_t>(body.rest.cols()));
  parallelFor(body.rest.cols(), kGrain, [&](Index v) { places[static_cast<std::size_t>(v)] = matcher.place(v); });
  return places;
}

Vec3 at(const MirrorPlace& place, const ConstPointsRef& columns) {
  if (place.kind == MirrorPlace::Kind::Vertex) return columns.col(place.vertex[0]);
  return place.weight[0] * columns.col(place.vertex[0]) + place.weight[1] * columns.col(place.vertex[1]) +
         place.weight[2] * columns.col(place.vertex[2]);
}

}  // namespace sinew::mirrors
