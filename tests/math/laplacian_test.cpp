#include "sinew/math/laplacian.h"

#include <gtest/gtest.h>

#include "sinew/base/error.h"
#include "support/surfaces.h"

namespace sinew::laplacian_test {
namespace {

TEST(SurfaceLaplacian, RightTriangleByHand) {
  Points points(3, 3);
  points << 0, 1, 0,  //
      0, 0, 1,        //
      0, 0, 0;
  const std::vector<Triangle> one = {{0, 1, 2}};
  const SurfaceLaplacian laplacian = surfaceLaplacian(points, one);
  ASSERT_EQ(laplacian.edges.size(), 3u);
  EXPECT_NEAR(laplacian.edges[0].weight, 0.5, 1e-12);   // 0-1 is opposite 45 degrees
  EXPECT_NEAR(laplacian.edges[1].weight, 0.5, 1e-12);   // 0-2 too
  EXPECT_NEAR(laplacian.edges[2].weight, 1e-3, 1e-12);  // opposite the right angle: the least
  for (Index p = 0; p < 3; ++p) EXPECT_NEAR(laplacian.mass[p], 0.5 / 3, 1e-12);
}

TEST(SurfaceLaplacian, MassSumsToTheArea) {
  const test::Surface sphere = test::sphereSurface(2, 60, 80);
  const double area = 4 * std::numbers::pi * 4;
  EXPECT_NEAR(surfaceLaplacian(sphere.points, sphere.triangles).mass.sum(), area, 0.005 * area);
}

TEST(SurfaceLaplacian, LinearFunctionsAreHarmonicInsideAFlatSurface) {
  const test::Surface grid = test::gridSurface(8);
  const SurfaceLaplacian laplacian = surfaceLaplacian(grid.points, grid.triangles);
  const SparseMatrix matrix = shiftedLaplacian(laplacian, Eigen::VectorXd::Zero(81), 1);
  const Eigen::VectorXd residual = matrix * grid.points.row(0).transpose();
  for (int i = 1; i < 8; ++i) {
    for (int j = 1; j < 8; ++j) EXPECT_NEAR(residual[i * 9 + j], 0, 1e-12);
  }
  EXPECT_NEAR((matrix * Eigen::VectorXd::Ones(81)).norm(), 0, 1e-12);
}

TEST(SurfaceLaplacian, BadTrianglesAndLoosePointsLeaveItPositive) {
  Points points(3, 7);
  points << 0, 1, 0, 0.5, 9, 1, 1,  //
      0, 0, 1, 0, 9, 1, 1,          //
      0, 0, 0, 0, 9, 0, 1;
  // A sliver without area, a repeated corner, three triangles on edge 0-1, and the loose point 4.
  const std::vector<Triangle> triangles = {{0, 1, 2}, {0, 3, 1}, {0, 0, 2}, {0, 1, 5}, {1, 0, 6}};
  const SurfaceLaplacian laplacian = surfaceLaplacian(points, triangles);
  EXPECT_GT(laplacian.mass.minCoeff(), 0);
  for (const WeightedEdge& edge : laplacian.edges) EXPECT_GT(edge.weight, 0);
  const auto pieces = connectedPieces(7, laplacian.edges);
  EXPECT_EQ(pieces, (std::vector<std::uint32_t>{0, 0, 0, 0, 1, 0, 0}));
}

TEST(SurfaceLaplacian, RefusesPointsThatDoNotExist) {
  const std::vector<Triangle> beyond = {{0, 1, 3}};
  EXPECT_THROW(surfaceLaplacian(Points::Zero(3, 3), beyond), Error);
}

}  // namespace
}  // namespace sinew::laplacian_test
