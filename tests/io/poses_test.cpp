#include "sinew/io/poses.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "formats_support.h"
#include "support/test_arm.h"

namespace sinew::test::poses_test {
namespace {

/// The arm with a turned elbow, two morph targets of one name and one of another, and two clips.
Character armOfPoses() {
  Character arm = testArm();
  std::vector<Joint> joints(arm.skeleton.joints().begin(), arm.skeleton.joints().end());
  joints[2].rest.rotation = Quat(Eigen::AngleAxisd(0.5, Vec3(1, 2, 3).normalized()));
  arm.skeleton = Skeleton(joints);
  for (const char* name : {"smile", "smile", "frown"}) {
    MorphTarget morph;
    morph.name = name;
    morph.deltas = Points::Constant(3, 2, 0.1);
    arm.morphs.push_back(morph);
  }
  arm.morphs[2].defaultWeight = 0.25;
  ClipChannel channel;
  channel.path = ClipPath::Translation;
  channel.joint = 2;
  channel.times = {0, 2};
  channel.values.resize(3, 2);
  channel.values << 0, 4, 0, 0, 0, 0;
  arm.clips = {Clip{"walk", {channel}}, Clip{"run@2x", {channel}}};
  return arm;
}

Pose readText(const std::string& text, const Character& character = armOfPoses()) {
  const TemporaryFolder folder;
  return readPose(folder.write("pose.json", text), character);
}

void expectPoseRefused(const std::string& text, const std::vector<std::string>& words) {
  expectRefused([&] { readText(text); }, words);
}

Quat turn(double degrees, const Vec3& axis) {
  return Quat(Eigen::AngleAxisd(degrees * std::numbers::pi / 180, axis));
}

TEST(ReadPose, JointsThatAreNotNamedStayAtRest) {
  const Character arm = armOfPoses();
  const Pose pose = readText(R"({"joints": {"lower": {"euler": [0, 0, 90]}}})");
  EXPECT_EQ(pose.local[0].translation, arm.skeleton[0].rest.translation);
  EXPECT_EQ(pose.local[1].rotation.coeffs(), arm.skeleton[1].rest.rotation.coeffs());
  EXPECT_EQ(pose.local[2].translation, arm.skeleton[2].rest.translation);
  EXPECT_EQ(pose.morphWeights, (std::vector<double>{0, 0, 0.25}));
}

TEST(ReadPose, EulerAnglesBeyond90AreTakenAsTheyAre) {
  const Quat rest = armOfPoses().skeleton[2].rest.rotation;
  const Pose pose = readText(R"({"joints": {"lower": {"euler": [170, 110, -135]}}})");
  const Quat wanted = rest * turn(-135, Vec3::UnitZ()) * turn(110, Vec3::UnitY()) * turn(170, Vec3::UnitX());
  EXPECT_LT(pose.local[2].rotation.angularDistance(wanted), 1e-7);
  const Pose same = readText(R"({"joints": {"lower": {"euler": [-10, 70, 45]}}})");
  EXPECT_LT(pose.local[2].rotation.angularDistance(same.local[2].rotation), 1e-7);
  const Pose other = readText(R"({"joints": {"lower": {"euler": [170, 70, -135]}}})");
  EXPECT_GT(pose.local[2].rotation.angularDistance(other.local[2].rotation), 0.5);
}

TEST(ReadPose, EulerAnglesAreRestTimesZTimesYTimesX) {
  const Pose pose = readText(R"({"joints": {"lower": {"euler": [10, 20, 30]}}})");
  const Quat expected = armOfPoses().skeleton[2].rest.rotation * turn(30, Vec3::UnitZ()) * turn(20, Vec3::UnitY()) *
                        turn(10, Vec3::UnitX());
  EXPECT_LT(pose.local[2].rotation.angularDistance(expected), 1e-14);
}

TEST(ReadPose, RotationTranslationAndScaleReplaceTheLocalOnes) {
  const Pose pose =
      readText(R"({"joints": {"lower": {"rotation": [0, 0, 3, 4], "translation": [1, 2, 3], "scale": [1, 1, 2]}}})");
  EXPECT_LT((pose.local[2].rotation.coeffs() - Eigen::Vector4d(0, 0, 0.6, 0.8)).norm(), 1e-15) << "it is normalised";
  EXPECT_EQ(pose.local[2].translation, Vec3(1, 2, 3));
  EXPECT_EQ(pose.local[2].scale, Vec3(1, 1, 2));
}

TEST(ReadPose, MorphWeightsGoToEveryTargetOfTheName) {
  EXPECT_EQ(readText(R"({"morphs": {"smile": 0.5}})").morphWeights, (std::vector<double>{0.5, 0.5, 0.25}));
}

TEST(ReadPose, TakesClipsByNameIndexAndFile) {
  const Character arm = armOfPoses();
  EXPECT_EQ(readPose("walk@0.5", arm).local[2].translation, Vec3(1, 0, 0));
  EXPECT_EQ(readPose("1@1", arm).local[2].translation, Vec3(2, 0, 0));
  EXPECT_EQ(readPose("run@2x@1", arm).local[2].translation, Vec3(2, 0, 0)) << "the last @ counts";
  EXPECT_EQ(readPose("walk@99", arm).local[2].translation, Vec3(4, 0, 0)) << "times beyond the clip take its end";
  EXPECT_EQ(readPose("walk@-1", arm).local[2].translation, Vec3(0, 0, 0));
  const Pose started = readText(R"({"clip": "walk", "time": 0.5, "joints": {"upper": {"translation": [7, 7, 7]}}})");
  EXPECT_EQ(started.local[2].translation, Vec3(1, 0, 0));
  EXPECT_EQ(started.local[1].translation, Vec3(7, 7, 7));
  EXPECT_EQ(readText(R"({"clip": 0, "time": 2})").local[2].translation, Vec3(4, 0, 0));
  EXPECT_EQ(readPose("rest", arm).local[2].translation, arm.skeleton[2].rest.translation);
}

TEST(ReadPose, AnExistingFileComesBeforeAClip) {
  const TemporaryFolder folder;
  const auto file = folder.write("walk@0.5", R"({"joints": {"lower": {"translation": [9, 9, 9]}}})");
  EXPECT_EQ(readPose(file, armOfPoses()).local[2].translation, Vec3(9, 9, 9));
}

TEST(ReadPose, AllowsComments) {
  EXPECT_EQ(readText("{ // by hand\n \"joints\": {} }").local.size(), 3u);
}

TEST(ReadPose, UnknownJointSuggestsTheNearest) {
  expectPoseRefused(R"({"joints": {"lowr": {}}})", {"pose.json", "no joint 'lowr'", "did you mean 'lower'?"});
  expectPoseRefused(R"({"joints": {"zzzzzzzzzz": {}}})", {"no joint 'zzzzzzzzzz'", "sinew info"});
  expectPoseRefused(R"({"morphs": {"smil": 1}})", {"no morph target 'smil'", "'smile'"});
}

TEST(ReadPose, UnknownKeysAreRefused) {
  expectPoseRefused(R"({"joint": {}})", {"unknown key 'joint'", "'joints'"});
  expectPoseRefused(R"({"joints": {"lower": {"eulre": [0, 0, 0]}}})", {"joint 'lower'", "'eulre'", "'euler'"});
  expectPoseRefused(R"({"joints": {"lower": {"qqqqqqqqq": 1}}})", {"it may have euler, rotation, translation, scale"});
}

TEST(ReadPose, WrongValuesAreRefused) {
  expectPoseRefused(R"({"joints": {"lower": {"euler": [0, 0]}}})", {"'euler'", "3 numbers", "[0,0]"});
  expectPoseRefused(R"({"joints": {"lower": {"euler": [0, 0, "x"]}}})", {"3 numbers"});
  expectPoseRefused(R"({"joints": {"lower": {"rotation": [0, 0, 0, 0]}}})", {"length 0", "[0, 0, 0, 1]"});
  expectPoseRefused(R"({"joints": {"lower": {"rotation": [0, 0, 1]}}})", {"4 numbers"});
  expectPoseRefused(R"({"joints": {"lower": {"rotation": [0, 0, 0, 1], "euler": [0, 0, 0]}}})", {"both", "keep one"});
  expectPoseRefused(R"({"joints": {"lower": [0, 0, 90]}})", {"joint 'lower'", "must be an object", "a list"});
  expectPoseRefused(R"({"joints": []})", {"'joints' must be an object"});
  expectPoseRefused(R"({"morphs": {"smile": "big"}})", {"'smile'", "must be a number", "big"});
  expectPoseRefused(R"([1, 2])", {"the pose must be an object"});
  expectPoseRefused(R"({"joints": {"lower": {"translation": [1e999, 0, 0]}}})", {"pose.json", "not valid JSON"});
  expectPoseRefused(R"({"joints": {"lower": {}, "lower": {}}})", {"'lower' twice"});
  expectPoseRefused("{\n\"joints\": {,}\n}", {"pose.json", "not valid JSON at line 2, column"});
}

TEST(ReadPose, TimesOutsideAClipAreTold) {
  const Character arm = armOfPoses();
  const auto told = [&](const std::string& word) {
    std::vector<std::string> warnings;
    static_cast<void>(readPose(word, arm, &warnings));
    return warnings;
  };
  EXPECT_EQ(told("walk@0").size() + told("walk@2").size() + told("walk@2.0005").size() + told("rest").size(), 0u);
  EXPECT_EQ(told("walk@99"), std::vector<std::string>{
                                 "the time 99 s is outside the clip 'walk', which is 2 s long; its end (2 s) is used"});
  EXPECT_EQ(told("0@-1"), std::vector<std::string>{
                              "the time -1 s is outside the clip 'walk', which is 2 s long; its start (0 s) is used"});
  const TemporaryFolder folder;
  const std::string file = folder.write("late.json", R"({"clip": "run@2x", "time": 7})");
  ASSERT_EQ(told(file).size(), 1u);
  EXPECT_NE(told(file)[0].find("late.json: the time 7 s is outside the clip 'run@2x'"), std::string::npos)
      << told(file)[0];
}

TEST(ReadPose, NearestClipsAndFilesAreSuggested) {
  const Character arm = armOfPoses();
  expectRefused([&] { readPose("wlak@0.4", arm); }, {"no clip 'wlak'", "did you mean 'walk'?"});
  expectRefused([&] { readPose("walk", arm); }, {"no such pose", "did you mean 'walk@0'?"});
  const TemporaryFolder folder;
  const std::string file = folder.write("elbow90.json", "{}");
  std::string wrong = file;
  wrong.replace(wrong.rfind("90"), 2, "9O");
  expectRefused([&] { readPose(wrong, arm); }, {"no such pose", "elbow90.json'?"});
  const std::string binary = folder.write("a.glb", "glTF");
  expectRefused([&] { readPose(binary, arm); }, {"a.glb", "is not a pose file; give a pose file (.json) here"});
}

TEST(ReadPose, FaultyClipsAndTimesAreRefused) {
  const Character arm = armOfPoses();
  expectRefused([&] { readPose("dance@1", arm); }, {"no clip 'dance'", "walk", "run@2x"});
  expectRefused([&] { readPose("walk@soon", arm); }, {"'soon' is not a time", "walk@0.4"});
  expectRefused([&] { readPose("walk@nan", arm); }, {"'nan' is not a time"});
  expectRefused([&] { readPose("nothing.json", arm); }, {"nothing.json", "no such pose", "CLIP@SECONDS"});
  expectPoseRefused(R"({"clip": "walk"})", {"only one of 'clip' and 'time'"});
  expectPoseRefused(R"({"clip": "wak", "time": 1})", {"pose.json", "no clip 'wak'"});
  expectPoseRefused(R"({"clip": [1], "time": 1})", {"'clip' must be a name or an index"});
}

TEST(ReadPose, ANameOfTwoJointsIsRefusedAndTheirNumbersAreTaken) {
  Character arm = armOfPoses();
  std::vector<Joint> joints(arm.skeleton.joints().begin(), arm.skeleton.joints().end());
  joints[1].name = "lower";
  arm.skeleton = Skeleton(joints);
  expectRefused([&] { readText(R"({"joints": {"lower": {}}})", arm); }, {"belongs to 2 joints", "'#1'", "'#2'"});
  EXPECT_EQ(readText(R"({"joints": {"#2": {"translation": [1, 2, 3]}}})", arm).local[2].translation, Vec3(1, 2, 3));
  expectRefused([&] { readText(R"({"joints": {"#9": {}}})", arm); }, {"no joint '#9'"});
}

TEST(WritePose, ComesBackWithTheSameBits) {
  Character arm = armOfPoses();
  std::vector<Joint> joints(arm.skeleton.joints().begin(), arm.skeleton.joints().end());
  joints[0].name = "a \"quoted\" näme";
  joints[1].name = "";
  arm.skeleton = Skeleton(joints);
  Pose pose = bentArmPose(arm, 70, 20);
  pose.local[1].scale = Vec3(1, 1.0 / 3, 2);
  pose.morphWeights = {0.1, 0.2, 1.0 / 3};
  const TemporaryFolder folder;
  writePose(folder / "pose.json", arm, pose);
  const Pose back = readPose((folder / "pose.json").string(), arm);
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_EQ(back.local[j].rotation.coeffs(), pose.local[j].rotation.coeffs());
    EXPECT_EQ(back.local[j].translation, pose.local[j].translation);
    EXPECT_EQ(back.local[j].scale, pose.local[j].scale);
  }
  EXPECT_EQ(back.morphWeights, pose.morphWeights);
}

TEST(WritePose, NamesOnlyTheJointsThatDifferFromRest) {
  const Character arm = armOfPoses();
  const TemporaryFolder folder;
  Pose pose = restPose(arm);
  writePose(folder / "pose.json", arm, pose);
  EXPECT_EQ(textOf(folder / "pose.json"), "{\n  \"joints\": {}\n}\n");
  pose.local[1].translation = Vec3(1, 2, 3);
  writePose(folder / "pose.json", arm, pose);
  EXPECT_EQ(textOf(folder / "pose.json"),
            "{\n  \"joints\": {\n    \"upper\": {\"translation\":[1.0,2.0,3.0]}\n  }\n}\n");
}

TEST(WritePose, APoseOfAnotherCharacterIsRefused) {
  const TemporaryFolder folder;
  expectRefused([&] { writePose(folder / "pose.json", armOfPoses(), Pose{}); }, {"0 joints", "character 3"});
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace sinew::test::poses_test
