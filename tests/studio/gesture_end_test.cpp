// A page that disconnects in the middle of a gesture: what it showed becomes a step, and every change is in the
// history.
#include <gtest/gtest.h>

#include "session_harness.h"

namespace sinew::studio::gesture_end_test {
namespace {

using test::Scratch;
using test::StudioRun;

Pose poseOf(StudioRun& run) {
  Pose pose;
  run.onWorker([&](Session& session) { pose = session.document().views[0]; });
  return pose;
}

wire::PoseSet turned(float z) {
  wire::PoseSet set;
  set.live = 1;
  set.joints = {1};
  set.rotations = {0, 0, std::sin(z / 2), std::cos(z / 2)};
  set.translations = {1, 0, 0};
  set.scales = {1, 1, 1};
  return set;
}

TEST(GestureEnd, APoseThatIsBeingDraggedBecomesOneStep) {
  for (const bool closesFirst : {true, false}) {
    const Scratch scratch;
    StudioRun run(scratch, "sample:arm");
    const Pose rest = poseOf(run);
    run.send(turned(0.4f));
    run.send(turned(0.9f));
    EXPECT_EQ(run.depth(), 0u);
    run.reload(closesFirst);
    EXPECT_EQ(run.depth(), 1u) << "a reload ends the gesture";
    EXPECT_NEAR(poseOf(run).local[1].rotation.z(), std::sin(0.45), 1e-6);
    EXPECT_EQ(run.document()["history"]["names"], Json::array({"Pose forearm"}));
    EXPECT_TRUE(run.ask("undo")["ok"]);
    EXPECT_LT((poseOf(run).local[1].rotation.coeffs() - rest.local[1].rotation.coeffs()).norm(), 1e-12);
  }
}

TEST(GestureEnd, ADragOfTheSkinBecomesOneStepWhereItHasMoved) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:arm");
  run.send(turned(1.2f));
  run.reload(true);
  const auto weights = [&] {
    SkinWeights copy;
    run.onWorker([&](Session& session) { copy = session.document().file.character.skin.weights; });
    return copy;
  };
  const SkinWeights before = weights();
  Index lead = 0;
  while (before[lead].size() < 2 || before[lead][1].weight < 0.3) ++lead;
  wire::WeightDragBegin begin;
  begin.drag = 1;
  begin.lead = static_cast<std::uint32_t>(lead);
  run.send(begin);
  run.reload(true);
  EXPECT_EQ(run.depth(), 1u) << "a press without movement is not a step";
  EXPECT_EQ(weights(), before);
  begin.drag = 2;
  run.send(begin);
  run.send(wire::DragMove{.drag = 2, .target = {5, 5, 0}});
  run.reload(true);
  EXPECT_EQ(run.depth(), 2u);
  EXPECT_NE(weights(), before);
  // A late message of the disconnected page belongs to no drag.
  run.send(wire::DragEnd{.drag = 2, .commit = 1, .target = {-5, 0, 0}});
  EXPECT_EQ(run.depth(), 2u);
  EXPECT_TRUE(run.ask("undo")["ok"]);
  EXPECT_EQ(weights(), before);
}

}  // namespace
}  // namespace sinew::studio::gesture_end_test
