// A jump in the history: one step on disk, and the page gets its result once.
#include <gtest/gtest.h>

#include "session_harness.h"
#include "support/test_arm.h"

namespace sinew::studio::test::jump_test {
namespace {

void writeArm(const Scratch& scratch) {
  CharacterFile file;
  file.character = sinew::test::testArm();
  writeCharacter(scratch / "root/arm.glb", file);
}

Json setWeight(StudioRun& run, std::uint32_t vertex, double weight) {
  return run.ask("weights.set", {{"vertex", vertex}, {"binding", 1}, {"weight", weight}});
}

/// Descriptions that the page gets while it jumps.
std::size_t descriptions(StudioRun& run, std::size_t depth) {
  const std::size_t from = run.page().count();
  EXPECT_TRUE(run.ask("history.jump", {{"depth", depth}})["ok"]);
  std::size_t count = 0;
  run.page().wait(
      [&](const Json& heard) {
        count += heard.value("event", "") == "document" ? 1 : 0;
        return heard.contains("id");
      },
      from);
  return count;
}

TEST(Jump, ThePageGetsTheResultOnce) {
  const Scratch scratch;
  writeArm(scratch);
  StudioRun run(scratch, "arm.glb");
  const Json before = run.state();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(setWeight(run, 3, 0.1 * i)["ok"]);
    ASSERT_TRUE(run.ask("pose.save", {{"name", std::to_string(i)}})["ok"]);
  }
  const Json after = run.state();
  run.page().forget();
  EXPECT_EQ(descriptions(run, 0), 1u);
  EXPECT_EQ(run.page().told<wire::Frame>().size(), 1u);
  EXPECT_EQ(run.page().told<wire::Weights>().size(), 1u);
  EXPECT_EQ(run.page().told<wire::History>().size(), 1u);
  Json undone = run.state();
  undone["history"] = before["history"];
  EXPECT_EQ(undone, before);
  EXPECT_EQ(descriptions(run, after["history"]["depth"].get<std::size_t>()), 1u);
  EXPECT_EQ(run.state(), after);
}

TEST(Jump, NoVertexOfAnotherCharacterIsSent) {
  const Scratch scratch;
  writeArm(scratch);
  StudioRun run(scratch, "arm.glb");
  const auto vertices = run.document()["vertices"].get<std::uint32_t>();
  ASSERT_TRUE(setWeight(run, vertices - 1, 0.3)["ok"]);
  run.onWorker([](Session& session) {
    CharacterFile small;
    small.character = sinew::test::testArm(5, 5);
    session.commitCharacter("Replace", small, {});
  });
  ASSERT_LT(run.document()["vertices"], vertices);
  const std::size_t steps = run.depth();
  EXPECT_EQ(descriptions(run, 0), 1u);
  run.page().forget();
  EXPECT_EQ(descriptions(run, steps), 1u);
  for (const wire::Weights& message : run.page().told<wire::Weights>()) {
    for (const std::uint32_t vertex : message.vertices) EXPECT_LT(vertex, run.document()["vertices"]);
  }
}

}  // namespace
}  // namespace sinew::studio::test::jump_test
