// A uniform grid whose cells are hashed into about as many buckets as there are points (Teschner et al. 2003). Cells
// that share a bucket cost time, never correctness: every candidate's distance is checked.
#include "sinew/math/point_grid.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "sinew/base/check.h"

namespace sinew {
namespace {

using Cell = Eigen::Matrix<std::int64_t, 3, 1>;

std::size_t hashOf(const Cell& cell) {
  auto h = static_cast<std::uint64_t>(cell.x()) * 0x9E3779B97F4A7C15ull;
  h ^= static_cast<std::uint64_t>(cell.y()) * 0xC2B2AE3D27D4EB4Full;
  h ^= static_cast<std::uint64_t>(cell.z()) * 0x165667B19E3779F9ull;
  return toSize(h ^ (h >> 29) ^ (h >> 47));
}

Cell cellAt(const Vec3& point, const Vec3& origin, double cellSize) {
  // Far queries are clamped: they are beyond every point anyway, and the conversion must not overflow.
  constexpr double kFar = 4e15;
  return ((point - origin) / cellSize).array().floor().max(-kFar).min(kFar).cast<std::int64_t>();
}

/// Points sorted into buckets: bucket b contains index[start[b] .. start[b + 1]), ascending.
struct Buckets {
  std::size_t mask = 0;
  std::vector<std::uint32_t> start;
  std::vector<std::uint32_t> index;
};

Buckets sortIntoBuckets(const ConstPointsRef& points, const Vec3& origin, double cellSize) {
  const auto count = toSize(points.cols());
  SINEW_CHECK(count < std::numeric_limits<std::uint32_t>::max(), "point grid", "there are more than 4 billion points");
  Buckets buckets;
  buckets.mask = std::bit_ceil(std::max<std::size_t>(count, 1)) - 1;
  std::vector<std::uint32_t> bucketOfPoint(count);
  buckets.start.assign(buckets.mask + 2, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t b = hashOf(cellAt(points.col(static_cast<Index>(i)), origin, cellSize)) & buckets.mask;
    bucketOfPoint[i] = static_cast<std::uint32_t>(b);
    ++buckets.start[b + 1];
  }
  for (std::size_t b = 0; b <= buckets.mask; ++b) buckets.start[b + 1] += buckets.start[b];
  buckets.index.resize(count);
  std::vector<std::uint32_t> next(buckets.start.begin(), buckets.start.end() - 1);
  for (std::size_t i = 0; i < count; ++i) buckets.index[next[bucketOfPoint[i]]++] = static_cast<std::uint32_t>(i);
  return buckets;
}

struct Extent {
  Vec3 low = Vec3::Zero();
  Vec3 high = Vec3::Zero();
  double diagonal = 0;
};

Extent extentOf(const ConstPointsRef& points) {
  if (points.cols() == 0) return {};
  const Vec3 low = points.rowwise().minCoeff();
  const Vec3 high = points.rowwise().maxCoeff();
  return {low, high, (high - low).norm()};
}

/// A cell never so small that coordinates in cells lose their integers, nor zero.
double usableCell(double wanted, double diagonal) {
  const double cell = std::max(wanted, 1e-12 * diagonal);
  return cell > 0 ? cell : 1.0;
}

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// Each cluster is flood-filled from its lowest point, and points that are reached are removed from the grid: no pair
/// is visited twice, and a thousand coincident points cost a thousand steps.
struct ClusterFlood {
  ClusterFlood(const ConstPointsRef& allPoints, double reach)
      : points(allPoints), radius(reach), extent(extentOf(allPoints)) {
    cellSize = usableCell(8 * radius, extent.diagonal);
    buckets = sortIntoBuckets(points, extent.low, cellSize);
    end.assign(buckets.start.begin() + 1, buckets.start.end());
    cluster.assign(toSize(points.cols()), kNone);
  }

  void fill(std::uint32_t seed, std::uint32_t number) {
    cluster[seed] = number;
    open.push_back(seed);
    while (!open.empty()) {
      const Vec3 centre = points.col(open.back());
      open.pop_back();
      const Cell low = cellAt(centre - Vec3::Constant(radius), extent.low, cellSize);
      const Cell high = cellAt(centre + Vec3::Constant(radius), extent.low, cellSize);
      for (std::int64_t z = low.z(); z <= high.z(); ++z) {
        for (std::int64_t y = low.y(); y <= high.y(); ++y) {
          for (std::int64_t x = low.x(); x <= high.x(); ++x)
            takeFrom(hashOf(Cell(x, y, z)) & buckets.mask, centre, number);
        }
      }
    }
  }

  void takeFrom(std::size_t bucket, const Vec3& centre, std::uint32_t number) {
    for (std::uint32_t i = buckets.start[bucket]; i < end[bucket];) {
      const std::uint32_t other = buckets.index[i];
      if (cluster[other] == kNone && (points.col(other) - centre).norm() <= radius) {
        cluster[other] = number;
        open.push_back(other);
      }
      if (cluster[other] == kNone) {
        ++i;
      } else {
        buckets.index[i] = buckets.index[--end[bucket]];
      }
    }
  }

  const ConstPointsRef& points;
  double radius;
  Extent extent;
  double cellSize = 1;
  Buckets buckets;
  std::vector<std::uint32_t> end;  ///< per bucket: the end of what is left in it
  std::vector<std::uint32_t> cluster;
  std::vector<std::uint32_t> open;
};

}  // namespace

PointGrid::PointGrid(const ConstPointsRef& points, double radius) : radius_(radius) {
  SINEW_CHECK(std::isfinite(radius) && radius >= 0, "point grid", "the radius must be a finite number, zero or more");
  checkFinite(points, "point grid", "the set of points");
  const Extent extent = extentOf(points);
  origin_ = extent.low;
  far_ = extent.high;
  // About the spacing of points on a surface, but not far from the radius on either side: few cells, few candidates.
  const double spacing = extent.diagonal / std::sqrt(static_cast<double>(std::max<Index>(points.cols(), 1)));
  cellSize_ = usableCell(std::clamp(spacing, radius / 8, 4 * radius), extent.diagonal);
  Buckets buckets = sortIntoBuckets(points, origin_, cellSize_);
  mask_ = buckets.mask;
  start_ = std::move(buckets.start);
  index_ = std::move(buckets.index);
  sorted_.resize(3, points.cols());
  for (std::size_t i = 0; i < index_.size(); ++i) sorted_.col(static_cast<Index>(i)) = points.col(index_[i]);
}

PointGrid::Cell PointGrid::cellOf(const Vec3& point) const {
  return cellAt(point, origin_, cellSize_);
}

std::size_t PointGrid::bucketOf(const Cell& cell) const {
  return hashOf(cell) & mask_;
}

void PointGrid::searchBucket(const Vec3& query, std::size_t bucket, Hit& best) const {
  for (std::uint32_t i = start_[bucket]; i < start_[bucket + 1]; ++i) {
    const double squared = (sorted_.col(i) - query).squaredNorm();
    const auto point = static_cast<Index>(index_[i]);
    const bool nearer = squared < best.squaredDistance;
    const bool tie = squared == best.squaredDistance && (best.point < 0 || point < best.point);
    if (nearer || tie) best = {point, squared};
  }
}

void PointGrid::searchShell(const Vec3& query, const Cell& centre, std::int64_t shell, Hit& best) const {
  // Cells of this shell that the ball around the query touches.
  const double reach = std::sqrt(best.squaredDistance) * (1 + 1e-12);
  const Cell low = cellOf(query - Vec3::Constant(reach)).cwiseMax(centre - Cell::Constant(shell));
  const Cell high = cellOf(query + Vec3::Constant(reach)).cwiseMin(centre + Cell::Constant(shell));
  for (std::int64_t z = low.z(); z <= high.z(); ++z) {
    for (std::int64_t y = low.y(); y <= high.y(); ++y) {
      const bool face = std::abs(z - centre.z()) == shell || std::abs(y - centre.y()) == shell;
      for (std::int64_t x = low.x(); x <= high.x(); ++x) {
        if (face || std::abs(x - centre.x()) == shell) searchBucket(query, bucketOf(Cell(x, y, z)), best);
      }
    }
  }
}

PointGrid::Hit PointGrid::nearest(const Vec3& query) const {
  Hit best{-1, radius_ * radius_};
  const bool nearBox =
      (query.array() >= origin_.array() - radius_).all() && (query.array() <= far_.array() + radius_).all();
  if (index_.empty() || !nearBox) return {};  // also where the query is not a number
  const Cell centre = cellOf(query);
  // Cells of shell s are at least s - 1 cells away.
  for (std::int64_t shell = 0;; ++shell) {
    const double seen = (static_cast<double>(shell) - 1) * cellSize_;
    if (shell > 0 && seen * seen > best.squaredDistance * (1 + 1e-9)) break;
    if (seen > radius_) break;
    searchShell(query, centre, shell, best);
  }
  return best.point < 0 ? Hit{} : best;
}

std::vector<std::uint32_t> clusterPoints(const ConstPointsRef& points, double radius) {
  SINEW_CHECK(std::isfinite(radius) && radius >= 0, "point clusters", "the radius must be zero or more");
  checkFinite(points, "point clusters", "the set of points");
  ClusterFlood flood(points, radius);
  std::uint32_t clusters = 0;
  for (std::size_t i = 0; i < flood.cluster.size(); ++i) {
    if (flood.cluster[i] == kNone) flood.fill(static_cast<std::uint32_t>(i), clusters++);
  }
  return std::move(flood.cluster);
}

}  // namespace sinew
