// Boxes split at the median of the longest axis; intersection after Moeller and Trumbore (1997), with edges included,
// so that no segment slips through between two triangles.
#include "sinew/math/bvh.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sinew/base/check.h"

namespace sinew {
namespace {

constexpr std::uint32_t kLeafSize = 4;
constexpr double kEdgeSlack = 1e-9;  ///< in barycentric coordinates

/// The s at which from + s * (to - from) hits the triangle, or a negative number.
double meet(const Vec3& from, const Vec3& direction, const Vec3& origin, const Vec3& edge1, const Vec3& edge2) {
  const Vec3 p = direction.cross(edge2);
  const double determinant = edge1.dot(p);
  if (std::abs(determinant) <= 1e-14 * direction.norm() * edge1.norm() * edge2.norm()) return -1;  // along the plane
  const double inverse = 1 / determinant;
  const Vec3 toOrigin = from - origin;
  const double u = toOrigin.dot(p) * inverse;
  if (u < -kEdgeSlack || u > 1 + kEdgeSlack) return -1;
  const Vec3 q = toOrigin.cross(edge1);
  const double v = direction.dot(q) * inverse;
  if (v < -kEdgeSlack || u + v > 1 + kEdgeSlack) return -1;
  return edge2.dot(q) * inverse;
}

/// Whether the segment passes the box before `most`.
bool entersBox(const Eigen::Array3d& low, const Eigen::Array3d& high, const Eigen::Array3d& from,
               const Eigen::Array3d& inverse, double most) {
  double enter = 0;
  double leave = most;
  for (int k = 0; k < 3; ++k) {
    double a = (low[k] - from[k]) * inverse[k];
    double b = (high[k] - from[k]) * inverse[k];
    if (a > b) std::swap(a, b);
    // Comparisons with NaN (a segment in the plane of a face) are false and leave the bounds as they are.
    if (a > enter) enter = a;
    if (b < leave) leave = b;
  }
  return enter <= leave * (1 + 1e-12) + 1e-15;
}

}  // namespace

TriangleBvh::TriangleBvh(const ConstPointsRef& points, std::span<const Triangle> triangles) {
  faces_.reserve(triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const Triangle& c = triangles[t];
    SINEW_CHECK(std::max({c[0], c[1], c[2]}) < points.cols(), "boxes",
                fmt::format("triangle {} refers to a point beyond the {} that exist", t, points.cols()));
    const Vec3 origin = points.col(c[0]);
    SINEW_CHECK(origin.allFinite() && points.col(c[1]).allFinite() && points.col(c[2]).allFinite(), "boxes",
                fmt::format("triangle {} has a corner that is not a finite number", t));
    faces_.push_back({origin, points.col(c[1]) - origin, points.col(c[2]) - origin, c, static_cast<std::uint32_t>(t)});
  }
  if (faces_.empty()) return;
  nodes_.reserve(faces_.size());
  nodes_.emplace_back();
  split(0, 0, static_cast<std::uint32_t>(faces_.size()));
}

void TriangleBvh::split(std::uint32_t node, std::uint32_t begin, std::uint32_t end) {
  Eigen::Array3d low = Eigen::Array3d::Constant(std::numeric_limits<double>::infinity());
  Eigen::Array3d high = -low;
  Eigen::Array3d middleLow = low;
  Eigen::Array3d middleHigh = high;
  const auto middle = [](const Face& face) -> Eigen::Array3d {
    return face.origin.array() + (face.edge1.array() + face.edge2.array()) / 3;
  };
  for (std::uint32_t i = begin; i < end; ++i) {
    const Face& face = faces_[i];
    for (const Vec3& corner : {face.origin, Vec3(face.origin + face.edge1), Vec3(face.origin + face.edge2)}) {
      low = low.min(corner.array());
      high = high.max(corner.array());
    }
    middleLow = middleLow.min(middle(face));
    middleHigh = middleHigh.max(middle(face));
  }
  nodes_[node].low = low;
  nodes_[node].high = high;
  if (end - begin <= kLeafSize) {
    nodes_[node].first = begin;
    nodes_[node].count = end - begin;
    return;
  }
  Index axis = 0;
  (middleHigh - middleLow).maxCoeff(&axis);
  const std::uint32_t half = begin + (end - begin) / 2;
  std::nth_element(faces_.begin() + begin, faces_.begin() + half, faces_.begin() + end,
                   [&](const Face& a, const Face& b) {
                     const double x = middle(a)[axis];
                     const double y = middle(b)[axis];
                     return x != y ? x < y : a.number < b.number;
                   });
  const auto children = static_cast<std::uint32_t>(nodes_.size());
  nodes_[node].first = children;
  nodes_.emplace_back();
  nodes_.emplace_back();
  split(children, begin, half);
  split(children + 1, half, end);
}

/// Calls visit(face, fraction) for each intersection; visit returns how far the segment still matters.
template <class Visit>
void TriangleBvh::walk(const Vec3& from, const Vec3& to, std::uint32_t skip, const Visit& visit) const {
  if (nodes_.empty()) return;
  const Vec3 direction = to - from;
  const Eigen::Array3d inverse = direction.array().inverse();
  double most = 1;
  std::array<std::uint32_t, 64> stack;  // the tree halves, so 32 levels suffice for 4 billion triangles
  std::size_t depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const Node& node = nodes_[stack[--depth]];
    if (!entersBox(node.low, node.high, from.array(), inverse, most)) continue;
    if (node.count == 0) {
      stack[depth++] = node.first;
      stack[depth++] = node.first + 1;
      continue;
    }
    for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
      const Face& face = faces_[i];
      if (face.corners[0] == skip || face.corners[1] == skip || face.corners[2] == skip) continue;
      const double fraction = meet(from, direction, face.origin, face.edge1, face.edge2);
      if (fraction >= 0 && fraction <= most) most = visit(face, fraction);
    }
  }
}

TriangleBvh::Hit TriangleBvh::firstHit(const Vec3& from, const Vec3& to, std::uint32_t skip) const {
  Hit best;
  walk(from, to, skip, [&best](const Face& face, double fraction) {
    const auto number = static_cast<Index>(face.number);
    if (best.triangle < 0 || fraction < best.fraction || number < best.triangle) best = {number, fraction};
    return best.fraction;
  });
  return best;
}

bool TriangleBvh::blocked(const Vec3& from, const Vec3& to, std::uint32_t skip) const {
  bool found = false;
  walk(from, to, skip, [&found](const Face&, double) {
    found = true;
    return -1.0;  // nothing can be nearer: the walk ends
  });
  return found;
}

}  // namespace sinew
