#include "sinew/character/mesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "sinew/base/error.h"
#include "support/test_arm.h"

namespace sinew::mesh_test {
namespace {

Mesh polygon(const Points& corners) {
  Mesh mesh;
  mesh.points = corners;
  std::vector<std::uint32_t> face(static_cast<std::size_t>(corners.cols()));
  std::iota(face.begin(), face.end(), 0u);
  mesh.faces.add(face);
  return mesh;
}

Vec3 areaOf(const Mesh& mesh, const Triangle& t) {
  const Vec3 a = mesh.points.col(t[1]) - mesh.points.col(t[0]);
  return 0.5 * a.cross(Vec3(mesh.points.col(t[2]) - mesh.points.col(t[0])));
}

std::string refusalOfMesh(const Mesh& mesh) {
  try {
    checkMesh(mesh, "mesh");
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

Mesh quad() {
  Points corners(3, 4);
  corners << 0, 1, 1, 0,  //
      0, 0, 1, 1,         //
      0, 0, 0, 0;
  return polygon(corners);
}

TEST(Triangulate, ConvexPolygonBecomesAFan) {
  Points corners(3, 5);
  for (Index i = 0; i < 5; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / 5;
    corners.col(i) = Vec3(std::cos(angle), std::sin(angle), 0);
  }
  const auto triangles = triangulate(polygon(corners));
  ASSERT_EQ(triangles.size(), 3u);
  EXPECT_EQ(triangles[0], (Triangle{0, 1, 2}));
  EXPECT_EQ(triangles[2], (Triangle{0, 3, 4}));
}

TEST(Triangulate, ConcavePolygonsAreCoveredWithoutFoldsInAnyPlane) {
  // An L, an arrow and a comb: each triangle must turn as the polygon does, and the areas must add up.
  const std::vector<std::vector<Eigen::Vector2d>> shapes = {
      {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 3}, {0, 3}},
      {{0, 0}, {2, 2}, {0, 1}, {-2, 2}},
      {{0, 0}, {5, 0}, {5, 3}, {4, 3}, {4, 1}, {3, 1}, {3, 3}, {2, 3}, {2, 1}, {1, 1}, {1, 3}, {0, 3}}};
  const Mat3 turned = Eigen::AngleAxisd(1.1, Vec3(1, -2, 0.5).normalized()).toRotationMatrix();
  for (const auto& shape : shapes) {
    for (const bool backwards : {false, true}) {
      Points corners(3, static_cast<Index>(shape.size()));
      double area = 0;
      for (std::size_t i = 0; i < shape.size(); ++i) {
        const Eigen::Vector2d& p = shape[i];
        const Eigen::Vector2d& q = shape[(i + 1) % shape.size()];
        area += 0.5 * (p.x() * q.y() - p.y() * q.x());
        const auto at = static_cast<Index>(backwards ? shape.size() - 1 - i : i);
        corners.col(at) = turned * Vec3(p.x(), p.y(), 0) + Vec3(5, 6, 7);
      }
      const Vec3 up = turned * Vec3(0, 0, backwards ? -1 : 1);
      const Mesh mesh = polygon(corners);
      const auto triangles = triangulate(mesh);
      ASSERT_EQ(triangles.size(), shape.size() - 2);
      double sum = 0;
      for (const Triangle& t : triangles) {
        EXPECT_GT(areaOf(mesh, t).dot(up), 0);
        sum += areaOf(mesh, t).dot(up);
      }
      EXPECT_NEAR(sum, area, 1e-12);
    }
  }
}

TEST(Triangulate, FacesOfOneOrTwoCornersGiveNothing) {
  Mesh mesh = quad();
  mesh.faces.add(std::array<std::uint32_t, 2>{0, 1});
  mesh.faces.add(std::array<std::uint32_t, 1>{2});
  mesh.faces.add(std::array<std::uint32_t, 3>{0, 1, 2});
  const auto triangles = triangulate(mesh);
  ASSERT_EQ(triangles.size(), 3u);
  EXPECT_EQ(triangles[2], (Triangle{0, 1, 2}));
}

TEST(ComputeNormals, CornerOfACubeSeesItsThreeSidesEquallyHoweverTheyAreCut) {
  // The +z side is cut in two triangles at the corner, the others in one: area weights would lean to +z.
  Points points(3, 7);
  points << 0, 1, 1, 0, 0, 0, 1,  //
      0, 0, 1, 1, 0, 1, 0,        //
      0, 0, 0, 0, -1, -1, -1;
  const std::vector<Triangle> triangles = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 1}};
  Points normals;
  computeNormals(points, triangles, normals);
  EXPECT_LT((normals.col(0) - Vec3(-1, -1, 1).normalized()).norm(), 1e-12);
}

TEST(ComputeNormals, TubePointsOutwardAndLooseVerticesHaveNone) {
  Mesh mesh = test::testArm().mesh;
  mesh.points.conservativeResize(3, mesh.points.cols() + 1);
  mesh.points.rightCols<1>() = Vec3(9, 9, 9);
  Points normals;
  computeNormals(mesh.points, triangulate(mesh), normals);
  const double sign = normals.col(0).dot(Vec3(0, 1, 0)) > 0 ? 1 : -1;
  for (Index v = 12; v + 13 < mesh.points.cols(); ++v) {
    const Vec3 outward = sign * Vec3(0, mesh.points(1, v), mesh.points(2, v)).normalized();
    EXPECT_GT(normals.col(v).dot(outward), 0.99);
    EXPECT_NEAR(normals.col(v).norm(), 1, 1e-12);
  }
  EXPECT_TRUE(normals.rightCols<1>().isZero());
}

TEST(BoundingBox, OfPointsAndOfNothing) {
  const BoundingBox box = boundingBox(quad().points);
  EXPECT_DOUBLE_EQ(box.diagonal(), std::sqrt(2.0));
  EXPECT_EQ(box.centre(), Vec3(0.5, 0.5, 0));
  EXPECT_EQ(boundingBox(Points(3, 0)).diagonal(), 0);
}

TEST(CheckMesh, AcceptsAGoodMeshAndNamesWhatIsWrongWithABadOne) {
  EXPECT_EQ(refusalOfMesh(quad()), "");
  EXPECT_EQ(refusalOfMesh(test::testArm().mesh), "");
  Mesh mesh = quad();
  mesh.faces.corner[2] = 4;
  EXPECT_NE(refusalOfMesh(mesh).find("vertex 4"), std::string::npos) << refusalOfMesh(mesh);
  mesh = quad();
  mesh.points(1, 2) = std::nan("");
  EXPECT_NE(refusalOfMesh(mesh).find("vertex 2"), std::string::npos) << refusalOfMesh(mesh);
  mesh = quad();
  mesh.faces.start = {0, 5, 4};
  EXPECT_NE(refusalOfMesh(mesh).find("faces"), std::string::npos) << refusalOfMesh(mesh);
  mesh = quad();
  mesh.normals.resize(3, 3);
  EXPECT_NE(refusalOfMesh(mesh).find("3 normals for 4"), std::string::npos) << refusalOfMesh(mesh);
  mesh = quad();
  mesh.uvs.setZero(2, 2);
  EXPECT_NE(refusalOfMesh(mesh).find("2 texture coordinates"), std::string::npos) << refusalOfMesh(mesh);
  mesh.cornerUv = {0, 1, 2, 0};
  EXPECT_NE(refusalOfMesh(mesh).find("texture coordinate 2 of 2"), std::string::npos) << refusalOfMesh(mesh);
  mesh.cornerUv = {0};
  EXPECT_NE(refusalOfMesh(mesh).find("texture corners"), std::string::npos) << refusalOfMesh(mesh);
}

TEST(CheckMesh, PartsMustCoverTheMesh) {
  Mesh mesh = quad();
  MeshPart part;
  part.name = "half";
  part.vertexCount = 2;
  mesh.parts = {part};
  EXPECT_NE(refusalOfMesh(mesh).find("2 of 4"), std::string::npos) << refusalOfMesh(mesh);
  part.firstVertex = 2;
  part.faceCount = 1;
  mesh.parts.push_back(part);
  EXPECT_EQ(refusalOfMesh(mesh), "");
  mesh.parts[1].firstVertex = 1;
  EXPECT_NE(refusalOfMesh(mesh).find("starts at vertex 1"), std::string::npos) << refusalOfMesh(mesh);
  mesh.parts[1].firstVertex = 2;
  mesh.parts[1].faceCount = 2;
  EXPECT_NE(refusalOfMesh(mesh).find("2 faces"), std::string::npos) << refusalOfMesh(mesh);
}

}  // namespace
}  // namespace sinew::mesh_test
