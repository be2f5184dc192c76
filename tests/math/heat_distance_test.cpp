#include "sinew/math/heat_distance.h"

#include <gtest/gtest.h>

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "support/surfaces.h"

namespace sinew::heat_distance_test {
namespace {

TEST(HeatDistance, MatchesThePlaneFromACorner) {
  const test::Surface grid = test::gridSurface(60);
  const std::vector<std::uint32_t> corner = {0};
  const Eigen::VectorXd found = heatDistance(grid.points, grid.triangles, corner);
  for (Index p = 0; p < found.size(); ++p) EXPECT_NEAR(found[p], grid.points.col(p).norm(), 0.03) << p;
}

TEST(HeatDistance, MatchesArcsOnASphere) {
  const test::Surface sphere = test::sphereSurface(1, 60, 80);
  const auto pole = static_cast<std::uint32_t>(sphere.points.cols() - 2);
  const std::vector<std::uint32_t> sources = {pole};
  const Eigen::VectorXd found = heatDistance(sphere.points, sphere.triangles, sources);
  for (Index p = 0; p < found.size(); ++p) {
    const double arc = std::acos(std::clamp(sphere.points.col(p).dot(sphere.points.col(pole)), -1.0, 1.0));
    EXPECT_NEAR(found[p], arc, 0.03 * std::numbers::pi) << p;
  }
}

TEST(HeatDistance, UnevenTrianglesAreStillWithinAFewPercent) {
  test::Surface grid = test::gridSurface(60);
  Lcg random(3);
  for (Index p = 0; p < grid.points.cols(); ++p) {
    Vec3 point = grid.points.col(p);
    for (int k = 0; k < 2; ++k) {
      if (point[k] > 0 && point[k] < 1) point[k] += 0.4 / 60 * random.symmetric();
    }
    grid.points.col(p) = point;
  }
  const std::vector<std::uint32_t> corner = {0};
  const Eigen::VectorXd found = heatDistance(grid.points, grid.triangles, corner);
  for (Index p = 0; p < found.size(); ++p) EXPECT_NEAR(found[p], grid.points.col(p).norm(), 0.05) << p;
}

TEST(HeatDistance, SourcesKeepTheDistanceThatTheyStartWith) {
  // The left half of a square knows its distance from a line far to the left; the right half continues it.
  const test::Surface grid = test::gridSurface(40);
  std::vector<DistanceSource> sources;
  for (Index p = 0; p < grid.points.cols(); ++p) {
    const double x = grid.points(0, p);
    if (x <= 0.5) sources.push_back({static_cast<std::uint32_t>(p), 2 + x});
  }
  const Eigen::VectorXd found = HeatDistance(grid.points, grid.triangles).distance(sources);
  for (Index p = 0; p < found.size(); ++p) EXPECT_NEAR(found[p], 2 + grid.points(0, p), 0.01);
}

TEST(HeatDistance, TheEarlierOfTwoSourcesWins) {
  const test::Surface grid = test::gridSurface(50);
  std::vector<DistanceSource> sources;
  for (std::uint32_t j = 0; j <= 50; ++j) {
    sources.push_back({j, 0.0});            // the side x = 0
    sources.push_back({50 * 51 + j, 0.4});  // the side x = 1, late
  }
  const Eigen::VectorXd found = HeatDistance(grid.points, grid.triangles).distance(sources);
  for (Index p = 0; p < found.size(); ++p) {
    const double x = grid.points(0, p);
    EXPECT_NEAR(found[p], std::min(x, 1.4 - x), 0.05);
  }
}

TEST(HeatDistance, OtherPiecesAreInfinitelyFar) {
  test::Surface second = test::gridSurface(10);
  second.points.row(2).array() += 1e-3;  // nearly touching
  const test::Surface both = test::joined(test::gridSurface(10), second);
  const std::vector<std::uint32_t> corner = {0};
  const Eigen::VectorXd found = heatDistance(both.points, both.triangles, corner);
  EXPECT_TRUE(found.head(121).allFinite());
  for (Index p = 121; p < found.size(); ++p) EXPECT_TRUE(std::isinf(found[p]));
  const std::vector<std::uint32_t> none;
  EXPECT_TRUE(std::isinf(heatDistance(both.points, both.triangles, none)[0]));
}

TEST(HeatDistance, BadTrianglesAndLoosePointsDoNotSpoilTheRest) {
  test::Surface grid = test::gridSurface(20);
  const Index clean = grid.points.cols();
  grid.points.conservativeResize(3, clean + 2);
  grid.points.col(clean) = Vec3(5, 5, 5);
  grid.points.col(clean + 1) = grid.points.col(7);
  grid.triangles.push_back({7, 8, static_cast<std::uint32_t>(clean + 1)});
  grid.triangles.push_back({30, 30, 31});
  grid.triangles.push_back(grid.triangles[100]);
  const std::vector<std::uint32_t> corner = {0};
  const Eigen::VectorXd found = heatDistance(grid.points, grid.triangles, corner);
  for (Index p = 0; p < clean; ++p) EXPECT_NEAR(found[p], grid.points.col(p).norm(), 0.06) << p;
  EXPECT_TRUE(std::isinf(found[clean]));
}

TEST(HeatDistance, RefusesBadSourcesAndSurfaces) {
  const test::Surface grid = test::gridSurface(3);
  const HeatDistance heat(grid.points, grid.triangles);
  const std::vector<DistanceSource> beyond = {{16, 0}};
  const std::vector<DistanceSource> negative = {{1, -1}};
  EXPECT_THROW((void)heat.distance(beyond), Error);
  EXPECT_THROW((void)heat.distance(negative), Error);
  EXPECT_THROW(HeatDistance(Points(3, 0), {}), Error);
  EXPECT_THROW(HeatDistance(grid.points, grid.triangles, 0), Error);
}

TEST(HeatDistance, SameBitsOnOneAndManyThreads) {
  const test::Surface sphere = test::sphereSurface(1, 20, 30);
  const std::vector<std::uint32_t> sources = {5, 77};
  const Eigen::VectorXd many = heatDistance(sphere.points, sphere.triangles, sources);
  const ThreadLimit one(1);
  EXPECT_EQ(many, heatDistance(sphere.points, sphere.triangles, sources));
}

}  // namespace
}  // namespace sinew::heat_distance_test
