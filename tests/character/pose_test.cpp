#include "sinew/character/pose.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sinew/base/error.h"
#include "support/test_arm.h"

namespace sinew::pose_test {
namespace {

TEST(PoseJoints, ParentsThatStandAfterTheirChildrenComeFirst) {
  Joint hand{"hand", 1, {}};
  hand.rest.translation = Vec3(1, 0, 0);
  Joint arm{"arm", -1, {}};
  arm.rest.translation = Vec3(0, 2, 0);
  arm.rest.rotation = Quat(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitZ()));
  const Skeleton skeleton({hand, arm});
  PosedJoints posed;
  poseJoints(skeleton, {}, restPose(skeleton), posed);
  EXPECT_LT((posed.worldFromJoint[0].translation() - Vec3(0, 3, 0)).norm(), 1e-12);
}

TEST(PoseJoints, BindingsTakeRestToWorld) {
  const Character arm = test::testArm();
  PosedJoints posed;
  poseJoints(arm, restPose(arm), posed);
  for (const Affine& worldFromRest : posed.worldFromRest) {
    EXPECT_LT((worldFromRest.matrix() - Affine::Identity().matrix()).norm(), 1e-12);
  }
  Pose pose = restPose(arm);
  pose.local[2].rotation = Quat(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitZ()));
  poseJoints(arm, pose, posed);
  // The elbow is at the origin, so a quarter turn takes the wrist from +x to +y.
  EXPECT_LT((posed.worldFromRest[2] * Vec3(1, 0, 0) - Vec3(0, 1, 0)).norm(), 1e-12);
  EXPECT_LT((posed.worldFromRest[1] * Vec3(-1, 0, 0) - Vec3(-1, 0, 0)).norm(), 1e-12);
}

TEST(PoseJoints, RefusesWrongSizesAndValues) {
  const Character arm = test::testArm();
  PosedJoints posed;
  Pose pose = restPose(arm);
  pose.local.pop_back();
  EXPECT_THROW(poseJoints(arm.skeleton, {}, pose, posed), Error);
  EXPECT_THROW((void)movedBy(arm.skeleton, pose, Eigen::Isometry3d::Identity()), Error);
  pose = restPose(arm);
  pose.local[1].translation.y() = std::nan("");
  try {
    poseJoints(arm.skeleton, {}, pose, posed);
    FAIL() << "a NaN was posed";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'upper'"), std::string::npos) << error.what();
  }
  const std::vector<Binding> beyond = {{3, Affine::Identity()}};
  EXPECT_THROW(poseJoints(arm.skeleton, beyond, restPose(arm), posed), Error);
}

TEST(MovedBy, MovesEveryJointRigidlyInTheWorld) {
  Character arm = test::testArm();
  Pose pose = test::bentArmPose(arm);
  pose.local[0].scale = Vec3(2, 1, 0.5);
  const Eigen::Isometry3d motion = Eigen::Translation3d(1, -2, 3) * Eigen::AngleAxisd(0.7, Vec3(1, 1, -1).normalized());
  PosedJoints before;
  PosedJoints after;
  poseJoints(arm, pose, before);
  poseJoints(arm, movedBy(arm.skeleton, pose, motion), after);
  for (std::size_t j = 0; j < before.worldFromJoint.size(); ++j) {
    const Vec3 point(0.3, -0.4, 0.5);
    EXPECT_LT((after.worldFromJoint[j] * point - motion * (before.worldFromJoint[j] * point)).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace sinew::pose_test
