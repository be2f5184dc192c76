#include "sinew/character/character.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/base/error.h"
#include "support/test_arm.h"

namespace sinew::character_test {
namespace {

Character armWithMorphs() {
  Character arm = test::testArm();
  MorphTarget first;
  first.name = "bulge";
  first.firstVertex = 12;
  first.deltas = Points::Ones(3, 24);
  first.defaultWeight = 0.25;
  MorphTarget second;
  second.name = "tip";
  second.firstVertex = 20;
  second.deltas = Points::Constant(3, 1, 2);
  arm.morphs = {first, second};
  return arm;
}

std::string refusal(const Character& character) {
  try {
    checkCharacter(character, "character");
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(ApplyMorphs, AddsWeightedDeltasWhereTheyBelong) {
  const Character arm = armWithMorphs();
  Points points;
  applyMorphs(arm, std::array{0.5, -1.0}, points);
  EXPECT_EQ(points.leftCols(12), arm.mesh.points.leftCols(12));
  EXPECT_LT((points.col(12) - arm.mesh.points.col(12) - Vec3::Constant(0.5)).norm(), 1e-14);
  EXPECT_LT((points.col(20) - arm.mesh.points.col(20) - Vec3::Constant(-1.5)).norm(), 1e-14);
  EXPECT_EQ(points.col(36), arm.mesh.points.col(36));
  EXPECT_THROW(applyMorphs(arm, std::array{0.5}, points), Error);
}

TEST(CharacterOfVertices, PosesLikeTheWhole) {
  const Character arm = armWithMorphs();
  const std::vector<Index> vertices = {3, 12, 20, 21, arm.mesh.vertexCount() - 1};
  const Character few = characterOfVertices(arm, vertices);
  ASSERT_EQ(few.mesh.vertexCount(), static_cast<Index>(vertices.size()));
  checkCharacter(few, "character");
  EXPECT_EQ(restPose(few).morphWeights, restPose(arm).morphWeights);
  Points all;
  Points some;
  applyMorphs(arm, std::array{0.5, -1.0}, all);
  applyMorphs(few, std::array{0.5, -1.0}, some);
  EXPECT_EQ(some, Points(all(Eigen::all, vertices)));
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const auto whole = arm.skin.weights[vertices[i]];
    const auto part = few.skin.weights[static_cast<Index>(i)];
    ASSERT_EQ(part.size(), whole.size());
    for (std::size_t k = 0; k < whole.size(); ++k) EXPECT_EQ(part[k].weight, whole[k].weight);
  }
}

TEST(RestPose, CarriesTheDefaultWeightsOfMorphTargets) {
  EXPECT_EQ(restPose(armWithMorphs()).morphWeights, (std::vector<double>{0.25, 0}));
}

TEST(ClipIndex, TakesNamesAndNumbersAndListsWhatExists) {
  Character arm = test::testArm();
  EXPECT_THROW(clipIndex(arm, "walk"), Error);
  arm.clips = {{"walk", {}}, {"", {}}, {"0", {}}};
  EXPECT_EQ(clipIndex(arm, "walk"), 0u);
  EXPECT_EQ(clipIndex(arm, "1"), 1u);
  EXPECT_EQ(clipIndex(arm, "0"), 2u);  // a name counts before a number
  try {
    (void)clipIndex(arm, "3");
    FAIL() << "a clip beyond the last was found";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::NotFound);
    EXPECT_NE(std::string(error.what()).find("walk, 1, 0"), std::string::npos) << error.what();
  }
  EXPECT_THROW(clipIndex(arm, ""), Error);
  EXPECT_THROW(clipIndex(arm, "1x"), Error);
}

TEST(ClipPose, MovesWhatTheClipMovesAndLeavesTheRest) {
  Character arm = armWithMorphs();
  ClipChannel channel;
  channel.joint = 2;
  channel.times = {0, 1};
  channel.values.setZero(3, 2);
  channel.values(1, 1) = 4;
  arm.clips = {{"lift", {channel}}};
  const Pose pose = clipPose(arm, "lift", 0.5);
  EXPECT_EQ(pose.local[2].translation, Vec3(0, 2, 0));
  EXPECT_EQ(pose.local[0].translation, arm.skeleton[0].rest.translation);
  EXPECT_EQ(pose.morphWeights[0], 0.25);
}

TEST(SkinJoints, AreThoseThatSkinsBindAlsoWithoutWeight) {
  Character arm = test::testArm();
  EXPECT_EQ(skinJoints(arm), (std::vector<int>{0, 1, 2}));
  arm.mesh.parts.clear();  // one unnamed part
  EXPECT_EQ(skinJoints(arm), (std::vector<int>{0, 1, 2}));
  arm = test::testArm();
  arm.mesh.parts[0].skinned = false;
  EXPECT_TRUE(skinJoints(arm).empty());
  arm = test::testArm();
  arm.skin = {};
  EXPECT_TRUE(skinJoints(arm).empty());
}

TEST(CheckCharacter, NamesTheFirstThingThatDoesNotFit) {
  EXPECT_EQ(refusal(armWithMorphs()), "");
  Character arm = armWithMorphs();
  arm.skin.weights = SkinWeights::rigid(3, 5, 0);
  EXPECT_NE(refusal(arm).find("covers 5 of 252"), std::string::npos) << refusal(arm);
  arm = armWithMorphs();
  arm.skin.bindings.pop_back();
  EXPECT_NE(refusal(arm).find("for 3 joints"), std::string::npos) << refusal(arm);
  arm = armWithMorphs();
  arm.skin.bindings[1].joint = 3;
  EXPECT_NE(refusal(arm).find("joint 3 of 3"), std::string::npos) << refusal(arm);
  arm = armWithMorphs();
  arm.skin.bindings[1].jointFromRest(0, 0) = std::nan("");
  EXPECT_NE(refusal(arm).find("'upper'"), std::string::npos) << refusal(arm);
  arm = armWithMorphs();
  arm.morphs[1].firstVertex = 252;
  EXPECT_NE(refusal(arm).find("'tip'"), std::string::npos) << refusal(arm);
  arm = armWithMorphs();
  arm.morphs[0].normalDeltas.setZero(3, 2);
  EXPECT_NE(refusal(arm).find("2 normals"), std::string::npos) << refusal(arm);
}

}  // namespace
}  // namespace sinew::character_test
