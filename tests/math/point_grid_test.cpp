#include "sinew/math/point_grid.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/base/error.h"
#include "support/random_points.h"

namespace sinew::point_grid_test {
namespace {

using test::randomPoints;

Index bruteNearest(const Points& points, const Vec3& query, double radius) {
  Index best = -1;
  double least = radius;
  for (Index v = 0; v < points.cols(); ++v) {
    const double distance = (points.col(v) - query).norm();
    if (distance < least || (best < 0 && distance <= least)) {
      best = v;
      least = distance;
    }
  }
  return best;
}

TEST(PointGrid, AgreesWithBruteForceAtEveryRadius) {
  const Points points = randomPoints(300, 1);
  const Points queries = 1.3 * randomPoints(300, 2);
  for (const double radius : {1e-3, 0.05, 0.2, 1.0, 5.0}) {
    const PointGrid grid(points, radius);
    for (Index q = 0; q < queries.cols(); ++q) {
      EXPECT_EQ(grid.nearest(queries.col(q)).point, bruteNearest(points, queries.col(q), radius)) << radius;
    }
  }
}

TEST(PointGrid, FindsExactPointsWithRadiusZero) {
  const Points points = randomPoints(200, 3);
  const PointGrid grid(points, 0);
  for (Index v = 0; v < points.cols(); ++v) EXPECT_EQ(grid.nearest(points.col(v)).point, v);
  EXPECT_EQ(grid.nearest(Vec3(0.123, 0.456, 0.789)).point, -1);
}

TEST(PointGrid, TakesTheLowestOfEquallyNearPoints) {
  Points points(3, 4);
  points << 1, -1, 1, -1,  //
      0, 0, 0, 0,          //
      0, 0, 0, 0;
  const PointGrid grid(points, 2);
  EXPECT_EQ(grid.nearest(Vec3::Zero()).point, 0);
  EXPECT_EQ(grid.nearest(Vec3(-1, 0, 0)).point, 1);
}

TEST(PointGrid, NothingIsNearInAnEmptySetOrFarAway) {
  EXPECT_EQ(PointGrid(Points(3, 0), 1).nearest(Vec3::Zero()).point, -1);
  const PointGrid grid(randomPoints(10, 1), 0.5);
  EXPECT_EQ(grid.nearest(Vec3(1e300, 0, 0)).point, -1);
  EXPECT_EQ(grid.nearest(Vec3(std::nan(""), 0, 0)).point, -1);
}

TEST(PointGrid, RefusesBadPointsAndRadii) {
  Points bad = randomPoints(3, 1);
  bad(0, 1) = std::nan("");
  EXPECT_THROW(PointGrid(bad, 1), Error);
  EXPECT_THROW(PointGrid(randomPoints(3, 1), -1), Error);
  EXPECT_THROW(clusterPoints(bad, 1), Error);
}

TEST(ClusterPoints, AgreesWithUnionOfAllPairs) {
  const Points points = randomPoints(400, 7);
  for (const double radius : {0.0, 0.02, 0.1, 0.2, 0.5}) {
    std::vector<std::uint32_t> expected(400);
    for (std::uint32_t i = 0; i < 400; ++i) expected[i] = i;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t i = 0; i < 400; ++i) {
        for (std::uint32_t j = 0; j < i; ++j) {
          if (expected[i] == expected[j] || (points.col(i) - points.col(j)).norm() > radius) continue;
          expected[i] = expected[j] = std::min(expected[i], expected[j]);
          changed = true;
        }
      }
    }
    const std::vector<std::uint32_t> found = clusterPoints(points, radius);
    std::uint32_t next = 0;
    std::vector<std::uint32_t> number(400);
    for (std::uint32_t i = 0; i < 400; ++i) {
      if (expected[i] == i) number[i] = next++;
      EXPECT_EQ(found[i], number[expected[i]]) << radius;
    }
  }
}

TEST(ClusterPoints, ManyCoincidentPointsAreNotQuadratic) {
  // Ten billion pairs: only a method that does not look at all of them comes back.
  const Points same = Points::Zero(3, 100'000);
  EXPECT_EQ(clusterPoints(same, 0).back(), 0u);
  Points dense = randomPoints(100'000, 11);
  dense.col(0) *= 1e6;  // one stray point makes everything else lie within the radius
  const std::vector<std::uint32_t> clusters = clusterPoints(dense, 1.0);
  EXPECT_EQ(clusters[0], 0u);
  EXPECT_EQ(clusters[1], 1u);
  EXPECT_EQ(clusters.back(), 1u);
}

}  // namespace
}  // namespace sinew::point_grid_test
