#include "sinew/learn/bind/sight.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/base/parallel.h"

namespace sinew::bind {
namespace {

/// A visible bone does not count if a hidden one is much nearer: the tip of an ear sees down the neck, but belongs to
/// the head. Such points are left to the flow over the surface.
constexpr double kFarther = 1.3;

}  // namespace

bool sees(const Surface& surface, std::uint32_t point, const Vec3& place) {
  const Piece& piece = surface.pieces[surface.pieceOf[point]];
  if (piece.loose) return false;
  const Vec3 here = surface.points.col(point);
  // A sheet has no inside: both of its sides see. The last millionth of the line, where its neighbours are, is omitted.
  if (piece.sheet) return !piece.triangles.blocked(place, here + 1e-6 * (place - here), point);
  const Vec3 out = surface.normals.col(point);
  if (out.dot(place - here) > 0) return false;
  // From just under the skin, so that a line that only grazes it from outside has to cross it.
  return !piece.triangles.blocked(place, here - 1e-3 * surface.laplacian.meanEdge * out);
}

std::vector<Seen> nearestInSight(const Surface& surface, std::span<const Bone> bones) {
  std::vector<Seen> seen(toSize(surface.pointCount()));
  parallelRanges(surface.pointCount(), 256, [&](Index begin, Index end) {
    std::vector<std::pair<double, int>> order;
    for (Index p = begin; p < end; ++p) {
      const Vec3 here = surface.points.col(p);
      order.clear();
      for (std::size_t b = 0; b < bones.size(); ++b) {
        const double distance = bones[b].nearest(here).distance;
        if (std::isfinite(distance)) order.emplace_back(distance, static_cast<int>(b));
      }
      std::sort(order.begin(), order.end());
      Seen& best = seen[toSize(p)];
      best.distance = order.front().first;
      for (const auto& [distance, bone] : order) {
        if (distance > kFarther * best.distance) break;
        const Vec3 place = bones[toSize(bone)].nearest(here).point;
        if (!sees(surface, static_cast<std::uint32_t>(p), place)) continue;
        best = {bone, place, distance};
        break;
      }
    }
  });
  return seen;
}

std::vector<Follower> followers(const Surface& surface, std::span<const Bone> bones, std::span<const Seen> seen) {
  std::vector<Follower> found;
  const Eigen::VectorXd& mass = surface.laplacian.mass;
  for (std::uint32_t k = 0; k < surface.pieces.size(); ++k) {
    const std::vector<std::uint32_t>& points = surface.pieces[k].points;
    if (std::any_of(points.begin(), points.end(), [&](std::uint32_t p) { return seen[p].bone >= 0; })) continue;
    Follower follower{k, 0};
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t b = 0; b < bones.size(); ++b) {
      double sum = 0;
      for (const std::uint32_t p : points) sum += mass[p] * bones[b].nearest(surface.points.col(p)).distance;
      if (sum >= least) continue;
      least = sum;
      follower.bone = static_cast<int>(b);
    }
    found.push_back(follower);
  }
  return found;
}

}  // namespace sinew::bind
