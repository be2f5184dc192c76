#include "sinew/samples/exact_arm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sinew/base/error.h"
#include "sinew/deform/posing.h"

namespace sinew::exact_arm_test {
namespace {

double radians(double degrees) {
  return degrees * std::numbers::pi / 180;
}

// rms over vertices between linear blend and the sculptor, in diagonals of the rest shape.
double linearBlendError(const Sample& arm, double bend, double twist) {
  const Pose pose = exactArmPose(arm.character, radians(bend), radians(twist));
  const Points blended = posePoints(arm.character, pose);
  const Points sculpted = exactArmSculpt(radians(bend), radians(twist));
  return std::sqrt((blended - sculpted).squaredNorm() / static_cast<double>(blended.cols()) / 4.32);
}

TEST(ExactArm, DiffersFromLinearBlendByTheKnownAmounts) {
  const Sample arm = makeExactArm();
  EXPECT_NEAR(linearBlendError(arm, 90, 0), 0.0170433102, 1e-8);
  EXPECT_NEAR(linearBlendError(arm, 160, 0), 0.0447278165, 1e-8);
  EXPECT_NEAR(linearBlendError(arm, 0, 170), 0.0426145995, 1e-8);
  EXPECT_NEAR(linearBlendError(arm, 60, 90), 0.0202478548, 1e-8);
}

TEST(ExactArm, SculptsKnownPointsAtARightAngle) {
  const Points sculpt = exactArmSculpt(radians(90), 0);
  EXPECT_LT((sculpt.col(480) - Vec3(-0.14147596, 0.14147596, 0)).norm(), 1e-7);
  EXPECT_LT((sculpt.col(264) - Vec3(-0.46604344, 0.20713163, 0)).norm(), 1e-7);
  EXPECT_LT((sculpt.col(816) - Vec3(-0.23, 0.7, 0)).norm(), 1e-7);
}

TEST(ExactArm, KeepsItsVertexOrderAndQuads) {
  const Sample arm = makeSample("arm", {.exact = true});
  const Mesh& mesh = arm.character.mesh;
  ASSERT_EQ(mesh.vertexCount(), 984);
  EXPECT_EQ(mesh.faces.size(), 40u * 24u);
  EXPECT_EQ(mesh.uvs.cols(), 0);
  const int i = 17;
  const int j = 5;
  const double a = 2 * std::numbers::pi * j / 24;
  EXPECT_LT((mesh.points.col(24 * i + j) - Vec3(-1 + i / 20.0, 0.2 * std::cos(a), 0.2 * std::sin(a))).norm(), 1e-15);
  // Faces look outwards.
  const auto face = mesh.faces[100];
  const Vec3 p = mesh.points.col(face[0]);
  const Vec3 normal = (mesh.points.col(face[1]) - p).cross(mesh.points.col(face[2]) - p);
  EXPECT_GT(normal.dot(Vec3(0, p.y(), p.z())), 0);
}

TEST(ExactArm, ExamplesAndHeldOutTruthsAreTheSculptorAtTheirBends) {
  const Sample arm = makeSample("arm", {.exact = true});
  ASSERT_EQ(arm.examples.examples.size(), 4u);
  ASSERT_EQ(arm.heldOut.examples.size(), 4u);
  EXPECT_EQ(arm.examples.examples[1].name, "bend80");
  EXPECT_EQ(arm.examples.examples[1].points, exactArmSculpt(radians(80), 0));
  EXPECT_EQ(arm.heldOut.examples[3].points, exactArmSculpt(radians(140), 0));
  EXPECT_EQ(arm.examples.rest, exactArmRest());
}

TEST(ExactArm, OnlyTheArmHasAnExactForm) {
  for (const SampleRow& row : samples()) {
    if (row.name == "arm") continue;
    try {
      makeSample(row.name, {.exact = true});
      FAIL() << row.name << " was made";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::BadInput);
    }
  }
}

}  // namespace
}  // namespace sinew::exact_arm_test
