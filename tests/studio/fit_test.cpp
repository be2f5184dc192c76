// The mode Fit without a browser: what is shown of a result is what the library computes, it is a preview until it is
// kept as one step, and undo restores the same bytes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "session_harness.h"
#include "sinew/base/error.h"
#include "sinew/deform/posing.h"
#include "sinew/io/gltf.h"
#include "sinew/learn/fit.h"
#include "studio/modes/fit/learned_skin.h"

namespace sinew::studio::test::fit_test {
namespace {

constexpr int kVertices = 1000;

/// The sample with its sculpts as examples.
std::unique_ptr<StudioRun> runWithExamples(const Scratch& scratch, int vertices = kVertices) {
  auto run = std::make_unique<StudioRun>(scratch, "sample:arm", vertices);
  const Json answer = run->result("examples.open");
  EXPECT_EQ(run->jobEnd(answer["job"].get<int>()).value("fault", "?"), "");
  return run;
}

/// Waits for a job of any length: instrumented builds take their time.
Json endOf(StudioRun& run, const Json& answer) {
  EXPECT_TRUE(answer.contains("job")) << answer;
  if (!answer.contains("job")) return answer;
  Json end;
  for (int i = 0; i < 12 && end.is_null(); ++i) end = run.jobEnd(answer["job"].get<int>());
  return end;
}

Json fit(StudioRun& run, const Json& args) {
  const Json end = endOf(run, run.result("fit.start", args));
  EXPECT_EQ(end.value("fault", "?"), "") << end;
  return run.result("fit.state")["result"];
}

Document documentOf(StudioRun& run) {
  Document copy;
  run.onWorker([&](Session& session) { copy = session.document(); });
  return copy;
}

/// The bytes of the character as a file.
std::string bytesOf(StudioRun& run) {
  return gltfToMemory("it.glb", documentOf(run).file).files.front().second;
}

/// An array of a blob.
std::vector<float> floatsOf(StudioRun& run, const std::string& name, ArrayKind kind) {
  std::shared_ptr<const Bytes> blob;
  run.onWorker([&](Session& session) { blob = session.blobs().find(name); });
  std::vector<float> values;
  if (!blob) return values;
  const auto read = [&](std::size_t at, auto& into) { std::memcpy(&into, blob->data() + at, sizeof(into)); };
  std::uint32_t count = 0;
  read(8, count);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t of = 0;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    read(12 + 32 * i, of);
    read(12 + 32 * i + 8, offset);
    read(12 + 32 * i + 16, bytes);
    if (of != static_cast<std::uint32_t>(kind)) continue;
    values.resize(bytes / sizeof(float));
    std::memcpy(values.data(), blob->data() + offset, bytes);
  }
  return values;
}

TEST(Fit, ShowsTheErrorsThatTheLibraryReports) {
  const Scratch scratch;
  const auto run = runWithExamples(scratch);
  const Document document = documentOf(*run);
  const ExampleSet set = exampleSet(document);
  const Json shown = fit(*run, {{"helpers", "half"}, {"maxInfluences", 3}});
  const FitResult truth = fitSkin(document.file.character, set, {.maxInfluences = 3, .helpers = FitHelpers::Half});
  const auto near = [](const Json& value, double wanted) {
    EXPECT_NEAR(value.get<double>(), wanted, 1e-9 + 1e-6 * wanted);
  };
  near(shown["before"]["rms"], truth.report.before.rms);
  near(shown["after"]["rms"], truth.report.after.rms);
  near(shown["after"]["p95"], truth.report.after.p95);
  near(shown["after"]["max"], truth.report.after.max);
  near(shown["leftOut"], truth.report.leaveOneOut.rms);
  near(shown["diagonal"], truth.report.diagonal);
  EXPECT_LT(shown["after"]["rms"], 0.5 * truth.report.before.rms);
  EXPECT_EQ(shown["warnings"], Json(truth.report.warnings));
  EXPECT_EQ(shown["steps"].size(), truth.report.steps.size());
  EXPECT_LE(shown["maxInfluences"], 3);
  ASSERT_EQ(shown["examples"].size(), set.examples.size());
  for (std::size_t k = 0; k < set.examples.size(); ++k) {
    const Json& example = shown["examples"][k];
    EXPECT_EQ(example["name"], set.examples[k].name);
    near(example["before"]["rms"], truth.report.examples[k].before.rms);
    near(example["after"]["rms"], truth.report.examples[k].after.rms);
    EXPECT_EQ(example["after"]["vertex"], truth.report.examples[k].after.maxVertex);
    near(example["leftOut"], truth.report.examples[k].leaveOneOut.rms);
  }
  std::size_t kept = 0;
  for (const HelperTrial& trial : truth.report.helpers) kept += trial.kept ? 1 : 0;
  ASSERT_GT(kept, 0u);
  EXPECT_EQ(shown["helpers"].size(), kept);

  const std::string blob = run->result("fit.errors", {{"example", 2}})["blob"];
  const std::vector<float> before = floatsOf(*run, blob, ArrayKind::ErrorsBefore);
  const std::vector<float> after = floatsOf(*run, blob, ArrayKind::ErrorsAfter);
  const ExampleSet extended = sinew::withHelperPoses(truth.character, set);
  const Eigen::VectorXd wanted =
      vertexDistances(set.examples[2].points, posePoints(truth.character, extended.examples[2].pose));
  const Eigen::VectorXd wantedBefore =
      vertexDistances(set.examples[2].points, posePoints(document.file.character, set.examples[2].pose));
  ASSERT_EQ(after.size(), toSize(wanted.size()));
  for (std::size_t v = 0; v < after.size(); ++v) {
    ASSERT_NEAR(after[v], wanted[static_cast<Index>(v)], 1e-6);
    ASSERT_NEAR(before[v], wantedBefore[static_cast<Index>(v)], 1e-6);
  }
}

TEST(Fit, IsAPreviewUntilItIsKeptAsOneStepAndUndoRestoresTheBytes) {
  const Scratch scratch;
  std::string kept;
  {
    const auto run = runWithExamples(scratch);
    ASSERT_TRUE(run->ask("examples.goto", {{"example", 5}})["ok"]);
    ASSERT_TRUE(run->ask("pose.save", {{"name", "mine"}})["ok"]);
    const Json state = run->state();
    const std::string before = bytesOf(*run);
    const Json shown = fit(*run, {{"helpers", "half"}});
    EXPECT_EQ(run->state(), state);
    EXPECT_EQ(bytesOf(*run), before);

    run->page().forget();
    ASSERT_TRUE(run->ask("fit.show")["ok"]);
    const auto frames = run->page().told<wire::FitFrame>();
    ASSERT_EQ(frames.size(), 1u);
    ASSERT_TRUE(run->ask("fit.keep")["ok"]);
    EXPECT_EQ(run->depth(), state["history"]["depth"].get<std::size_t>() + 1);
    kept = bytesOf(*run);
    EXPECT_NE(kept, before);
    EXPECT_FALSE(run->result("fit.state").contains("result"));
    // The pose stays, and what was previewed is what is drawn now.
    const Json after = run->document();
    EXPECT_EQ(after["joints"].size(), state["joints"].size() + shown["helpers"].size());
    run->page().forget();
    ASSERT_TRUE(run->ask("frame")["ok"]);
    const auto drawn = run->page().told<wire::Frame>();
    ASSERT_EQ(drawn.size(), 1u);
    EXPECT_EQ(drawn[0].palette, frames[0].palette);
    // A kept skin has the rounding of its file.
    const auto previewed = floatsOf(*run, shown["blobs"]["weights"], ArrayKind::Weights);
    const auto weights = floatsOf(*run, after["blobs"]["weights"], ArrayKind::Weights);
    ASSERT_EQ(weights.size(), previewed.size());
    ASSERT_FALSE(weights.empty());
    for (std::size_t i = 0; i < weights.size(); ++i) ASSERT_NEAR(weights[i], previewed[i], 1e-6) << i;
    EXPECT_EQ(after["examples"]["examples"].size(), state["examples"]["examples"].size());
    // Poses that were saved before fit the new joints.
    EXPECT_TRUE(run->ask("pose.apply", {{"name", "mine"}})["ok"]);
    EXPECT_TRUE(run->ask("examples.goto", {{"example", 3}})["ok"]);
    while (run->depth() > state["history"]["depth"].get<std::size_t>()) ASSERT_TRUE(run->ask("undo")["ok"]);
    EXPECT_EQ(bytesOf(*run), before);
    EXPECT_EQ(run->document()["views"], state["views"]);
    EXPECT_EQ(run->document()["joints"], state["joints"]);
    ASSERT_TRUE(run->ask("redo")["ok"]);
    EXPECT_EQ(bytesOf(*run), kept);
  }
  // It was in the journal.
  StudioRun again(scratch);
  EXPECT_EQ(again.open({{"what", "sample:arm"}, {"unfinished", "continue"}}).value("fault", "?"), "");
  EXPECT_EQ(bytesOf(again), kept);
}

TEST(Fit, DiscardsAndDropsResultsOfAnotherSkin) {
  const Scratch scratch;
  const auto run = runWithExamples(scratch);
  fit(*run, {{"rest", true}});
  ASSERT_TRUE(run->ask("fit.discard")["ok"]);
  EXPECT_EQ(run->ask("fit.keep")["code"], "no-result");
  EXPECT_EQ(run->ask("fit.errors", {{"example", 0}})["code"], "no-result");

  const Json shown = fit(*run, {{"rest", true}});
  EXPECT_GT(shown["drift"], 0);
  // A pose is no change of the skin, a weight is.
  ASSERT_TRUE(run->ask("examples.goto", {{"example", 1}})["ok"]);
  EXPECT_TRUE(run->result("fit.state").contains("result"));
  ASSERT_TRUE(run->ask("weights.set", {{"vertex", 0}, {"binding", 1}, {"weight", 0.5}})["ok"]);
  EXPECT_FALSE(run->result("fit.state").contains("result"));
  EXPECT_EQ(run->ask("fit.keep")["code"], "no-result");
  // So is a lock: the result may have moved its weights.
  fit(*run, Json::object());
  ASSERT_TRUE(run->ask("weights.locks", {{"joints", {documentOf(*run).file.character.skeleton[0].name}}})["ok"]);
  EXPECT_EQ(run->ask("fit.keep")["code"], "no-result");
}

TEST(Fit, TheMeshOfAResultCanBeFetchedAsLongAsItIsThere) {
  const Scratch scratch;
  const auto run = runWithExamples(scratch);
  const Json blobs = fit(*run, Json::object())["blobs"];
  const auto isThere = [&] {
    bool there = false;
    run->onWorker([&](Session& session) { there = session.blobs().find(blobs["weights"]) != nullptr; });
    return there;
  };
  EXPECT_TRUE(isThere());
  run->onWorker([](Session& session) {
    for (std::uint8_t i = 0; i < 8; ++i) session.putBlob(Bytes(std::size_t{40} << 20, i));
  });
  EXPECT_FALSE(isThere()) << "others have displaced it";
  EXPECT_EQ(run->result("fit.state")["result"]["blobs"], blobs);
  EXPECT_TRUE(isThere());
}

TEST(Fit, AResultOfASkinThatChangedMeanwhileIsNotKept) {
  const Scratch scratch;
  const auto run = runWithExamples(scratch, 8000);
  const Json started = run->result("fit.start", {{"helpers", "all"}});
  EXPECT_EQ(run->ask("fit.start")["code"], "busy");
  ASSERT_TRUE(run->ask("weights.set", {{"vertex", 0}, {"binding", 1}, {"weight", 0.5}})["ok"]);
  const Json end = endOf(*run, started);
  EXPECT_NE(end["fault"].get<std::string>().find("changed meanwhile"), std::string::npos) << end;
  EXPECT_FALSE(run->result("fit.state").contains("result"));
}

TEST(Fit, CancelledNothingIsKeptAndItCanRunAgain) {
  const Scratch scratch;
  const auto run = runWithExamples(scratch, 8000);
  const std::string before = bytesOf(*run);
  const Json started = run->result("fit.start");
  ASSERT_TRUE(run->ask("job.cancel", {{"job", started["job"]}})["ok"]);
  EXPECT_TRUE(endOf(*run, started)["cancelled"]);
  EXPECT_EQ(bytesOf(*run), before);
  EXPECT_FALSE(run->result("fit.state").contains("result"));
  EXPECT_FALSE(fit(*run, Json::object()).is_null());
}

TEST(Fit, CancelledWhileItTriesHelperJointsItKeepsTheFitOfTheWeights) {
  const Scratch scratch;
  const auto run = runWithExamples(scratch);
  const Document document = documentOf(*run);
  const FitOptions options{.helpers = FitHelpers::Half, .rest = true};
  const auto until = [&](double most) {
    return fit::fitted(fit::sourceOf(document, {}), options,
                       [most](const ProgressState& state) { return state.fraction < most; });
  };
  EXPECT_THROW(until(0.05), Error);
  const fit::LearnedSkinPtr best = until(0.5);
  const FitResult truth = fitSkin(document.file.character, exampleSet(document));
  EXPECT_EQ(best->file.character.skeleton.size(), document.file.character.skeleton.size());
  EXPECT_EQ(best->file.character.mesh.points, document.file.character.mesh.points);
  EXPECT_NEAR(best->after.total.rms, truth.report.after.rms, 1e-12);
  ASSERT_FALSE(best->warnings.empty());
  EXPECT_TRUE(best->warnings.back().starts_with("cancelled: ")) << best->warnings.back();
}

TEST(Fit, KeepsLockedWeights) {
  const Scratch scratch;
  const auto run = runWithExamples(scratch);
  const Document document = documentOf(*run);
  const std::string& locked = document.file.character.skeleton[0].name;
  ASSERT_TRUE(run->ask("weights.locks", {{"joints", {locked}}})["ok"]);
  EXPECT_EQ(run->ask("fit.learn", {{"influences", 2}})["code"], "locked");
  fit(*run, {{"helpers", "half"}});
  ASSERT_TRUE(run->ask("fit.keep")["ok"]);
  const SkinWeights& old = document.file.character.skin.weights;
  const Document after = documentOf(*run);
  const SkinWeights& now = after.file.character.skin.weights;
  const auto ofLocked = [&](const SkinWeights& weights, const Character& character, Index v) {
    double sum = 0;
    for (const Influence& one : weights[v]) {
      if (character.skin.bindings[one.binding].joint == 0) sum += one.weight;
    }
    return sum;
  };
  for (Index v = 0; v < old.vertexCount(); ++v)
    ASSERT_NEAR(ofLocked(now, after.file.character, v), ofLocked(old, document.file.character, v), 1e-7) << v;
}

TEST(Fit, RefusesWhatMakesNoSenseWithTheValue) {
  const Scratch scratch;
  {
    StudioRun run(scratch, "sample:arm", kVertices);
    EXPECT_EQ(run.ask("fit.start")["code"], "no-examples");
    EXPECT_EQ(run.ask("fit.keep")["code"], "no-result");
  }
  const auto run = runWithExamples(scratch);
  const std::pair<Json, const char*> faults[] = {
      {{{"maxInfluences", 0}}, "max-influences is 0; it must be 1 to 64"},
      {{{"smooth", -1}}, "Smooth is -1; it must be 0 to 10000"},
      {{{"helpers", "elbow"}}, "There are no helper joints of the kind 'elbow'"},
      {{{"prior", "much"}}, "The prior is 'much'"},
      {{{"weights", false}}, "There is nothing to fit"},
      {{{"weights", false}, {"rest", true}, {"helpers", "half"}}, "Helper joints need weights"},
  };
  for (const auto& [args, text] : faults) EXPECT_EQ(run->ask("fit.start", args)["text"], text);
  EXPECT_EQ(run->ask("fit.learn", {{"helpers", -1}})["text"], "Helper joints is -1; it must be 0 to 10000");
  fit(*run, Json::object());
  EXPECT_EQ(run->ask("fit.errors", {{"example", 99}})["text"], "There is no example 99");
  EXPECT_EQ(run->ask("fit.show", {{"view", 3}})["text"], "There is no view 3");
}

TEST(Fit, OnlyTheRestShapeMovesWithoutWeights) {
  const Scratch scratch;
  const auto run = runWithExamples(scratch);
  const Document document = documentOf(*run);
  const Json shown = fit(*run, {{"weights", false}, {"rest", true}});
  EXPECT_LT(shown["after"]["rms"], shown["before"]["rms"]);
  ASSERT_TRUE(run->ask("fit.keep")["ok"]);
  const Document after = documentOf(*run);
  EXPECT_NE(after.file.character.mesh.points, document.file.character.mesh.points);
  const SkinWeights& old = document.file.character.skin.weights;
  for (Index v = 0; v < old.vertexCount(); ++v) {
    const auto mine = after.file.character.skin.weights[v];
    ASSERT_EQ(mine.size(), old[v].size());
    for (std::size_t i = 0; i < mine.size(); ++i) ASSERT_NEAR(mine[i].weight, old[v][i].weight, 1e-9);
  }
}

TEST(Fit, LearnsWithinABudgetAndListsTheOtherChoices) {
  const Scratch scratch;
  const auto run = runWithExamples(scratch);
  const std::string before = bytesOf(*run);
  const Json end =
      endOf(*run, run->result("fit.learn", {{"influences", 3}, {"helpers", 2}, {"morphs", 2}, {"kilobytes", 400}}));
  ASSERT_EQ(end.value("fault", "?"), "") << end;
  const Json state = run->result("fit.state");
  const Json& shown = state["result"];
  EXPECT_EQ(shown["what"], "learn");
  EXPECT_LE(shown["maxInfluences"], 3);
  EXPECT_LE(shown["helpers"].size(), 2u);
  EXPECT_LT(shown["after"]["rms"], 0.5 * shown["before"]["rms"].get<double>());
  std::size_t chosen = 0;
  std::size_t front = 0;
  for (const Json& choice : state["choices"]) {
    chosen += choice["chosen"] ? 1 : 0;
    front += choice["front"] ? 1 : 0;
  }
  EXPECT_EQ(chosen, 1u);
  EXPECT_GT(front, 1u);

  run->page().forget();
  ASSERT_TRUE(run->ask("examples.goto", {{"example", 4}})["ok"]);
  ASSERT_TRUE(run->ask("fit.show")["ok"]);
  const auto frames = run->page().told<wire::FitFrame>();
  ASSERT_EQ(frames.size(), 1u);
  ASSERT_TRUE(run->ask("fit.keep")["ok"]);
  // What is kept is within the budget as a file, too.
  const std::string kept = bytesOf(*run);
  EXPECT_LE(kept.size(), before.size() + 400000);
  run->page().forget();
  ASSERT_TRUE(run->ask("frame")["ok"]);
  const auto drawn = run->page().told<wire::Frame>();
  ASSERT_EQ(drawn.size(), 1u);
  EXPECT_EQ(drawn[0].palette, frames[0].palette);
  EXPECT_EQ(drawn[0].targets, frames[0].targets);
  EXPECT_EQ(drawn[0].targetWeights, frames[0].targetWeights);

  // A skin with learned corrections can be fitted: they are dropped.
  const Json again = fit(*run, {{"helpers", "none"}});
  EXPECT_EQ(again["morphs"], 0);
  EXPECT_TRUE(again["warnings"].back().get<std::string>().starts_with("the corrections of the character"));
  ASSERT_TRUE(run->ask("fit.keep")["ok"]);
  EXPECT_EQ(documentOf(*run).file.poseSpace, nullptr);
  ASSERT_TRUE(run->ask("undo")["ok"]);
  EXPECT_EQ(bytesOf(*run), kept);
  ASSERT_TRUE(run->ask("undo")["ok"]);
  EXPECT_EQ(bytesOf(*run), before);
}

TEST(Fit, ExplainsWhatWouldHelp) {
  const Scratch scratch;
  const auto run = runWithExamples(scratch);
  const Json end = endOf(*run, run->result("fit.explain"));
  ASSERT_EQ(end.value("fault", "?"), "") << end;
  const Json triage = run->result("fit.state")["triage"];
  const Document document = documentOf(*run);
  const FitExplanation truth = explainFit(document.file.character, exampleSet(document),
                                          {.maxInfluences = 4, .helpers = FitHelpers::All, .rest = true});
  EXPECT_EQ(triage["advice"], truth.advice);
  ASSERT_EQ(triage["stages"].size(), truth.stages.size());
  for (std::size_t s = 0; s < truth.stages.size(); ++s) {
    EXPECT_EQ(triage["stages"][s]["name"], truth.stages[s].name);
    EXPECT_NEAR(triage["stages"][s]["rms"], truth.stages[s].total.rmsPercent, 1e-9);
    EXPECT_NEAR(triage["stages"][s]["leftOut"],
                truth.stages[0].total.rmsPercent / truth.stages[0].total.rms * truth.stages[s].leaveOneOut, 1e-9);
  }
}

TEST(Fit, TheOptionsAreThoseOfTheLibrary) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:arm", kVertices);
  FitOptions defaults;
  const Json fields = run.result("fit.fields")["fields"];
  std::size_t found = 0;
  visitFields(defaults, [&](const auto& /*value*/, const FieldInfo& info) {
    for (const Json& field : fields) {
      if (field["name"] != info.name) continue;
      ++found;
      EXPECT_EQ(field["help"], info.help);
      EXPECT_EQ(field.contains("most"), std::isfinite(info.most));
    }
  });
  EXPECT_EQ(found, fields.size());
  EXPECT_GE(found, 6u);
}

}  // namespace
}  // namespace sinew::studio::test::fit_test
