#include "sinew/character/pose_space.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sinew/base/error.h"
#include "sinew/base/random.h"
#include "sinew/math/rotation.h"
#include "support/allocations.h"
#include "support/test_arm.h"

namespace sinew::pose_space_test {
namespace {

Character armWithMorph() {
  Character arm = test::testArm();
  MorphTarget morph;
  morph.name = "flex";
  morph.deltas = Points::Constant(3, arm.mesh.vertexCount(), 0.01);
  arm.morphs.push_back(morph);
  return arm;
}

Example example(const Character& arm, const char* joint, const Vec3& turn, const Vec3& shift = Vec3::Zero()) {
  Example result;
  result.name = joint;
  result.pose = restPose(arm);
  LocalTransform& local = result.pose.local[static_cast<std::size_t>(arm.skeleton.index(joint))];
  local.rotation = local.rotation * quaternionFromRotationVector(turn);
  local.translation += shift;
  return result;
}

PoseSpace space(const Character& arm, RotationCoordinates kind) {
  const ExampleSet set{{}, {example(arm, "lower", {0.3, -0.4, 1}, {0.1, 0, 0.2})}, {}};
  return choosePoseSpace(arm, set, kind).space;
}

TEST(PoseSpaceCoordinates, ComeBackFromThePoseThatTheyMake) {
  const Character arm = armWithMorph();
  for (const RotationCoordinates kind : {RotationCoordinates::RotationVector, RotationCoordinates::SwingTwist}) {
    const PoseSpace poses = space(arm, kind);
    ASSERT_EQ(poses.drivers.size(), 2u);
    EXPECT_EQ(poses.dimensions(), 6);
    Lcg random(4);
    for (int i = 0; i < 20; ++i) {
      Eigen::VectorXd x(6);
      x << 0.7 * random.vector(), random.vector();
      Pose pose = restPose(arm);
      poses.apply(arm.skeleton, x, pose);
      EXPECT_LT((poses.coordinates(arm.skeleton, pose) - x).cwiseAbs().maxCoeff(), 1e-10) << nameOf(kind);
    }
  }
}

TEST(PoseSpaceCoordinates, AreZeroAtRestAndTheAngleForASingleAxis) {
  const Character arm = armWithMorph();
  const PoseSpace poses = space(arm, RotationCoordinates::RotationVector);
  EXPECT_EQ(poses.coordinates(arm.skeleton, restPose(arm)).norm(), 0);
  const Example bent = example(arm, "lower", {0, 0, 1.2});
  EXPECT_NEAR(poses.coordinates(arm.skeleton, bent.pose)[2], 1.2, 1e-12);
}

TEST(PoseSpaceCoordinates, SplitATwistFromASwing) {
  const Character arm = armWithMorph();
  const PoseSpace poses = space(arm, RotationCoordinates::SwingTwist);
  const Vec3 axis = poses.drivers[0].axis;
  const Example twisted = example(arm, "lower", 0.8 * axis);
  const Eigen::VectorXd x = poses.coordinates(arm.skeleton, twisted.pose);
  EXPECT_LT(x.head<2>().norm(), 1e-12);
  EXPECT_NEAR(x[2], 0.8, 1e-12);
}

TEST(PoseSpaceCoordinates, HaveNoSeamBetweenTheTwoQuaternionsOfATurn) {
  const Character arm = armWithMorph();
  const PoseSpace poses = space(arm, RotationCoordinates::Quaternion);
  Example turned = example(arm, "lower", {0, 0, 2.5});
  const Eigen::VectorXd x = poses.coordinates(arm.skeleton, turned.pose);
  for (LocalTransform& local : turned.pose.local) local.rotation.coeffs() *= -1;
  EXPECT_EQ(poses.coordinates(arm.skeleton, turned.pose), x);
  Pose back = restPose(arm);
  poses.apply(arm.skeleton, x, back);
  EXPECT_LT(back.local[2].rotation.angularDistance(turned.pose.local[2].rotation), 1e-7);
}

TEST(PoseSpaceCoordinates, DoNotAllocate) {
  const Character arm = armWithMorph();
  const PoseSpace poses = space(arm, RotationCoordinates::RotationVector);
  const Pose pose = example(arm, "lower", {0, 0, 1}).pose;
  Eigen::VectorXd x(poses.dimensions());
  const std::size_t before = test::allocationCount();
  poses.coordinates(arm.skeleton, pose, x);
  EXPECT_EQ(test::allocationCount(), before);
}

TEST(ChoosePoseSpace, TakesWhatTheExamplesMove) {
  const Character arm = armWithMorph();
  ExampleSet set{{}, {example(arm, "lower", {0, 0, 1}), example(arm, "lower", {0, 0, 0}, {0, 0.3, 0})}, {}};
  set.examples[1].pose.morphWeights[0] = 1;
  const PoseSpace poses = choosePoseSpace(arm, set).space;
  ASSERT_EQ(poses.drivers.size(), 3u);
  EXPECT_EQ(poses.drivers[0].kind, DriverKind::RotationVector);
  EXPECT_EQ(poses.drivers[1].kind, DriverKind::Translation);
  EXPECT_EQ(poses.drivers[2].kind, DriverKind::Channel);
  EXPECT_EQ(poses.drivers[2].name, "flex");
  EXPECT_EQ(poses.coordinates(arm.skeleton, set.examples[1].pose)[6], 1);
}

TEST(ChoosePoseSpace, MeasuresShiftsByTheSkinOfTheJointsThatTranslate) {
  // A shift by the size of its skin is as far as a turn by a radian, on bodies of any size.
  for (const double scale : {1.0, 100.0}) {
    Character arm = armWithMorph();
    arm.mesh.points *= scale;
    for (Binding& binding : arm.skin.bindings) binding.jointFromRest.translation() *= scale;
    const ExampleSet set{{}, {example(arm, "lower", {0, 0, 1}, {0, 0.3 * scale, 0})}, {}};
    const PoseSpace poses = choosePoseSpace(arm, set).space;
    const int lower = arm.skeleton.index("lower");
    double squares = 0;
    double weights = 0;
    for (Index v = 0; v < arm.mesh.vertexCount(); ++v) {
      for (const Influence& influence : arm.skin.weights[v]) {
        const Binding& binding = arm.skin.bindings[influence.binding];
        if (binding.joint != lower) continue;
        squares += influence.weight * (binding.jointFromRest * Vec3(arm.mesh.points.col(v))).squaredNorm();
        weights += influence.weight;
      }
    }
    const double size = std::sqrt(squares / weights);
    EXPECT_LT(size, 0.6 * boundingBox(arm.mesh.points).diagonal());
    EXPECT_NEAR(poses.coordinates(arm.skeleton, set.examples[0].pose)[4], 0.3 * scale / size, 1e-9);
  }
}

TEST(ChoosePoseSpace, LeavesOutWhatCarriesTheWholeBody) {
  const Character arm = armWithMorph();
  const ExampleSet set{{}, {example(arm, "root", {0, 1, 0}), example(arm, "lower", {0, 0, 1})}, {}};
  const PoseSpaceChoice choice = choosePoseSpace(arm, set);
  ASSERT_EQ(choice.space.drivers.size(), 1u);
  EXPECT_EQ(choice.space.drivers[0].name, "lower");
  ASSERT_EQ(choice.notes.size(), 1u);
  EXPECT_NE(choice.notes[0].find("'root'"), std::string::npos);
}

TEST(ChoosePoseSpace, TakesWhatIsNamed) {
  const Character arm = armWithMorph();
  ExampleSet set{{}, {example(arm, "root", {0, 1, 0}), example(arm, "lower", {0, 0, 1})}, {{"root", 0.25}}};
  set.examples[0].pose.morphWeights[0] = 0.5;
  set.drivers.push_back({"flex", 2});
  const PoseSpace poses = choosePoseSpace(arm, set).space;
  ASSERT_EQ(poses.drivers.size(), 2u);
  EXPECT_EQ(poses.drivers[0].weight, 0.25);
  EXPECT_EQ(poses.drivers[1].kind, DriverKind::Channel);
}

TEST(ChoosePoseSpace, RefusesDriversThatDoNotDrive) {
  const Character arm = armWithMorph();
  const auto says = [&](const Driver& driver, const char* words) {
    const ExampleSet set{{}, {example(arm, "lower", {0, 0, 1})}, {driver}};
    try {
      choosePoseSpace(arm, set);
      FAIL() << words;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  says({"upper", 1}, "'upper' never moves");
  says({"flex", 1}, "'flex' never moves");
  says({"lowr", 1}, "lower");
  says({"lower", 0}, "must be positive");
}

}  // namespace
}  // namespace sinew::pose_space_test
