// Handles without a browser: every change is one step, and a restart changes nothing about the next one.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "session_harness.h"
#include "sinew/io/files.h"
#include "sinew/io/mesh_sequence.h"
#include "sinew/learn/decompose.h"
#include "sinew/learn/reduced_model.h"
#include "sinew/samples/samples.h"

namespace sinew::studio::test::handles_test {
namespace {

constexpr int kVertices = 1000;

void learn(StudioRun& run) {
  const Json answer = run.result("handles.learn", {{"controls", 0}});
  ASSERT_TRUE(answer.contains("job")) << answer;
  // Instrumented builds take their time.
  Json end;
  for (int tries = 0; tries < 12 && end.is_null(); ++tries) end = run.jobEnd(answer["job"].get<int>());
  ASSERT_TRUE(end.is_object());
  ASSERT_EQ(end.value("fault", "?"), "");
}

Json moved(const Json& document, std::size_t handle, double by) {
  Json target = document["handles"][handle]["target"];
  target[1] = target[1].get<double>() + by * document["diagonal"].get<double>();
  return {{"handle", handle}, {"target", target}};
}

void placeThree(StudioRun& run) {
  for (const int vertex : {10, 400, 900}) EXPECT_TRUE(run.ask("handles.place", {{"vertex", vertex}})["ok"]);
}

/// The model beside the character.
std::string modelOf(StudioRun& run) {
  const Json beside = run.document()["beside"];
  return beside.size() == 2 ? beside[1]["what"].get<std::string>() : std::string();
}

HandlesState posed(StudioRun& run) {
  HandlesState state;
  run.onWorker([&](Session& session) { state = session.document().posed; });
  return state;
}

TEST(Handles, LearnAsTheCommandDoes) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:quadruped", kVertices);
  learn(run);
  const Sample sample = makeSample("quadruped", {.vertices = kVertices});
  std::vector<Points> shapes;
  for (const Example& example : sample.examples.examples) shapes.push_back(example.points);
  const ReducedModel expected =
      decomposeSkin(sample.character.mesh, shapes, {}, sample.character.mesh.points, {.rigid = false}).model;
  run.onWorker([&](Session& session) {
    const std::shared_ptr<const ReducedModel> model = session.document().file.reduced;
    ASSERT_TRUE(model);
    EXPECT_EQ(model->controlCount(), expected.controlCount());
    EXPECT_EQ(model->proxies.count(), expected.proxies.count());
    EXPECT_EQ(model->labels, expected.labels);
  });
}

TEST(Handles, TheSentenceOfAModelCountsOneAsOne) {
  ReducedReport report;
  report.controls = report.proxies = report.examples = 1;
  report.vertices = 12;
  EXPECT_EQ(report.sentence().rfind("1 control, 1 proxy for 12 vertices and 1 example,", 0), 0u) << report.sentence();
  report.controls = report.proxies = report.examples = 2;
  EXPECT_EQ(report.sentence().rfind("2 controls, 2 proxies for 12 vertices and 2 examples,", 0), 0u);
}

TEST(Handles, AStepAfterARestartIsTheSameStep) {
  const auto step = [](StudioRun& run) { EXPECT_TRUE(run.ask("handles.move", moved(run.document(), 0, -0.05))["ok"]); };
  const Scratch scratch;
  HandlesState whole;
  {
    StudioRun run(scratch, "sample:quadruped", kVertices);
    learn(run);
    placeThree(run);
    EXPECT_TRUE(run.ask("handles.move", moved(run.document(), 2, 0.1))["ok"]);
    // Simulates the end of the studio here.
    std::filesystem::copy(scratch / "state", scratch / "ended", std::filesystem::copy_options::recursive);
    step(run);
    whole = posed(run);
  }
  StudioRun run(scratch, "sample:quadruped", kVertices, "ended");
  step(run);
  const HandlesState again = posed(run);
  ASSERT_EQ(again.controls.size(), whole.controls.size());
  ASSERT_EQ(again.weights.size(), whole.weights.size());
  for (std::size_t c = 0; c < whole.controls.size(); ++c)
    EXPECT_LT((again.controls[c].matrix() - whole.controls[c].matrix()).cwiseAbs().maxCoeff(), 1e-9);
  for (std::size_t e = 0; e < whole.weights.size(); ++e) EXPECT_NEAR(again.weights[e], whole.weights[e], 1e-9);
}

TEST(Handles, LearningLeavesTheCharacterAsItIs) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:arm", kVertices);
  ASSERT_TRUE(run.ask("pose.save", {{"view", 0}, {"name", "mine"}})["ok"]);
  const Json character = run.document();
  EXPECT_TRUE(character["beside"].empty());
  learn(run);
  const Json model = run.document();
  EXPECT_TRUE(model.contains("reduced"));
  EXPECT_EQ(model["title"], "arm model");
  EXPECT_EQ(model["saved"], false) << "it is only here";
  EXPECT_NE(model["number"], character["number"]);
  EXPECT_EQ(model["history"]["depth"], 0);
  ASSERT_EQ(model["beside"].size(), 2u);
  EXPECT_TRUE(model["beside"][1]["current"]);
  placeThree(run);
  // Switching back to the character restores everything, including its history.
  EXPECT_EQ(run.open({{"what", model["beside"][0]["what"]}})["fault"], "");
  Json back = run.document();
  for (const char* same : {"title", "joints", "savedPoses", "vertices", "history", "skinned", "maxInfluences"})
    EXPECT_EQ(back[same], character[same]) << same;
  EXPECT_FALSE(back.contains("reduced"));
  // The model kept its handles.
  EXPECT_EQ(run.open({{"what", modelOf(run)}})["fault"], "");
  EXPECT_EQ(run.document()["handles"].size(), 3u);
  // Saved under its own name, it is still listed beside the character.
  EXPECT_TRUE(run.ask("save", {{"path", "walker.glb"}})["ok"]);
  EXPECT_EQ(run.document()["beside"][1]["title"], "walker.glb");
  EXPECT_EQ(run.open({{"what", run.document()["beside"][0]["what"]}})["fault"], "");
  EXPECT_EQ(run.document()["beside"][1]["title"], "walker.glb");
  EXPECT_FALSE(run.ask("open", {{"what", "kept:../../etc"}})["ok"]);
}

TEST(Handles, LearnsAfterSavingUnderAnotherName) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:arm", kVertices);
  ASSERT_TRUE(run.ask("save", {{"path", "mine.glb"}})["ok"]);
  learn(run);
  EXPECT_TRUE(run.document().contains("reduced"));
  EXPECT_EQ(run.document()["title"], "mine model");
  EXPECT_EQ(run.document()["beside"][0]["title"], "mine.glb");
}

TEST(Handles, AFolderIsLearnedWithoutWhatWasSkippedWhereverItWasSaved) {
  const Scratch scratch;
  const Sample sample = makeSample("quadruped", {.vertices = kVertices});
  MeshSequence meshes;
  meshes.topology = sample.character.mesh;
  for (const Example& example : sample.examples.examples) {
    meshes.shapes.push_back(example.points);
    meshes.names.push_back(example.name);
  }
  writeMeshes(scratch / "root/meshes", meshes);
  std::ofstream(scratch / "root/meshes/odd.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  StudioRun run(scratch);
  EXPECT_EQ(run.open({{"what", "meshes"}})["refused"], Json::array({"odd.obj"}));
  const Json opened = run.open({{"what", "meshes"}, {"skip", {"odd.obj"}}});
  EXPECT_EQ(opened["fault"], "");
  EXPECT_EQ(opened["skipped"], Json::array({"odd.obj"}));
  ASSERT_TRUE(run.ask("save", {{"path", "rest.glb"}})["ok"]);
  learn(run);
  // Meshes without a skin are replaced by the model, as a step.
  const Json document = run.document();
  ASSERT_TRUE(document.contains("reduced"));
  EXPECT_EQ(document["reduced"]["examples"].size(), meshes.shapes.size());
  EXPECT_EQ(document["history"]["depth"], 1);
  EXPECT_TRUE(document["beside"].empty());
}

TEST(Handles, EveryChangeIsOneStepAndUndoBringsAllBack) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:quadruped", kVertices);
  learn(run);
  placeThree(run);
  run.onWorker([](Session& session) {
    const Document& document = session.document();
    const wire::Handles told = handlesOf(*document.file.reduced, document.posed, session.space().centre);
    EXPECT_EQ(told.reached.size(), 9u);
    ASSERT_EQ(told.residuals.size(), 3u);
    for (const float residual : told.residuals) EXPECT_LT(residual, 1e-6f);
    EXPECT_EQ(told.activations.size(), document.file.reduced->exampleCount());
  });
  EXPECT_TRUE(run.ask("handles.pin", {{"handle", 0}, {"pinned", true}})["ok"]);
  EXPECT_TRUE(run.ask("handles.pin", {{"handle", 1}, {"pinned", true}})["ok"]);
  const Json before = run.document()["handles"];
  const std::size_t steps = run.depth();
  const std::pair<std::string, Json> changes[] = {
      {"handles.unpin", Json::object()},
      {"handles.strength", {{"handle", 1}, {"strength", 5}}},
      {"handles.move", moved(run.document(), 2, 0.1)},
      {"handles.remove", {{"handle", 0}}},
      {"handles.reset", Json::object()},
  };
  for (const auto& [command, args] : changes) EXPECT_TRUE(run.ask(command, args)["ok"]) << command;
  EXPECT_EQ(run.depth(), steps + std::size(changes));
  EXPECT_EQ(run.document()["handles"].size(), 2u) << "handles stay";
  for (std::size_t i = 0; i < std::size(changes); ++i) run.ask("undo");
  EXPECT_EQ(run.document()["handles"], before);
  // A command without effect is not a step; an invalid one is refused.
  run.ask("redo");
  run.ask("handles.unpin");
  EXPECT_EQ(run.depth(), steps + 1);
  EXPECT_FALSE(run.ask("handles.strength", {{"handle", 1}, {"strength", -1}})["ok"]);
  EXPECT_FALSE(run.ask("handles.place", {{"vertex", 10}})["ok"]);
  EXPECT_EQ(run.depth(), steps + 1);
}

TEST(Handles, ResetPoseKeepsTheHandlesAtTheirRestPlaces) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:quadruped", kVertices);
  learn(run);
  placeThree(run);
  const Json rest = run.document()["handles"];
  EXPECT_TRUE(run.ask("handles.pin", {{"handle", 1}, {"pinned", true}})["ok"]);
  EXPECT_TRUE(run.ask("handles.move", moved(run.document(), 2, 0.1))["ok"]);
  EXPECT_NE(run.document()["handles"][2]["target"], rest[2]["target"]);
  EXPECT_TRUE(run.ask("handles.reset")["ok"]);
  const Json after = run.document()["handles"];
  ASSERT_EQ(after.size(), 3u);
  for (std::size_t h = 0; h < 3; ++h) EXPECT_EQ(after[h]["target"], rest[h]["target"]);
  EXPECT_TRUE(after[1]["pinned"]);
  EXPECT_TRUE(posed(run).controls.empty());
}

TEST(Handles, AnExampleIsShownAsTheModelReconstructsItAndCanBeDragged) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:quadruped", kVertices);
  learn(run);
  placeThree(run);
  const Sample sample = makeSample("quadruped", {.vertices = kVertices});
  const std::size_t example = 3;
  ASSERT_TRUE(run.ask("handles.example", {{"example", example}})["ok"]);
  const auto shape = [&] {
    Points points;
    run.onWorker([&](Session& session) {
      const ReducedModel& model = *session.document().file.reduced;
      points.resize(3, model.rest.cols());
      deformReduced(model, session.document().posed.controls, points);
    });
    return points;
  };
  const Points shown = shape();
  const Points& restMesh = sample.character.mesh.points;
  const double diagonal = boundingBox(restMesh).diagonal();
  // The document has a vertex more at seams.
  Points mesh(3, shown.cols());
  Points rest(3, shown.cols());
  run.onWorker([&](Session& session) {
    rest = session.document().file.reduced->rest;
    for (Index v = 0; v < rest.cols(); ++v) {
      Index same = 0;
      (restMesh.colwise() - rest.col(v)).colwise().squaredNorm().minCoeff(&same);
      mesh.col(v) = sample.examples.examples[example].points.col(same);
    }
  });
  EXPECT_LT(std::sqrt((shown - mesh).colwise().squaredNorm().mean()), 0.01 * diagonal);
  EXPECT_GT(std::sqrt((rest - mesh).colwise().squaredNorm().mean()), 0.02 * diagonal);
  EXPECT_EQ(posed(run).weights[example], 1);
  EXPECT_LT((posed(run).handles[2].target - shown.col(900)).norm(), 1e-6);
  // A drag begins at this shape; three handles alone do not hold all of it.
  ASSERT_TRUE(run.ask("handles.move", moved(run.document(), 2, 1e-4))["ok"]);
  EXPECT_LT((shape() - shown).norm(), 0.5 * (rest - shown).norm());
  run.ask("undo");
  run.ask("undo");
  EXPECT_TRUE(posed(run).controls.empty());
  EXPECT_EQ(run.ask("handles.example", {{"example", 99}})["code"], "bad-input");
}

TEST(Handles, KeysAreMovedAndEasedAndKeepTheirPoses) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:quadruped", kVertices);
  learn(run);
  placeThree(run);
  EXPECT_TRUE(run.ask("handles.key", {{"time", 0}})["ok"]);
  const double low = posed(run).handles[2].target.y();
  EXPECT_TRUE(run.ask("handles.move", moved(run.document(), 2, 0.1))["ok"]);
  const double high = posed(run).handles[2].target.y();
  EXPECT_TRUE(run.ask("handles.key", {{"time", 1}})["ok"]);
  const auto heightAt = [&](double time) {
    EXPECT_TRUE(run.ask("handles.show", {{"time", time}, {"keep", true}})["ok"]);
    return (posed(run).handles[2].target.y() - low) / (high - low);
  };
  EXPECT_NEAR(heightAt(0), 0, 1e-6);
  EXPECT_NEAR(heightAt(1), 1, 1e-6);
  const double straight = heightAt(0.25);
  EXPECT_TRUE(run.ask("handles.ease", {{"smooth", true}})["ok"]);
  EXPECT_LT(heightAt(0.25), straight - 0.05);
  EXPECT_NEAR(heightAt(0), 0, 1e-6);
  EXPECT_NEAR(heightAt(1), 1, 1e-6);
  EXPECT_FALSE(run.ask("handles.moveKey", {{"key", 1}, {"time", 0}})["ok"]);
  EXPECT_TRUE(run.ask("handles.moveKey", {{"key", 1}, {"time", 2}})["ok"]);
  EXPECT_NEAR(heightAt(2), 1, 1e-6);
  EXPECT_LT(heightAt(1), 0.9);
}

TEST(Handles, ExportingAsksBeforeItReplacesAFile) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:quadruped", kVertices);
  learn(run);
  placeThree(run);
  EXPECT_TRUE(run.ask("handles.key", {{"time", 0}})["ok"]);
  EXPECT_TRUE(run.ask("save", {{"path", "model.glb"}})["ok"]);
  EXPECT_TRUE(run.ask("handles.export", {{"path", "clip.glb"}})["ok"]);
  const std::string clip = readFile(scratch / "root/clip.glb");
  const std::string document = readFile(scratch / "root/model.glb");
  EXPECT_TRUE(run.ask("handles.key", {{"time", 1}})["ok"]);
  EXPECT_EQ(run.ask("handles.export", {{"path", "clip.glb"}})["code"], "exists");
  EXPECT_EQ(run.ask("handles.export", {{"path", "model.glb"}})["code"], "open-document");
  EXPECT_EQ(run.ask("handles.export", {{"path", "clip.obj"}})["code"], "bad-input");
  EXPECT_EQ(readFile(scratch / "root/clip.glb"), clip);
  EXPECT_EQ(readFile(scratch / "root/model.glb"), document);
  const Json replaced = run.result("handles.export", {{"path", "clip.glb"}, {"replace", true}});
  EXPECT_LT(replaced.value("deviation", 1.0), 1e-5) << replaced;
  EXPECT_NE(readFile(scratch / "root/clip.glb"), clip);
  EXPECT_LT(run.result("handles.export", {{"path", "pair.gltf"}}).value("deviation", 1.0), 1e-5);
}

TEST(Blobs, TheOldestAreForgottenAndWhatIsKeptStays) {
  constexpr std::size_t kBytes = std::size_t{45} << 20;
  BlobStore store;
  std::vector<std::string> names;
  for (std::uint8_t i = 0; i < 7; ++i) {
    names.push_back(store.put(Bytes(kBytes, i)));
    store.keep(names.front());
  }
  EXPECT_EQ(store.find(names[1]), nullptr);
  EXPECT_NE(store.find(names[0]), nullptr);
  EXPECT_NE(store.find(names[6]), nullptr);
}

}  // namespace
}  // namespace sinew::studio::test::handles_test
