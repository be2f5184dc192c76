// Sculpting in Correct: strokes are steps, and a sculpt becomes an example.
#include "correct_harness.h"

namespace sinew::studio::test::correct_test {
namespace {

namespace fs = std::filesystem;

TEST_F(Correct, ASculptStaysWhereItIsWhenAnotherPoseBecomesAnExample) {
  show("result");
  bend(kHalf);
  grab({0, 0, 0.05}, 1);
  const auto sculpted = [&] {
    run->page().forget();
    EXPECT_TRUE(run->ask("frame")["ok"]);
    return run->page().told<wire::Activations>().at(0).sculpted;
  };
  EXPECT_EQ(sculpted(), 1u) << "told before any model is learned";
  bend(0.5F * kHalf);
  EXPECT_EQ(sculpted(), 0u);
  EXPECT_TRUE(run->ask("examples.add", {{"name", "half"}})["ok"]);
  EXPECT_TRUE(run->document()["examples"].contains("sculpt")) << run->document()["examples"];
  bend(kHalf);
  EXPECT_EQ(sculpted(), 1u);
  EXPECT_TRUE(run->ask("examples.add", {{"name", "full"}})["ok"]);
  EXPECT_FALSE(run->document()["examples"].contains("sculpt")) << run->document()["examples"];
}

TEST_F(Correct, ASculptIsASeriesOfStepsThatBecomesAnExample) {
  bend(kHalf);
  show("result");
  const Points before = drawn();
  const std::size_t depth = run->depth();
  grab({0, 0, 0.1}, 1);
  const Points once = drawn();
  EXPECT_NEAR((once.col(elbow()) - before.col(elbow())).norm(), 0.1, 1e-6) << "the vertex is under the pointer";
  EXPECT_EQ(run->depth(), depth + 1);
  grab({0, 0, 0.05}, 2);
  const Points twice = drawn();
  EXPECT_TRUE(run->ask("undo")["ok"]);
  EXPECT_LT(largest(drawn(), once), 1e-6);
  EXPECT_TRUE(run->ask("redo")["ok"]);
  EXPECT_LT(largest(drawn(), twice), 1e-6);
  ASSERT_TRUE(run->ask("examples.add", {{"name", "elbow"}})["ok"]);
  EXPECT_FALSE(run->document()["examples"].contains("sculpt"));
  ASSERT_EQ(examples().examples.size(), 1u);
  EXPECT_LT(largest(examples().examples[0].points, twice), 1e-6);
  EXPECT_EQ(learn().value("fault", "?"), "");
  EXPECT_LT(largest(drawn(), twice), 1e-5 * diagonal()) << "the model has the sculpt at its pose";
  // A stroke at the pose of an example begins from that example and changes it.
  grab({0, 0, -0.05}, 3);
  EXPECT_EQ(run->document()["examples"]["sculpt"]["name"], "elbow");
  EXPECT_LT((drawn() - once).col(elbow()).norm(), 1e-5);
  EXPECT_EQ(examples().examples.size(), 1u);
}

TEST_F(Correct, ASculptSurvivesTheEndOfTheStudio) {
  bend(kHalf);
  grab({0, 0, 0.1}, 1);
  show("result");
  const Points sculpted = drawn();
  fs::copy(scratch / "state", scratch / "killed", fs::copy_options::recursive);
  run.emplace(scratch, "arm.glb", 0, "killed");
  show("result");
  EXPECT_LT(largest(drawn(), sculpted), 1e-6);
  EXPECT_TRUE(run->ask("correct.dropSculpt")["ok"]);
  EXPECT_LT(largest(drawn(), plain()), 1e-7);
}

TEST_F(Correct, EveryBrushChangesOnlyItsSurroundingsAndOneStrokeIsOneStep) {
  bend(kHalf);
  show("result");
  grab({0, 0, 0.2}, 1);
  const std::uint32_t vertex = elbow();
  const std::size_t depth = run->depth();
  std::uint32_t drag = 10;
  for (const SculptTool tool :
       {SculptTool::Smooth, SculptTool::Inflate, SculptTool::Flatten, SculptTool::Pinch, SculptTool::Erase}) {
    const Points before = drawn();
    run->page().forget();
    run->send(brush(tool, ++drag));
    run->send(wire::Stroke{.drag = drag, .vertices = {vertex, vertex, vertex}, .pressures = {1, 1, 0.5f}});
    (void)run->document();
    EXPECT_FALSE(run->page().told<wire::Sculpted>().empty()) << "it is shown while it is made";
    run->send(wire::DragEnd{.drag = drag, .commit = 1});
    const Points after = drawn();
    EXPECT_EQ(run->depth(), depth + 1) << static_cast<int>(tool);
    EXPECT_GT(largest(after, before), 1e-3) << static_cast<int>(tool);
    for (Index v = 0; v < after.cols(); ++v) {
      if ((before.col(v) - before.col(vertex)).norm() > 0.5) {
        EXPECT_LT((after.col(v) - before.col(v)).norm(), 1e-6);
      }
    }
    if (tool == SculptTool::Erase) {
      EXPECT_LT((after - plain()).col(vertex).norm(), (before - plain()).col(vertex).norm());
    }
    EXPECT_TRUE(run->ask("undo")["ok"]);
    // Cancelled: nothing is left of it.
    run->send(brush(tool, ++drag));
    run->send(wire::Stroke{.drag = drag, .vertices = {vertex}, .pressures = {1}});
    run->send(wire::DragEnd{.drag = drag, .commit = 0});
    EXPECT_LT(largest(drawn(), before), 1e-6);
    EXPECT_EQ(run->depth(), depth);
  }
}

TEST_F(Correct, ABrushIsNotLargerThanTheCharacterAndAGrabSaysWhichItIs) {
  bend(kHalf);
  show("result");
  const Points before = drawn();
  const std::uint32_t vertex = elbow();
  run->page().forget();
  run->send(brush(SculptTool::Inflate, 1, 1e9f));
  run->send(wire::Stroke{.drag = 1, .vertices = {vertex}, .pressures = {1}});
  (void)run->document();
  EXPECT_EQ(run->page().told<wire::Sculpted>().at(0).drag, 0u) << "every stretch of a stroke counts";
  run->send(wire::DragEnd{.drag = 1, .commit = 1});
  EXPECT_LT(largest(drawn(), before), diagonal());
  run->page().forget();
  run->send(brush(SculptTool::Grab, 7));
  run->send(wire::DragMove{.drag = 7, .target = {0, 0, 1}});
  (void)run->document();
  EXPECT_EQ(run->page().told<wire::Sculpted>().at(0).drag, 7u);
}

TEST_F(Correct, SculptsWhereTheyMakeNoSenseAreRefused) {
  const auto fault = [&](const wire::SculptBegin& begin) {
    const std::size_t from = run->page().count();
    run->send(begin);
    return run->page()
        .wait([](const Json& heard) { return heard.value("event", "") == "error"; }, from)
        .value("text", "");
  };
  EXPECT_EQ(fault(brush(SculptTool::Grab, 1)), "The rest pose has no corrections");
  bend(kHalf);
  grab({0, 0, 0.1}, 2);
  bend(0.5f * kHalf);
  EXPECT_EQ(fault(brush(SculptTool::Grab, 3)), "An unsaved sculpt belongs to another pose");
  EXPECT_TRUE(run->ask("correct.gotoSculpt")["ok"]);
  wire::SculptBegin wrong = brush(SculptTool::Smooth, 4);
  wrong.radius = -1;
  EXPECT_EQ(fault(wrong), "Brush radius out of range");
  wrong = brush(SculptTool::Smooth, 5);
  wrong.lead = 100000;
  EXPECT_EQ(fault(wrong), "There is no vertex 100000");
  wrong = brush(SculptTool::Smooth, 6);
  wrong.tool = 17;
  EXPECT_EQ(fault(wrong), "Unknown sculpting tool");
}

TEST_F(Correct, OnlyTheShapeThatIsStoredIsNoLongerASculpt) {
  show("result");
  bend(kHalf);
  grab({0, 0, 0.05}, 1);
  show("plain");
  ASSERT_TRUE(run->ask("examples.add", {{"name", "plain"}})["ok"]);
  EXPECT_TRUE(run->document()["examples"].contains("sculpt")) << "plain skin was stored, not the sculpt";
  ASSERT_TRUE(run->ask("undo")["ok"]);
  show("result");
  ASSERT_TRUE(run->ask("examples.add", {{"name", "sculpted"}})["ok"]);
  EXPECT_FALSE(run->document()["examples"].contains("sculpt"));
}

}  // namespace
}  // namespace sinew::studio::test::correct_test
