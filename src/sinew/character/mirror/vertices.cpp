// The mirror image of each vertex: a vertex, or else a point of the surface near it. Files split vertices at
// seams, so the search is among welded points; of the vertices at one position the one with the mirrored normal is
// taken, which keeps closed lips apart. Many files were modelled symmetrically and posed slightly afterwards: the
// search uses the shape with more exact pairs, the rest pose or the bind shape. Where positions are ambiguous,
// neighbours decide: the vertex joined to the partners of the neighbours is the partner. Otherwise the nearest surface
// is used, but not where other joints move it (an arm beside the chest) unless it is very near.
#include <algorithm>
#include <cmath>
#include <span>

#include "sinew/base/parallel.h"
#include "sinew/character/correspondence.h"
#include "sinew/character/mirror/parts.h"
#include "sinew/math/point_grid.h"
#include "sinew/math/rigid_fit.h"

namespace sinew::mirror {
namespace {

constexpr Index kVerticesGrain = 512;

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

constexpr std::uint32_t kNobody = ~0U;
constexpr double kSameFaces = 0.8;  ///< of the points have a partner by position where both sides have one topology
constexpr double kTopologyReach = 0.05;  ///< diagonals: how far a partner by its neighbours may be from the image
constexpr double kOnSurface = 0.25;      ///< of the reach: a surface nearer than this counts, whichever joint moves it
constexpr double kAgreement = 0.1;       ///< weight that the two sides have in common, joints mirrored

class VertexMatcher {
 public:
  VertexMatcher(const Body& body, const MirrorShape& shape, std::span<const int> partnerOfJoint, double partnerReach,
                double surfaceReach)
      : body_(body),
        shape_(shape),
        joint_(partnerOfJoint),
        partnerReach_(partnerReach),
        surfaceReach_(surfaceReach),
        weld_(weld(shape.points)),
        grid_(weldedPoints(weld_, shape.points), searchReach()) {
    const auto points = toSize(weld_.pointCount());
    verticesOf_ = listByOwner(points, weld_.pointOfVertex.size(),
                              [&](std::size_t v, const auto& emit) { emit(weld_.pointOfVertex[v]); });
    trianglesOf_ = listByOwner(points, body.triangles.size(), [&](std::size_t t, const auto& emit) {
      for (const std::uint32_t v : body_.triangles[t]) emit(weld_.pointOfVertex[v]);
    });
    pairByPosition();
    // If the two sides have different faces, neighbours of partners are not partners.
    const auto paired = partner_.size() - toSize(std::count(partner_.begin(), partner_.end(), kNobody));
    bool any = static_cast<double>(paired) >= kSameFaces * static_cast<double>(partner_.size());
    while (any) any = pairByNeighbours();
  }

  [[nodiscard]] MirrorPlace place(Index v) const {
    const std::uint32_t point = weld_.pointOfVertex[toSize(v)];
    if (partner_[point] != kNobody)
      return {MirrorPlace::Kind::Vertex, {partnerIn(partner_[point], v), 0, 0}, {1, 0, 0}};
    return surfaceNear(point, v);
  }

 private:
  /// A point of the surface within its reach has a vertex no farther than an edge more.
  [[nodiscard]] double searchReach() const {
    double longest = 0;
    for (const Triangle& t : body_.triangles) {
      for (std::size_t k = 0; k < 3; ++k) {
        longest = std::max(longest, (shape_.points.col(t[k]) - shape_.points.col(t[(k + 1) % 3])).squaredNorm());
      }
    }
    return std::max(partnerReach_, surfaceReach_ + std::min(std::sqrt(longest), 0.25 * shape_.diagonal));
  }

  [[nodiscard]] Vec3 positionOf(std::uint32_t point) const { return shape_.points.col(weld_.firstVertex[point]); }
  [[nodiscard]] Vec3 imageOf(std::uint32_t point) const { return shape_.plane.point(positionOf(point)); }

  /// Points that are mutually nearest to the mirror image, within the partner distance. If two points are too close for
  /// that, their neighbours decide.
  void pairByPosition() {
    const auto points = static_cast<std::uint32_t>(weld_.pointCount());
    std::vector<std::uint32_t> nearest(points, kNobody);
    parallelFor(weld_.pointCount(), kVerticesGrain, [&](Index p) {
      const PointGrid::Hit hit = grid_.nearest(imageOf(static_cast<std::uint32_t>(p)));
      if (hit.point >= 0 && hit.squaredDistance <= partnerReach_ * partnerReach_)
        nearest[toSize(p)] = static_cast<std::uint32_t>(hit.point);
    });
    partner_.assign(points, kNobody);
    for (std::uint32_t p = 0; p < points; ++p) {
      if (nearest[p] != kNobody && nearest[nearest[p]] == p) partner_[p] = nearest[p];
    }
  }

  template <class Visit>
  void eachNeighbour(std::uint32_t point, const Visit& visit) const {
    for (const std::uint32_t t : trianglesOf_[point]) {
      for (const std::uint32_t corner : body_.triangles[t]) {
        const std::uint32_t other = weld_.pointOfVertex[corner];
        if (other != point) visit(other);
      }
    }
  }

  /// Pairs points that are joined to each other's partners. Returns whether there were any.
  bool pairByNeighbours() {
    bool any = false;
    std::vector<std::pair<std::uint32_t, int>> votes;
    for (std::uint32_t p = 0; p < partner_.size(); ++p) {
      if (partner_[p] != kNobody) continue;
      votes.clear();
      int paired = 0;
      eachNeighbour(p, [&](std::uint32_t n) {
        if (partner_[n] == kNobody) return;
        ++paired;
        eachNeighbour(partner_[n], [&](std::uint32_t c) {
          if (partner_[c] != kNobody) return;
          const auto known =
              std::find_if(votes.begin(), votes.end(), [&](const auto& vote) { return vote.first == c; });
          if (known == votes.end()) {
            votes.emplace_back(c, 1);
          } else {
            ++known->second;
          }
        });
      });
      const std::uint32_t best = elected(p, votes, paired);
      if (best == kNobody) continue;
      partner_[p] = best;
      partner_[best] = p;
      any = true;
    }
    return any;
  }

  /// The candidate with the most votes of the neighbours, for equal ones the nearest; it must face the mirrored
  /// direction.
  [[nodiscard]] std::uint32_t elected(std::uint32_t p, std::span<const std::pair<std::uint32_t, int>> votes,
                                      int paired) const {
    const Vec3 image = imageOf(p);
    const Vec3 normal = shape_.plane.direction(shape_.normals.col(weld_.firstVertex[p]));
    std::uint32_t best = kNobody;
    int most = std::max(2, (paired + 1) / 2);
    double nearest = kTopologyReach * shape_.diagonal;
    for (const auto& [candidate, count] : votes) {
      const double distance = (positionOf(candidate) - image).norm();
      const bool alike = trianglesOf_[candidate].size() == trianglesOf_[p].size();
      const bool faces = alike && shape_.normals.col(weld_.firstVertex[candidate]).dot(normal) > 0;
      if (!faces || distance > kTopologyReach * shape_.diagonal || count < most) continue;
      if (count == most && best != kNobody && distance >= nearest) continue;
      most = count;
      nearest = distance;
      best = candidate;
    }
    return best;
  }

  /// Of the vertices at one position, that with the mirrored normal; for equal ones that of the same rank, so that
  /// split vertices are exchanged one at a time.
  [[nodiscard]] std::uint32_t partnerIn(std::uint32_t point, Index v) const {
    const auto candidates = verticesOf_[point];
    if (candidates.size() == 1) return candidates[0];
    const auto siblings = verticesOf_[weld_.pointOfVertex[toSize(v)]];
    const auto rank =
        toSize(std::find(siblings.begin(), siblings.end(), static_cast<std::uint32_t>(v)) - siblings.begin());
    std::size_t best = std::min(rank, candidates.size() - 1);
    const Vec3 normal = shape_.plane.direction(shape_.normals.col(v));
    double bestDot = shape_.normals.col(candidates[best]).dot(normal) + 1e-6;
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      const double dot = shape_.normals.col(candidates[c]).dot(normal);
      if (dot <= bestDot) continue;
      best = c;
      bestDot = dot;
    }
    return candidates[best];
  }

  /// The nearest point of triangles that face the mirrored direction: of those at the partners of the neighbours if
  /// there are any, otherwise of those around the nearest vertex.
  [[nodiscard]] MirrorPlace surfaceNear(std::uint32_t point, Index v) const {
    std::vector<std::uint32_t> seeds;
    eachNeighbour(point, [&](std::uint32_t n) {
      if (partner_[n] != kNobody) seeds.push_back(partner_[n]);
    });
    if (const MirrorPlace place = surfaceAt(seeds, v); place.kind != MirrorPlace::Kind::None) return place;
    const PointGrid::Hit hit = grid_.nearest(imageOf(point));
    if (hit.point < 0) return {};
    seeds = {static_cast<std::uint32_t>(hit.point)};
    eachNeighbour(seeds[0], [&](std::uint32_t n) { seeds.push_back(n); });
    return surfaceAt(seeds, v);
  }

  [[nodiscard]] MirrorPlace surfaceAt(std::span<const std::uint32_t> seeds, Index v) const {
    const Vec3 image = shape_.plane.point(shape_.points.col(v));
    const Vec3 normal = shape_.plane.direction(shape_.normals.col(v));
    double nearest = surfaceReach_ * surfaceReach_;
    MirrorPlace best;
    for (const std::uint32_t seed : seeds) {
      for (const std::uint32_t t : trianglesOf_[seed]) {
        const Triangle& triangle = body_.triangles[t];
        const Vec3 a = shape_.points.col(triangle[0]);
        const Vec3 b = shape_.points.col(triangle[1]);
        const Vec3 c = shape_.points.col(triangle[2]);
        if ((b - a).cross(c - a).dot(normal) < 0) continue;
        const Vec3 w = nearestWeights(image, a, b, c);
        const double distance = (w[0] * a + w[1] * b + w[2] * c - image).squaredNorm();
        if (distance > nearest || (distance == nearest && best.kind != MirrorPlace::Kind::None)) continue;
        const MirrorPlace place{MirrorPlace::Kind::Surface, triangle, {w[0], w[1], w[2]}};
        const double sure = kOnSurface * surfaceReach_;
        if (distance > sure * sure && agreement(v, place) < kAgreement) continue;
        nearest = distance;
        best = place;
      }
    }
    return best;
  }

  /// Weight that a vertex and a surface position have in common, with joints mirrored; 1 if there is no skin.
  [[nodiscard]] double agreement(Index v, const MirrorPlace& place) const {
    const Character& character = body_.character;
    if (!character.hasSkin()) return 1;
    double common = 0;
    for (const Influence& own : character.skin.weights[v]) {
      const int partner = joint_[toSize(character.skin.bindings[own.binding].joint)];
      double there = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        for (const Influence& other : character.skin.weights[static_cast<Index>(place.vertex[k])]) {
          if (character.skin.bindings[other.binding].joint == partner) there += place.weight[k] * other.weight;
        }
      }
      common += std::min(own.weight, there);
    }
    return common;
  }

  const Body& body_;
  const MirrorShape& shape_;
  std::span<const int> joint_;
  double partnerReach_;
  double surfaceReach_;
  WeldMap weld_;
  PointGrid grid_;
  Lists verticesOf_;                    ///< file vertices of each welded point
  Lists trianglesOf_;                   ///< triangles at each welded point
  std::vector<std::uint32_t> partner_;  ///< of each welded point; an involution
};

/// How many of some sampled vertices have a vertex at their mirror image.
Index exactPairs(const MirrorShape& shape, const PointGrid& grid) {
  constexpr Index kSamples = 2000;
  const Index count = std::min(kSamples, shape.points.cols());
  Index found = 0;
  for (Index i = 0; i < count; ++i)
    found += grid.nearest(shape.plane.point(shape.points.col(i * shape.points.cols() / count))).point >= 0 ? 1 : 0;
  return found;
}

}  // namespace

MirrorShape symmetricShape(const Body& body, const MirrorMap& plane, double tolerance) {
  MirrorShape rest{plane, body.rest, body.normals, body.diagonal};
  const Points& bound = body.character.mesh.points;
  if (!body.character.hasSkin()) return rest;
  const Index pairs = exactPairs(rest, PointGrid(rest.points, tolerance * rest.diagonal));
  MirrorShape best = std::move(rest);
  Index most = pairs;
  // The bind shape may lie on its side; its plane is the one that the rest pose rotates onto ours.
  constexpr double kSameAxis = 0.9;
  const Eigen::Isometry3d boundFromRest = fitRigid(body.rest, bound).toFromFrom;
  MirrorShape other{plane, bound, {}, boundingBox(bound).diagonal()};
  const Vec3 normal = boundFromRest.linear().col(plane.axis);
  if (!(other.diagonal > 0) || normal.cwiseAbs().maxCoeff(&other.plane.axis) < kSameAxis) return best;
  other.sign = normal[other.plane.axis] < 0 ? -1 : 1;
  const PointGrid grid(bound, tolerance * other.diagonal);
  const Vec3 onPlane = boundFromRest * Vec3(0.5 * (plane.point(body.rest.col(0)) + body.rest.col(0)));
  for (const double offset : {0.0, boundingBox(bound).centre()[other.plane.axis], onPlane[other.plane.axis]}) {
    other.plane.offset = offset;
    const Index found = exactPairs(other, grid);
    if (found <= most) continue;
    most = found;
    best = other;
  }
  if (best.normals.cols() == 0) computeNormals(best.points, body.triangles, best.normals);
  return best;
}

std::vector<MirrorPlace> vertexPartners(const Body& body, const MirrorShape& shape, std::span<const int> partnerOfJoint,
                                        double partnerReach, double surfaceReach) {
  const VertexMatcher matcher(body, shape, partnerOfJoint, partnerReach, surfaceReach);
  std::vector<MirrorPlace> places(toSize(body.rest.cols()));
  parallelFor(body.rest.cols(), kVerticesGrain, [&](Index v) { places[toSize(v)] = matcher.place(v); });
  return places;
}

}  // namespace sinew::mirror
