#include "sinew/math/bvh.h"

#include <gtest/gtest.h>

#include "sinew/base/error.h"
#include "sinew/base/random.h"
#include "support/surfaces.h"

namespace sinew::bvh_test {
namespace {

TEST(TriangleBvh, SegmentsOutOfASphereMeetItOnce) {
  const test::Surface sphere = test::sphereSurface(1, 30, 40);
  const TriangleBvh bvh(sphere.points, sphere.triangles);
  Lcg random(1);
  for (int i = 0; i < 2000; ++i) {
    const Vec3 from = 0.5 * random.vector();
    const Vec3 to = 3 * random.vector().normalized();
    const auto hit = bvh.firstHit(from, to);
    ASSERT_GE(hit.triangle, 0);
    EXPECT_NEAR((from + hit.fraction * (to - from)).norm(), 1, 0.02);
    EXPECT_TRUE(bvh.blocked(from, to));
    EXPECT_FALSE(bvh.blocked(from, 0.3 * random.vector()));
  }
}

TEST(TriangleBvh, AgreesWithEveryTriangleTriedAlone) {
  Lcg random(5);
  Points points(3, 90);
  std::vector<Triangle> triangles;
  for (Index p = 0; p < 90; ++p) points.col(p) = random.vector();
  for (std::uint32_t t = 0; t < 60; ++t) triangles.push_back({t, (t * 7 + 3) % 90, (t * 13 + 5) % 90});
  const TriangleBvh bvh(points, triangles);
  for (int i = 0; i < 500; ++i) {
    const Vec3 from = random.vector();
    const Vec3 to = random.vector();
    TriangleBvh::Hit best;
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      const auto alone = TriangleBvh(points, {&triangles[t], 1}).firstHit(from, to);
      if (alone.triangle >= 0 && (best.triangle < 0 || alone.fraction < best.fraction)) {
        best = {static_cast<Index>(t), alone.fraction};
      }
    }
    const auto hit = bvh.firstHit(from, to);
    EXPECT_EQ(hit.triangle, best.triangle);
    EXPECT_EQ(bvh.blocked(from, to), best.triangle >= 0);
  }
}

TEST(TriangleBvh, SegmentsThroughEdgesAndAlongAxesDoNotSlipThrough) {
  const test::Surface grid = test::gridSurface(8);
  const TriangleBvh bvh(grid.points, grid.triangles);
  for (int i = 0; i <= 16; ++i) {
    for (int j = 0; j <= 16; ++j) {
      const Vec3 at(i / 16.0, j / 16.0, 0);  // points, edge middles and diagonals of the grid
      EXPECT_TRUE(bvh.blocked(at + Vec3(0, 0, 1), at - Vec3(0, 0, 1)));
      EXPECT_FALSE(bvh.blocked(at + Vec3(0, 0, 1), at + Vec3(0, 0, 1e-3)));
    }
  }
}

TEST(TriangleBvh, TrianglesAtASkippedPointAreNotSeen) {
  const test::Surface grid = test::gridSurface(4);
  const TriangleBvh bvh(grid.points, grid.triangles);
  const std::uint32_t middle = 2 * 5 + 2;
  const Vec3 above = grid.points.col(middle) + Vec3(0, 0, 1);
  EXPECT_TRUE(bvh.blocked(above, grid.points.col(middle)));
  EXPECT_FALSE(bvh.blocked(above, grid.points.col(middle), middle));
}

TEST(TriangleBvh, EmptyAndFlatInputs) {
  EXPECT_FALSE(TriangleBvh(Points(3, 0), {}).blocked(Vec3::Zero(), Vec3::Ones()));
  const std::vector<Triangle> flat(20, Triangle{0, 0, 0});
  EXPECT_FALSE(TriangleBvh(Points::Zero(3, 1), flat).blocked(Vec3(-1, 0, 0), Vec3(1, 0, 0)));
  const std::vector<Triangle> beyond = {{0, 1, 2}};
  EXPECT_THROW(TriangleBvh(Points::Zero(3, 2), beyond), Error);
}

}  // namespace
}  // namespace sinew::bvh_test
