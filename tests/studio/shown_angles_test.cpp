// Typed angles belong to the document: to its steps, but to no other file.
#include <gtest/gtest.h>

#include <cmath>

#include "session_harness.h"
#include "support/test_arm.h"

namespace sinew::studio::shown_angles_test {
namespace {

using test::Scratch;
using test::StudioRun;

/// The forearm about z.
wire::PoseSet typed(float degrees) {
  const float half = degrees * 3.14159265f / 360;
  return {.joints = {1},
          .rotations = {0, 0, std::sin(half), std::cos(half)},
          .translations = {1, 0, 0},
          .scales = {1, 1, 1},
          .angles = {0, 0, degrees}};
}

Json angles(StudioRun& run) {
  return run.document()["angles"];
}

Json only(double degrees) {
  return Json::array({Json::array({Json::array({1, 0, 0, degrees})})});
}

const Json kNone = Json::array({Json::array()});

void writeShownArm(const Scratch& scratch, const std::string& name) {
  CharacterFile file;
  file.character = sinew::test::testArm();
  writeCharacter(scratch / ("root/" + name), file);
}

TEST(ShownAngles, AreOfTheStepAndComeBackWithUndoAndRedo) {
  const Scratch scratch;
  writeShownArm(scratch, "a.glb");
  StudioRun run(scratch, "a.glb");
  EXPECT_EQ(angles(run), kNone);
  run.send(typed(250));
  EXPECT_EQ(angles(run), only(250));
  EXPECT_TRUE(run.ask("pose.reset", {{"joint", 1}})["ok"]);
  EXPECT_EQ(angles(run), kNone) << "at rest: 0, 0, 0";
  EXPECT_TRUE(run.ask("undo")["ok"]);
  EXPECT_EQ(angles(run), only(250));
  EXPECT_TRUE(run.ask("redo")["ok"]);
  EXPECT_EQ(angles(run), kNone);
  // A full turn equals the rest, but is kept as typed.
  run.send(typed(360));
  EXPECT_EQ(angles(run), only(360));
  const std::size_t heard = run.page().count();
  EXPECT_TRUE(run.ask("pose.reset")["ok"]);
  const Json told = run.page().wait([](const Json& one) { return one.value("event", "") == "pose"; }, heard);
  EXPECT_EQ(told["angles"], Json::array());
  // Without angles, as from a tool that does not send them.
  wire::PoseSet bare = typed(30);
  bare.angles.clear();
  run.send(bare);
  EXPECT_EQ(angles(run), kNone);
}

TEST(ShownAngles, StayAfterARestartAndNeverShowInAnotherFile) {
  const Scratch scratch;
  writeShownArm(scratch, "a.glb");
  writeShownArm(scratch, "b.glb");
  {
    StudioRun run(scratch, "a.glb");
    run.send(typed(250));
    EXPECT_EQ(angles(run), only(250));
    run.reload(true);
    EXPECT_EQ(angles(run), only(250));
    EXPECT_EQ(run.open({{"what", "b.glb"}})["fault"], "");
    EXPECT_EQ(angles(run), kNone);
  }
  StudioRun run(scratch, "a.glb");
  EXPECT_EQ(angles(run), only(250));
  EXPECT_TRUE(run.ask("views", {{"count", 2}})["ok"]);
  EXPECT_EQ(angles(run)[1], only(250)[0]) << "a second view begins as the first";
}

TEST(ShownAngles, ThatDoNotFitTheirJointsAreRefused) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:arm");
  wire::PoseSet set = typed(20);
  set.angles.pop_back();
  const std::size_t heard = run.page().count();
  run.send(set);
  EXPECT_TRUE(run.page().wait([](const Json& one) { return one.value("event", "") == "error"; }, heard).is_object());
  EXPECT_EQ(run.document()["history"]["depth"], 0);
}

TEST(Mirror, OfASymmetricPoseIsNoStep) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:biped", 2000);
  const Json rest = run.ask("pose.mirror");
  ASSERT_TRUE(rest["ok"]) << rest;
  EXPECT_EQ(rest["result"]["changed"], false);
  EXPECT_EQ(run.document()["history"]["depth"], 0);
  const Json joints = run.document()["joints"];
  std::uint32_t arm = 0;
  while (joints[arm]["name"].get<std::string>().find("arm") == std::string::npos) ++arm;
  run.onWorker([&](Session& session) {
    const Pose before = session.document().views[0];
    Pose pose = before;
    pose.local[arm].rotation *= Quat(Eigen::AngleAxisd(0.5, Vec3::UnitX()));
    session.commit({"Pose", {PoseChange{0, before, pose}}});
  });
  EXPECT_EQ(run.ask("pose.mirror")["result"]["changed"], true);
  EXPECT_EQ(run.document()["history"]["depth"], 2);
}

}  // namespace
}  // namespace sinew::studio::shown_angles_test
