#include "sinew/math/convex_hull.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "sinew/base/random.h"
#include "support/message_of.h"
#include "support/random_points.h"

namespace sinew::convex_hull_test {
namespace {

using test::randomPoints;

Points cube() {
  Points points(3, 8);
  for (int i = 0; i < 8; ++i) points.col(i) = Vec3(i & 1, (i >> 1) & 1, (i >> 2) & 1);
  return points;
}

/// Every directed edge once, every point below every face, as many edges and faces as Euler asks for.
void expectClosedAndConvex(const Points& points, const ConvexHull& hull) {
  ASSERT_EQ(hull.dimension, 3);
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> sides;
  for (const Triangle& t : hull.triangles) {
    const Vec3 normal = (points.col(t[1]) - points.col(t[0])).cross(points.col(t[2]) - points.col(t[0])).normalized();
    for (Index i = 0; i < points.cols(); ++i)
      EXPECT_LE(normal.dot(points.col(i) - points.col(t[0])), 1e-8 * hull.diameter);
    for (std::size_t k = 0; k < 3; ++k) ++sides[{t[k], t[(k + 1) % 3]}];
  }
  for (const auto& [edge, count] : sides) {
    EXPECT_EQ(count, 1);
    EXPECT_TRUE(sides.contains({edge.second, edge.first}));
  }
  EXPECT_EQ(hull.triangles.size(), 2 * hull.corners.size() - 4);
}

TEST(ConvexHull, OfARandomCloudHasTheKnownVolumeAndArea) {
  const Points points = randomPoints(8, 308);
  const ConvexHull hull = convexHull(points);
  expectClosedAndConvex(points, hull);
  EXPECT_NEAR(hull.volume, 0.97069836, 1e-8);
  EXPECT_NEAR(hull.area, 6.67439445, 1e-8);
  EXPECT_EQ(hull.corners.size(), 6u);
  EXPECT_EQ(hull.triangles.size(), 8u);
  EXPECT_EQ(hull.edges.size(), 12u);
}

TEST(ConvexHull, OfACubeHasTwelveEdgesAndNoDiagonals) {
  // Points within faces and edges, the centre, and a corner twice change nothing, in whatever order they come.
  Points points(3, 8 + 26 + 1);
  Index at = 0;
  for (int z = 0; z < 3; ++z) {
    for (int y = 0; y < 3; ++y) {
      for (int x = 0; x < 3; ++x) points.col(at++) = 0.5 * Vec3(x, y, z);
    }
  }
  for (; at < points.cols(); ++at) points.col(at) = cube().col(at - 27);
  for (int turn = 0; turn < 3; ++turn) {
    const ConvexHull hull = convexHull(points);
    EXPECT_EQ(hull.corners.size(), 8u);
    EXPECT_EQ(hull.edges.size(), 12u);
    expectClosedAndConvex(points, hull);
    EXPECT_NEAR(hull.volume, 1, 1e-14);
    EXPECT_NEAR(hull.area, 6, 1e-14);
    EXPECT_NEAR(hull.diameter, std::sqrt(3), 1e-15);
    const Points reversed = points.rowwise().reverse();
    points = turn == 0 ? reversed : Points(points.rightCols(20));
    if (turn == 1) points.conservativeResize(3, 20);
    if (turn == 1) points.rightCols(8) = cube();
  }
}

TEST(ConvexHull, OfFewOrFlatPointsIsAPointASegmentOrAPolygon) {
  EXPECT_EQ(convexHull(Points(3, 0)).dimension, -1);

  const ConvexHull point = convexHull(Points(Vec3(1, 2, 3).replicate(1, 4)));
  EXPECT_EQ(point.dimension, 0);
  EXPECT_EQ(point.corners, std::vector<std::uint32_t>{0});
  EXPECT_EQ(point.diameter, 0);

  const Points line = Vec3(1, 0.5, -0.25) * Eigen::RowVector<double, 5>(0.3, -1, 0.2, 2, -0.5);
  const ConvexHull segment = convexHull(line);
  EXPECT_EQ(segment.dimension, 1);
  EXPECT_EQ(segment.corners, (std::vector<std::uint32_t>{1, 3}));
  ASSERT_EQ(segment.edges.size(), 1u);
  EXPECT_NEAR(segment.diameter, 3 * Vec3(1, 0.5, -0.25).norm(), 1e-14);

  Points square(3, 7);
  square << 0, 1, 1, 0, 0.5, 0.5, 1, /**/ 0, 0, 1, 1, 0, 0.4, 1, /**/ 2, 2, 2, 2, 2, 2, 2;
  const Mat3 turn = Eigen::AngleAxisd(0.7, Vec3(1, -2, 0.5).normalized()).toRotationMatrix();
  const ConvexHull polygon = convexHull(Points(turn * square));
  EXPECT_EQ(polygon.dimension, 2);
  EXPECT_EQ(polygon.corners, (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(polygon.edges.size(), 4u);
  EXPECT_EQ(polygon.triangles.size(), 2u);
  EXPECT_NEAR(polygon.area, 1, 1e-14);
  EXPECT_EQ(polygon.volume, 0);
}

TEST(ConvexHull, AFrameOnTheMiddleOfAnEdgeIsNotTakenForACorner) {
  // The point farthest from the longest line lies within an edge that runs along it.
  Points points(3, 6);
  points << 5, 0, 10, 3, 7, 5, /**/ 1, 0, 0, 1, 1, 0.5, /**/ 0, 0, 0, 0, 0, 0.5;
  const ConvexHull hull = convexHull(points);
  EXPECT_EQ(hull.corners, (std::vector<std::uint32_t>{1, 2, 3, 4, 5}));
  expectClosedAndConvex(points, hull);
}

TEST(ConvexHull, TurnsAndScalesWithItsPoints) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    const Points points = randomPoints(4 + static_cast<int>(seed % 9), seed);
    const ConvexHull hull = convexHull(points);
    expectClosedAndConvex(points, hull);
    Lcg random(seed + 1000);
    const Mat3 turn = Quat(Eigen::AngleAxisd(3 * random.uniform(), random.vector().normalized())).toRotationMatrix();
    const Points moved = (1e3 * (turn * points)).colwise() + Vec3(1e3, -2e3, 5e2);
    const ConvexHull other = convexHull(moved);
    EXPECT_EQ(other.corners, hull.corners);
    EXPECT_EQ(other.edges, hull.edges);
    EXPECT_NEAR(other.volume / hull.volume, 1e9, 1);
    EXPECT_NEAR(other.area / hull.area, 1e6, 1e-3);
  }
}

TEST(ConvexHull, AlmostFlatCloudsStayClosed) {
  for (const double thickness : {1e-3, 1e-5, 3e-6, 1e-6, 3e-7, 1e-9, 1e-13}) {
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
      Points points = randomPoints(9, seed);
      points.row(2) *= thickness;
      const ConvexHull hull = convexHull(points);
      Points flat = points;
      flat.row(2).setZero();
      const double area = convexHull(flat).area;
      EXPECT_NEAR(hull.dimension == 3 ? hull.area / 2 : hull.area, area, 1e-3 * area) << thickness << " " << seed;
      if (thickness > 1e-5 || thickness < 1e-7) {
        EXPECT_EQ(hull.dimension, thickness > 1e-5 ? 3 : 2);
      }
      if (hull.dimension == 3) expectClosedAndConvex(points, hull);
    }
  }
}

TEST(ConvexHull, RefusesValuesThatAreNoNumbers) {
  Points points = randomPoints(5, 1);
  points(1, 3) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(test::messageOf([&] { convexHull(points); }).find('3'), std::string::npos);
}

}  // namespace
}  // namespace sinew::convex_hull_test
