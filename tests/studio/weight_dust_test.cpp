// Tiny weights: no tool leaves any, on the screen or in the file.
#include <gtest/gtest.h>

#include "session_harness.h"
#include "sinew/character/skin.h"

namespace sinew::studio::weight_dust_test {
namespace {

using test::Scratch;
using test::StudioRun;

constexpr int kVertices = 3000;

SkinWeights weightsOf(StudioRun& run) {
  SkinWeights copy;
  run.onWorker([&](Session& session) { copy = session.document().file.character.skin.weights; });
  return copy;
}

/// Weights below the threshold in columns that changed.
std::size_t dustIn(const SkinWeights& before, const SkinWeights& after) {
  std::size_t count = 0;
  for (Index v = 0; v < after.vertexCount(); ++v) {
    if (std::equal(before[v].begin(), before[v].end(), after[v].begin(), after[v].end())) continue;
    for (const Influence& one : after[v]) count += one.weight < kLeastWeight * (1 - 1e-6) ? 1 : 0;
  }
  return count;
}

void stroke(StudioRun& run, PaintOperation operation, float strength, std::uint32_t binding,
            const std::vector<std::uint32_t>& path, float radius) {
  static std::uint32_t drag = 100;
  wire::PaintBegin begin;
  begin.drag = ++drag;
  begin.radius = radius;
  begin.operation = static_cast<std::uint32_t>(operation);
  begin.binding = binding;
  begin.strength = strength;
  run.send(begin);
  for (const std::uint32_t v : path) run.send(wire::Stroke{.drag = drag, .vertices = {v}, .pressures = {1}});
  run.send(wire::DragEnd{.drag = drag, .commit = 1});
}

TEST(Erasing, GivesWhatOneJointHeldAloneToTheJointsOfTheNeighbours) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:biped", kVertices);
  const SkinWeights before = weightsOf(run);
  const double diagonal = run.document()["diagonal"].get<double>();
  // A vertex that only one joint moves, and one that it shares with others.
  std::uint32_t alone = 0;
  while (before[alone].size() != 1) ++alone;
  const std::uint32_t binding = before[alone][0].binding;
  stroke(run, PaintOperation::Add, -1, binding, {alone}, static_cast<float>(0.03 * diagonal));
  const SkinWeights after = weightsOf(run);
  EXPECT_EQ(after.weight(alone, binding), 0) << "nothing is left at the middle of the brush";
  double sum = 0;
  for (const Influence& one : after[alone]) sum += one.weight;
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_EQ(dustIn(before, after), 0u);
  // All covered vertices lost weight, also those with a single influence: a smooth falloff without islands.
  std::size_t gave = 0;
  for (Index v = 0; v < before.vertexCount(); ++v)
    gave += before[v].size() == 1 && after.weight(v, binding) < before.weight(v, binding) - 0.01 ? 1 : 0;
  EXPECT_GT(gave, 1u);
  // With every other joint locked no joint can receive it.
  EXPECT_TRUE(run.ask("undo")["ok"]);
  EXPECT_EQ(weightsOf(run), before);
  std::vector<std::string> others;
  run.onWorker([&](Session& session) {
    const Character& character = session.document().file.character;
    for (int j = 0; j < character.skeleton.size(); ++j) {
      if (j != character.skin.bindings[binding].joint) others.push_back(character.skeleton[j].name);
    }
  });
  EXPECT_TRUE(run.ask("weights.locks", {{"joints", others}})["ok"]);
  stroke(run, PaintOperation::Add, -1, binding, {alone}, 0);
  EXPECT_EQ(weightsOf(run).weight(alone, binding), 1);
}

TEST(WeightDust, NoToolLeavesAnyAndNoneIsSaved) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:biped", kVertices);
  const SkinWeights before = weightsOf(run);
  const double diagonal = run.document()["diagonal"].get<double>();
  // Where two joints share the skin: one is erased gradually, as by a brush.
  std::vector<std::uint32_t> path;
  std::uint32_t binding = 0;
  for (Index v = 0; v < before.vertexCount() && path.size() < 12; ++v) {
    if (before[v].size() < 2 || before[v][1].weight < 0.2) continue;
    if (path.empty()) binding = before[v][1].binding;
    if (before.weight(v, binding) > 0.1) path.push_back(static_cast<std::uint32_t>(v));
  }
  ASSERT_EQ(path.size(), 12u);
  const auto radius = static_cast<float>(0.05 * diagonal);
  stroke(run, PaintOperation::Scale, 1e-7f, binding, path, radius);
  const SkinWeights erased = weightsOf(run);
  EXPECT_NE(erased, before);
  EXPECT_EQ(dustIn(before, erased), 0u);
  for (int again = 0; again < 8; ++again) stroke(run, PaintOperation::Add, -0.2f, binding, path, radius);
  EXPECT_EQ(dustIn(before, weightsOf(run)), 0u);
  for (int again = 0; again < 3; ++again) stroke(run, PaintOperation::Sharpen, 1, binding, path, radius);
  stroke(run, PaintOperation::Smooth, 0.01f, binding, path, radius);
  EXPECT_EQ(dustIn(before, weightsOf(run)), 0u);
  EXPECT_TRUE(run.ask("weights.smooth", {{"vertices", path}, {"amount", 0.001}, {"times", 3}})["ok"]);
  const SkinWeights last = weightsOf(run);
  EXPECT_EQ(dustIn(before, last), 0u);
  EXPECT_TRUE(run.ask("save", {{"path", "clean.glb"}})["ok"]);
  const SkinWeights saved = readCharacter(scratch / "root/clean.glb").character.skin.weights;
  ASSERT_EQ(saved.vertexCount(), last.vertexCount());
  std::size_t dust = 0;
  for (Index v = 0; v < saved.vertexCount(); ++v) {
    if (std::equal(before[v].begin(), before[v].end(), last[v].begin(), last[v].end())) continue;
    for (const Influence& one : saved[v]) dust += one.weight < 0.99 * kLeastWeight ? 1 : 0;
  }
  EXPECT_EQ(dust, 0u);
}

}  // namespace
}  // namespace sinew::studio::weight_dust_test
