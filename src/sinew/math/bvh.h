// Segments against many triangles, by a tree of boxes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/base/types.h"

namespace sinew {

/// Built once, then const and safe to share between threads. Keeps copies of its triangles only. Building is
/// O(n log n), a query close to O(log n).
class TriangleBvh {
 public:
  static constexpr std::uint32_t kNoPoint = ~0u;

  /// Triangles index into `points`; their corners must be finite. Points that no triangle uses are ignored.
  TriangleBvh(const ConstPointsRef& points, std::span<const Triangle> triangles);

  struct Hit {
    Index triangle = -1;  ///< of the triangles given; -1 for none
    double fraction = 1;  ///< where along the segment, 0 to 1
  };
  /// The first triangle that the segment intersects, ignoring triangles at the point `skip`; for equal distances the
  /// lowest index.
  [[nodiscard]] Hit firstHit(const Vec3& from, const Vec3& to, std::uint32_t skip = kNoPoint) const;
  /// Whether it intersects any.
  [[nodiscard]] bool blocked(const Vec3& from, const Vec3& to, std::uint32_t skip = kNoPoint) const;

 private:
  struct Node {
    Eigen::Array3d low, high;
    std::uint32_t first = 0;  ///< of the leaf's triangles, or of the two children
    std::uint32_t count = 0;  ///< of triangles; 0 for an inner node
  };
  struct Face {
    Vec3 origin, edge1, edge2;
    Triangle corners;
    std::uint32_t number = 0;
  };
  void split(std::uint32_t node, std::uint32_t begin, std::uint32_t end);
  template <class Visit>
  void walk(const Vec3& from, const Vec3& to, std::uint32_t skip, const Visit& visit) const;

  std::vector<Node> nodes_;
  std::vector<Face> faces_;
};

}  // namespace sinew
