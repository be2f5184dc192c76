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
