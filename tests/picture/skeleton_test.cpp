#include "sinew/picture/skeleton.h"

#include <gtest/gtest.h>

#include <limits>

#include "sinew/base/error.h"
#include "support/test_arm.h"

namespace sinew::picture::skeleton_test {
namespace {

std::vector<Affine> restTransforms(const Character& arm) {
  PosedJoints posed;
  poseJoints(arm, restPose(arm.skeleton), posed);
  return posed.worldFromJoint;
}

/// Six times the enclosed volume: positive where all triangles face outwards.
double signedVolume(const Geometry& geometry) {
  double volume = 0;
  for (const Triangle& t : geometry.triangles) {
    volume += geometry.points.col(t[0]).dot(geometry.points.col(t[1]).cross(geometry.points.col(t[2])));
  }
  return volume;
}

TEST(BoneGeometry, RunsFromJointToJoint) {
  const Character arm = test::testArm();
  const Geometry bones = boneGeometry(arm.skeleton, restTransforms(arm), {}, {.jointRadius = 0, .leafLength = 0});
  // root and upper share a place: one bone only, from x = -1 to 0.
  EXPECT_EQ(bones.triangles.size(), 8U);
  EXPECT_NEAR(bones.points.row(0).minCoeff(), -1, 1e-12);
  EXPECT_NEAR(bones.points.row(0).maxCoeff(), 0, 1e-12);
  EXPECT_GT(signedVolume(bones), 0);
}

TEST(BoneGeometry, LastJointsCarryOnStraight) {
  const Character arm = test::testArm();
  const Geometry bones = boneGeometry(arm.skeleton, restTransforms(arm), {}, {.jointRadius = 0, .leafLength = 0.5});
  EXPECT_NEAR(bones.points.row(0).maxCoeff(), 0.5, 1e-9);
}

TEST(BoneGeometry, DrawsOnlyTheJointsAskedFor) {
  const Character arm = test::testArm();
  const std::vector<int> joints{0, 2};
  const Geometry bones = boneGeometry(arm.skeleton, restTransforms(arm), joints, {.leafLength = 0});
  // One bone of 8 triangles over the joint between, and two balls of 80.
  EXPECT_EQ(bones.triangles.size(), 8U + 2 * 80U);
  EXPECT_EQ(bones.triangleColours.size(), bones.triangles.size());
}

TEST(BoneGeometry, RefusesWhatDoesNotFit) {
  const Character arm = test::testArm();
  std::vector<Affine> transforms = restTransforms(arm);
  const std::vector<int> unknown{7};
  EXPECT_THROW(static_cast<void>(boneGeometry(arm.skeleton, transforms, unknown)), Error);
  EXPECT_THROW(static_cast<void>(boneGeometry(arm.skeleton, transforms, {}, {.thickness = 2})), Error);
  transforms[1].translation().x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(static_cast<void>(boneGeometry(arm.skeleton, transforms)), Error);
  transforms.pop_back();
  EXPECT_THROW(static_cast<void>(boneGeometry(arm.skeleton, transforms)), Error);
}

TEST(BallGeometry, IsARoundClosedSurface) {
  const Points centre = Vec3(1, 2, 3);
  const Geometry ball = ballGeometry(centre, 0.5, {1, 2, 3});
  EXPECT_EQ(ball.triangles.size(), 80U);
  for (Index i = 0; i < ball.points.cols(); ++i) {
    EXPECT_NEAR((ball.points.col(i) - centre.col(0)).norm(), 0.5, 1e-12);
  }
  EXPECT_GT(signedVolume(ball), 0);
  EXPECT_THROW(static_cast<void>(ballGeometry(centre, 0, {})), Error);
}

}  // namespace
}  // namespace sinew::picture::skeleton_test
