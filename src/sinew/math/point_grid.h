// Neighbours of points in space, by a hash grid.
#pragma once

#include <cstdint>
#include <vector>

#include "sinew/base/types.h"

namespace sinew {

/// Finds the nearest of many points within one fixed radius. Built once, then const and safe to share between threads.
/// Building is O(n); a query looks at the few cells around it.
class PointGrid {
 public:
  /// `radius` >= 0 is the reach of every query. Keeps its own copy of the points, which must be finite.
  PointGrid(const ConstPointsRef& points, double radius);

  struct Hit {
    Index point = -1;  ///< -1 if no point is within the radius
    double squaredDistance = 0;
  };
  /// The nearest point at most `radius` away; of equally near ones the lowest index.
  [[nodiscard]] Hit nearest(const Vec3& query) const;

  [[nodiscard]] double radius() const { return radius_; }
  [[nodiscard]] Index size() const { return sorted_.cols(); }

 private:
  using Cell = Eigen::Matrix<std::int64_t, 3, 1>;
  [[nodiscard]] Cell cellOf(const Vec3& point) const;
  [[nodiscard]] std::size_t bucketOf(const Cell& cell) const;
  void searchShell(const Vec3& query, const Cell& centre, std::int64_t shell, Hit& best) const;
  void searchBucket(const Vec3& query, std::size_t bucket, Hit& best) const;

  double radius_ = 0;
  double cellSize_ = 1;
  Vec3 origin_ = Vec3::Zero();        ///< the lowest corner of the points' box
  Vec3 far_ = Vec3::Zero();           ///< and the highest
  std::size_t mask_ = 0;              ///< buckets - 1, a power of two less one
  std::vector<std::uint32_t> start_;  ///< per bucket, and the end
  std::vector<std::uint32_t> index_;  ///< the points of each bucket, ascending
  Points sorted_;                     ///< in the order of index_
};

/// The cluster number of each point: points at most `radius` apart share one, and so do chains of such pairs. Clusters
/// are numbered from 0 in the order of their lowest point. Close to O(n), even if many points coincide.
std::vector<std::uint32_t> clusterPoints(const ConstPointsRef& points, double radius);

}  // namespace sinew
