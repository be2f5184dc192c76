#include "sinew/deform/posing.h"

#include <gtest/gtest.h>

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/deform/linear_blend.h"
#include "support/allocations.h"
#include "support/test_arm.h"

namespace sinew::posing_test {
namespace {

MorphTarget bump(Index firstVertex, Index count) {
  MorphTarget morph;
  morph.name = "bump";
  morph.firstVertex = firstVertex;
  morph.deltas = Points::Constant(3, count, 0.5);
  return morph;
}

TEST(Posing, GivesTheRestShapeInTheRestPose) {
  const Character arm = test::testArm();
  EXPECT_LT((posePoints(arm, restPose(arm)) - arm.mesh.points).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(Posing, AddsMorphTargetsBeforeTheSkinMoves) {
  Character arm = test::testArm();
  arm.morphs.push_back(bump(10, 20));
  Pose pose = test::bentArmPose(arm);
  pose.morphWeights = {0.5};
  PosedJoints joints;
  poseJoints(arm, pose, joints);
  Points shape = arm.mesh.points;
  shape.middleCols(10, 20).array() += 0.25;
  EXPECT_LT((posePoints(arm, pose) - LinearBlend(arm.skin.weights).deform(shape, joints)).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(Posing, OfACharacterWithoutSkinGivesItsMorphedPoints) {
  Character stone;
  stone.mesh.points = Points::Random(3, 7);
  stone.morphs.push_back(bump(0, 7));
  Pose pose = restPose(stone);
  pose.morphWeights = {2};
  EXPECT_EQ(posePoints(stone, pose), Points(stone.mesh.points.array() + 1.0));
}

TEST(Posing, TakesAnotherOperatorInPlaceOfTheLinearBlend) {
  Character arm = test::testArm();
  const auto upperOnly =
      std::make_shared<LinearBlend>(SkinWeights::rigid(arm.skin.bindings.size(), arm.mesh.vertexCount(), 1));
  Pose pose = restPose(arm);
  pose.local[2].rotation = Quat(Eigen::AngleAxisd(1, Vec3::UnitZ()));
  EXPECT_LT((posePoints(arm, pose, upperOnly) - arm.mesh.points).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_GT((posePoints(arm, pose) - arm.mesh.points).cwiseAbs().maxCoeff(), 0.1);
}

TEST(Posing, AllocatesNothingAfterTheFirstPose) {
  Character arm = test::testArm();
  arm.morphs.push_back(bump(10, 20));
  Pose pose = test::bentArmPose(arm);
  pose.morphWeights = {0.5};
  const ThreadLimit one(1);
  CharacterPoser poser(arm);
  const Points first = poser.pose(pose);
  const std::size_t before = test::allocationCount();
  for (int i = 0; i < 5; ++i) poser.pose(pose);
  EXPECT_EQ(test::allocationCount(), before);
  EXPECT_EQ(poser.pose(pose), first);
}

TEST(Posing, RefusesAPoseOfAnotherCharacter) {
  const Character arm = test::testArm();
  Pose pose = restPose(arm);
  pose.local.pop_back();
  EXPECT_THROW((void)posePoints(arm, pose), Error);
  pose = restPose(arm);
  pose.morphWeights = {1};
  EXPECT_THROW((void)posePoints(arm, pose), Error);
}

}  // namespace
}  // namespace sinew::posing_test
