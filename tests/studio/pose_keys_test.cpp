// Keys of poses: a clip that the studio writes.
#include "studio/modes/pose/pose_keys.h"

#include <gtest/gtest.h>

#include "session_harness.h"
#include "sinew/io/files.h"
#include "support/test_arm.h"

namespace sinew::studio::pose_keys_test {
namespace {

using namespace pose;
using test::Scratch;
using test::StudioRun;

Pose bent(const Character& character, double angle) {
  Pose pose = restPose(character);
  pose.local[1].rotation = Quat(Eigen::AngleAxisd(angle, Vec3::UnitZ())) * pose.local[1].rotation;
  return pose;
}

TEST(PoseKeys, GiveThePosesBack) {
  const Character character = sinew::test::testArm();
  Clip clip{"keys", {}};
  setKey(character, bent(character, 1.0), 2.0, clip);
  setKey(character, bent(character, 0.2), 0.0, clip);
  setKey(character, restPose(character), 1.0, clip);
  setKey(character, bent(character, 0.8), 2.0, clip);  // replaces the first
  ASSERT_EQ(clip.channels.size(), 1u) << "only what moves has channels";
  EXPECT_EQ(clip.channels[0].times, (std::vector<double>{0, 1, 2}));
  for (const auto& [time, angle] : {std::pair{0.0, 0.2}, {1.0, 0.0}, {2.0, 0.8}, {0.5, 0.1}}) {
    Pose pose = restPose(character);
    sampleClip(clip, time, pose);
    EXPECT_LT(pose.local[1].rotation.angularDistance(bent(character, angle).local[1].rotation), 1e-9) << time;
  }
}

TEST(PoseKeys, JointsThatMoveLaterWereAtRestBefore) {
  const Character character = sinew::test::testArm();
  Clip clip{"keys", {}};
  setKey(character, bent(character, 0.5), 0.0, clip);
  Pose moved = bent(character, 0.5);
  moved.local[0].translation += Vec3(0, 3, 0);
  setKey(character, moved, 1.0, clip);
  Pose pose = restPose(character);
  sampleClip(clip, 0.0, pose);
  EXPECT_LT((pose.local[0].translation - restPose(character).local[0].translation).norm(), 1e-12);
  sampleClip(clip, 1.0, pose);
  EXPECT_LT((pose.local[0].translation - moved.local[0].translation).norm(), 1e-12);
}

TEST(PoseKeys, AreRemovedOneByOneAndTheRestAloneIsAKeyToo) {
  const Character character = sinew::test::testArm();
  Clip clip{"keys", {}};
  setKey(character, restPose(character), 0.5, clip);
  EXPECT_EQ(clip.channels.size(), 1u);
  setKey(character, bent(character, 1), 1.5, clip);
  EXPECT_FALSE(removeKey(1.0, clip));
  EXPECT_TRUE(removeKey(0.5, clip));
  Pose pose = restPose(character);
  sampleClip(clip, 0.0, pose);
  EXPECT_LT(pose.local[1].rotation.angularDistance(bent(character, 1).local[1].rotation), 1e-9);
  EXPECT_TRUE(removeKey(1.5, clip));
  EXPECT_TRUE(clip.channels.empty());
}

/// A morph target of the whole mesh.
MorphTarget morphOf(const Character& character, int mesh, double defaultWeight) {
  MorphTarget morph{"morph", mesh, 0, Points::Constant(3, character.mesh.vertexCount(), 0.1), Points(3, 0), 0};
  morph.defaultWeight = defaultWeight;
  return morph;
}

TEST(PoseKeys, HaveTheWeightsOfMorphTargets) {
  Character character = sinew::test::testArm();
  character.morphs = {morphOf(character, 0, 0), morphOf(character, 0, 0.5), morphOf(character, 1, 0)};
  Clip clip{"keys", {}};
  setKey(character, bent(character, 0.4), 0, clip);
  ASSERT_EQ(clip.channels.size(), 1u) << "default weights need no channel";
  Pose pose = bent(character, 0.4);
  pose.morphWeights = {1, 0.25, 0};
  setKey(character, pose, 2, clip);
  ASSERT_EQ(clip.channels.size(), 2u) << "one for the mesh that changed";
  for (const auto& [time, first, second] : {std::tuple{0.0, 0.0, 0.5}, {1.0, 0.5, 0.375}, {2.0, 1.0, 0.25}}) {
    Pose read = restPose(character);
    sampleClip(clip, time, read);
    EXPECT_NEAR(read.morphWeights[0], first, 1e-12) << time;
    EXPECT_NEAR(read.morphWeights[1], second, 1e-12) << time;
    EXPECT_EQ(read.morphWeights[2], 0) << time;
  }
  character.clips.push_back(clip);
  EXPECT_EQ(keyedClip(character), character.clips.size() - 1);
  EXPECT_TRUE(removeKey(2, clip));
  Pose read = restPose(character);
  read.morphWeights = {1, 1, 1};
  sampleClip(clip, 2, read);
  EXPECT_EQ(read.morphWeights, (std::vector<double>{0, 0.5, 1}));
}

TEST(PoseKeys, OfAnAnimatedMorphTargetAreInTheFile) {
  const Scratch scratch;
  CharacterFile file;
  file.character = sinew::test::testArm();
  file.character.morphs = {morphOf(file.character, 0, 0)};
  const Eigen::MatrixXd weights = (Eigen::MatrixXd(1, 2) << 0, 1).finished();
  file.character.clips.push_back({"grow", {{ClipPath::Weights, Interpolation::Linear, 0, 0, {0, 1}, weights}}});
  writeCharacter(scratch / "root/arm.glb", file);
  {
    StudioRun run(scratch, "arm.glb");
    EXPECT_TRUE(run.ask("pose.clip", {{"clip", 0}, {"time", 0.75}})["ok"]);
    EXPECT_TRUE(run.ask("pose.key", {{"time", 2}})["ok"]);
    EXPECT_TRUE(run.ask("pose.clip", {{"clip", 0}, {"time", 0}})["ok"]);
    EXPECT_TRUE(run.ask("pose.key", {{"time", 3}})["ok"]);
    EXPECT_TRUE(run.ask("save")["ok"]);
  }
  StudioRun run(scratch, "arm.glb", 0, "another state");
  ASSERT_EQ(run.document()["clips"].size(), 2u);
  for (const auto& [time, weight] : {std::pair{2.0, 0.75}, {2.5, 0.375}, {3.0, 0.0}}) {
    EXPECT_TRUE(run.ask("pose.clip", {{"clip", 1}, {"time", time}})["ok"]);
    EXPECT_NEAR(run.document()["morphWeights"][0][0].get<double>(), weight, 1e-6) << time;
  }
}

TEST(PoseKeys, MorphTargetsAreSetAsStepsAndPosesAreCopied) {
  const Scratch scratch;
  CharacterFile file;
  file.character = sinew::test::testArm();
  file.character.morphs = {morphOf(file.character, 0, 0)};
  writeCharacter(scratch / "root/arm.glb", file);
  StudioRun run(scratch, "arm.glb");
  const auto weight = [&](int view) { return run.document()["morphWeights"][view][0].get<double>(); };
  EXPECT_EQ(run.document()["morphs"], Json::array({Json{{"name", "morph"}, {"learned", false}}}));
  ASSERT_TRUE(run.ask("views", {{"count", 2}})["ok"]);
  EXPECT_TRUE(run.ask("pose.morph", {{"view", 1}, {"morph", 0}, {"weight", 0.3}, {"live", true}})["ok"]);
  EXPECT_TRUE(run.ask("pose.morph", {{"view", 1}, {"morph", 0}, {"weight", 0.75}})["ok"]);
  EXPECT_EQ(weight(1), 0.75);
  EXPECT_EQ(weight(0), 0);
  EXPECT_EQ(run.document()["history"]["depth"], 1);
  EXPECT_TRUE(run.ask("pose.copy", {{"view", 0}, {"from", 1}})["ok"]);
  EXPECT_EQ(weight(0), 0.75);
  EXPECT_TRUE(run.ask("undo")["ok"]);
  EXPECT_EQ(weight(0), 0);
  EXPECT_TRUE(run.ask("undo")["ok"]);
  EXPECT_EQ(weight(1), 0) << "back to before the preview";
  EXPECT_FALSE(run.ask("pose.morph", {{"morph", 1}, {"weight", 1}})["ok"]);
  EXPECT_FALSE(run.ask("pose.morph", {{"morph", 0}, {"weight", 1e9}})["ok"]);
  EXPECT_FALSE(run.ask("pose.copy", {{"view", 0}, {"from", 2}})["ok"]);
}

TEST(PoseKeys, ClipsOfTheFileStayAsTheyAre) {
  Character character = sinew::test::testArm();
  character.clips.clear();
  EXPECT_FALSE(keyedClip(character));
  Clip curved{"keys", {{ClipPath::Rotation, Interpolation::CubicSpline, 1, 0, {0}, Eigen::MatrixXd::Zero(4, 3)}}};
  character.clips.push_back(curved);
  EXPECT_FALSE(keyedClip(character));
  EXPECT_EQ(keyedClipName(character), "keys 2");
}

TEST(PoseKeys, AreStepsOfTheHistoryAndInTheFile) {
  const Scratch scratch;
  CharacterFile file;
  file.character = sinew::test::testArm();
  writeCharacter(scratch / "root/arm.glb", file);
  const std::size_t others = file.character.clips.size();
  {
    StudioRun run(scratch, "arm.glb");
    EXPECT_TRUE(run.ask("pose.key", {{"time", 0}})["ok"]);
    run.send(
        wire::PoseSet{.joints = {1}, .rotations = {0, 0, 0.6f, 0.8f}, .translations = {1, 0, 0}, .scales = {1, 1, 1}});
    EXPECT_TRUE(run.ask("pose.key", {{"time", 1.5}})["ok"]);
    ASSERT_EQ(run.document()["clips"].size(), others + 1);
    EXPECT_EQ(run.document()["clips"].back()["times"], Json::array({0.0, 1.5}));
    EXPECT_TRUE(run.ask("undo")["ok"]);
    EXPECT_EQ(run.document()["clips"].back()["times"], Json::array({0.0}));
    EXPECT_TRUE(run.ask("redo")["ok"]);
    EXPECT_FALSE(run.ask("pose.unkey", {{"time", 0.7}})["ok"]);
    EXPECT_FALSE(run.ask("pose.key", {{"time", -1}})["ok"]);
  }
  {
    // The journal has them.
    StudioRun run(scratch, "arm.glb");
    EXPECT_EQ(run.document()["clips"].back()["times"], Json::array({0.0, 1.5}));
    EXPECT_TRUE(run.ask("save")["ok"]);
  }
  StudioRun run(scratch, "arm.glb", 0, "another state");
  ASSERT_EQ(run.document()["clips"].size(), others + 1);
  EXPECT_EQ(run.document()["clips"].back()["name"], "keys");
  EXPECT_EQ(run.document()["clips"].back()["times"], Json::array({0.0, 1.5}));
  EXPECT_TRUE(run.ask("pose.unkey", {{"time", 0}})["ok"]);
  EXPECT_TRUE(run.ask("pose.unkey", {{"time", 1.5}})["ok"]);
  EXPECT_EQ(run.document()["clips"].size(), others);
}

}  // namespace
}  // namespace sinew::studio::pose_keys_test
