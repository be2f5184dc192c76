// Answers to a page's messages: exactly what changed.
#include <gtest/gtest.h>

#include "session_harness.h"

namespace sinew::studio::test::answers_test {
namespace {

/// Discards earlier messages, then sends.
template <class Message>
void send(StudioRun& run, const Message& message) {
  run.page().forget();
  run.send(message);
  run.onWorker([](Session& /*session*/) {});
}

wire::PoseSet bentAt(std::uint32_t view, std::uint32_t live) {
  return {.view = view,
          .live = live,
          .joints = {1},
          .rotations = {0, 0, 0.4f, 0.9f},
          .translations = {0, 1, 0},
          .scales = {1, 1, 1}};
}

TEST(Answers, OfADragOfTheSkinHaveNoPalettes) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:arm");
  RecordingPage& page = run.page();
  send(run, bentAt(0, 0));
  std::uint32_t lead = 0;
  run.onWorker([&](Session& session) {
    const SkinWeights& weights = session.document().file.character.skin.weights;
    while (weights[static_cast<Index>(lead)].size() < 2) ++lead;
  });
  send(run, wire::WeightDragBegin{.drag = 3, .lead = lead, .radius = 0.3f});
  EXPECT_EQ(page.told<wire::Answer>().size(), 1u);
  EXPECT_EQ(page.told<wire::Frame>().size(), 0u);
  send(run, wire::DragMove{.drag = 3, .target = {0.1f, 0.2f, 0.1f}});
  EXPECT_EQ(page.told<wire::Frame>().size(), 0u);
  EXPECT_EQ(page.told<wire::Answer>().size(), 1u);
  const auto weights = page.told<wire::Weights>();
  ASSERT_EQ(weights.size(), 1u);
  EXPECT_EQ(weights[0].drag, 3u);
  EXPECT_GT(weights[0].vertices.size(), 1u);
  send(run, wire::DragEnd{.drag = 3, .commit = 1, .target = {0.1f, 0.2f, 0.1f}});
  EXPECT_EQ(page.told<wire::Frame>().size(), 0u);
  EXPECT_EQ(page.told<wire::Weights>().back().drag, 0u);
  EXPECT_EQ(page.told<wire::History>().size(), 1u);
  EXPECT_EQ(run.depth(), 2u);
}

TEST(Answers, OfAPoseHaveThePaletteOfItsViewAlone) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:arm");
  EXPECT_TRUE(run.ask("views", {{"count", 3}})["ok"]);
  EXPECT_EQ(run.page().told<wire::Frame>().back().views, 3u);
  for (const std::uint32_t live : {1u, 0u}) {
    send(run, bentAt(1, live));
    const auto frames = run.page().told<wire::Frame>();
    ASSERT_GE(frames.size(), 1u);
    for (const wire::Frame& frame : frames) EXPECT_EQ(frame.view, 1u);
    EXPECT_EQ(frames.back().views, 3u);
    EXPECT_EQ(run.page().told<wire::Answer>().size(), 1u);
  }
}

TEST(Answers, ComeAfterFaultsToo) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:arm");
  send(run, wire::WeightDragBegin{.drag = 1, .view = 77});
  EXPECT_EQ(run.page().told<wire::Answer>().size(), 1u);
  EXPECT_EQ(run.page().told<wire::Frame>().size(), 1u) << "the page may show something else";
}

}  // namespace
}  // namespace sinew::studio::test::answers_test
