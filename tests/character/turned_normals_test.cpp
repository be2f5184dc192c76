#include "sinew/character/turned_normals.h"

#include <gtest/gtest.h>

#include "sinew/base/error.h"
#include "support/test_arm.h"

namespace sinew::turned_normals_test {
namespace {

Mesh armWithNormals() {
  Mesh mesh = test::testArm().mesh;
  computeNormals(mesh.points, triangulate(mesh), mesh.normals);
  return mesh;
}

TEST(TurnedNormals, StayWhereTheShapeStays) {
  const Mesh mesh = armWithNormals();
  EXPECT_EQ(turnedNormals(mesh, mesh.points), mesh.normals);
}

TEST(TurnedNormals, FollowTheShapeAndKeepHardEdges) {
  Mesh mesh = armWithNormals();
  mesh.normals.col(5) = Vec3::UnitX();  // not what the surface says: as at a hard edge
  const Points bent = mesh.points + 0.1 * mesh.points.colwise().norm().replicate(3, 1).cwiseProduct(mesh.points);
  Points smooth;
  computeNormals(bent, triangulate(mesh), smooth);
  const Points turned = turnedNormals(mesh, bent);
  for (Index v = 0; v < mesh.points.cols(); ++v) {
    EXPECT_NEAR(turned.col(v).norm(), 1, 1e-12);
    if (v != 5) {
      EXPECT_LE((turned.col(v) - smooth.col(v)).norm(), 1e-9) << v;
    }
  }
  EXPECT_LE((turned.col(5) - Vec3::UnitX()).norm(), 0.3);
}

TEST(TurnedNormals, AreNoneWhereThereWereNone) {
  const Mesh mesh = test::testArm().mesh;
  EXPECT_EQ(turnedNormals(mesh, mesh.points).cols(), 0);
  EXPECT_THROW(turnedNormals(mesh, mesh.points.leftCols(2)), Error);
}

}  // namespace
}  // namespace sinew::turned_normals_test
