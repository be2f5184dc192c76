// Examples as a part of the document: every change is a step that survives the end of the studio.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "session_harness.h"
#include "sinew/base/error.h"
#include "sinew/deform/posing.h"
#include "sinew/io/files.h"
#include "sinew/io/poses.h"
#include "sinew/samples/samples.h"
#include "studio/document/journal.h"
#include "support/test_arm.h"

namespace sinew::studio::test::examples_test {
namespace {

namespace fs = std::filesystem;

constexpr int kVertices = 1000;

Json openExamples(StudioRun& run, const Json& args = Json::object()) {
  const Json answer = run.result("examples.open", args);
  if (!answer.contains("job")) return answer;
  return run.jobEnd(answer["job"].get<int>());
}

std::vector<std::string> names(StudioRun& run) {
  std::vector<std::string> list;
  const Json document = run.document();
  for (const Json& one : document["examples"]["examples"]) list.push_back(one["name"]);
  return list;
}

ExampleSet examples(StudioRun& run) {
  ExampleSet set;
  run.onWorker([&](Session& session) { set = exampleSet(session.document()); });
  return set;
}

Character character(StudioRun& run) {
  Character copy;
  run.onWorker([&](Session& session) { copy = session.document().file.character; });
  return copy;
}

void expectSame(const ExampleSet& a, const ExampleSet& b) {
  ASSERT_EQ(a.examples.size(), b.examples.size());
  EXPECT_EQ(a.rest.cols(), b.rest.cols());
  for (std::size_t k = 0; k < a.examples.size(); ++k) {
    EXPECT_EQ(a.examples[k].name, b.examples[k].name);
    EXPECT_EQ(a.examples[k].points, b.examples[k].points);
    EXPECT_EQ(flatPose(a.examples[k].pose), flatPose(b.examples[k].pose));
    EXPECT_EQ(a.examples[k].pose.morphWeights, b.examples[k].pose.morphWeights);
    EXPECT_EQ(a.examples[k].mask, b.examples[k].mask);
  }
}

/// An arm with two sculpts beside it, as people keep them.
fs::path writeArmWithExamples(const Scratch& scratch) {
  CharacterFile file;
  file.character = sinew::test::testArm();
  writeCharacter(scratch / "root/arm.glb", file);
  ExampleSet set;
  for (const double degrees : {45.0, 90.0}) {
    Example example;
    example.name = fmt::format("bent{:.0f}", degrees);
    example.pose = sinew::test::bentArmPose(file.character, degrees, 0);
    example.points = posePoints(file.character, example.pose);
    example.points.row(1).array() += 0.02 * degrees / 90;
    set.examples.push_back(std::move(example));
  }
  set.drivers.push_back({"lower", 1});
  writeExamples(scratch / "root/examples.json", file.character, set);
  return scratch / "root/arm.glb";
}

std::size_t shapeFiles(const Scratch& scratch) {
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(scratch / "state"))
    count += entry.path().filename().string().starts_with("shape-") ? 1 : 0;
  return count;
}

TEST(Examples, OfASampleAreItsSculptsOnTheVerticesOfTheDocument) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:arm", kVertices);
  EXPECT_EQ(run.document()["examples"]["offered"], "sample:arm");
  ASSERT_EQ(openExamples(run).value("fault", "?"), "");
  const Sample sample = makeSample("arm", {.vertices = kVertices});
  const ExampleSet set = examples(run);
  ASSERT_EQ(set.examples.size(), sample.examples.examples.size());
  EXPECT_EQ(run.depth(), 1u);
  const Character& rig = character(run);
  const Points rest = posePoints(rig, restPose(rig));
  for (std::size_t k = 0; k < set.examples.size(); ++k) {
    EXPECT_EQ(set.examples[k].name, sample.examples.examples[k].name);
    // Every vertex of the document, split at seams, is where a vertex of the sample is in the same pose.
    const Points& truth = sample.examples.examples[k].points;
    for (Index v = 0; v < rest.cols(); v += 37) {
      const double nearest = (truth.colwise() - set.examples[k].points.col(v)).colwise().norm().minCoeff();
      EXPECT_LT(nearest, 1e-9);
    }
    const Points plain = posePoints(rig, set.examples[k].pose);
    const Points own = posePoints(sample.character, sample.examples.examples[k].pose);
    EXPECT_NEAR((plain.col(5) - set.examples[k].points.col(5)).norm(), 0, 0.2) << "and near the skin of its pose";
    EXPECT_NEAR(boundingBox(plain).diagonal(), boundingBox(own).diagonal(), 1e-5);
  }
}

TEST(Examples, BesideACharacterAreOfferedAndOpened) {
  const Scratch scratch;
  const fs::path arm = writeArmWithExamples(scratch);
  StudioRun run(scratch, "arm.glb");
  EXPECT_EQ(run.document()["examples"]["offered"], (scratch / "root/examples.json").string());
  ASSERT_EQ(openExamples(run).value("fault", "?"), "");
  EXPECT_EQ(names(run), (std::vector<std::string>{"bent45", "bent90"}));
  EXPECT_EQ(run.document()["examples"]["drivers"][0]["joint"], "lower");
  const ExamplesFile expected = readExamples(scratch / "root/examples.json", readCharacter(arm));
  expectSame(examples(run), expected.set);
  // By its path, too, and by the path of its folder.
  ASSERT_EQ(openExamples(run, {{"path", "examples.json"}}).value("fault", "?"), "");
  ASSERT_EQ(openExamples(run, {{"path", "."}}).value("fault", "?"), "");
  EXPECT_EQ(run.result("examples.open", {{"path", "../elsewhere.json"}})["code"], "outside-root");
}

TEST(Examples, EveryChangeIsAStepThatSurvivesTheEndOfTheStudio) {
  const Scratch scratch;
  writeArmWithExamples(scratch);
  std::vector<ExampleSet> states;
  {
    StudioRun run(scratch, "arm.glb");
    states.push_back(examples(run));
    const auto step = [&](const std::string& command, const Json& args) {
      const Json answer = run.ask(command, args);
      EXPECT_TRUE(answer.value("ok", false)) << answer;
      states.push_back(examples(run));
    };
    ASSERT_EQ(openExamples(run).value("fault", "?"), "");
    states.push_back(examples(run));
    step("examples.rename", {{"example", 0}, {"name", " half bent "}});
    step("examples.goto", {{"example", 1}});
    step("examples.add", {{"name", "plain"}});
    step("examples.reorder", {{"example", 2}, {"to", 0}});
    step("examples.remove", {{"example", 1}});
    step("examples.drivers", {{"joints", {"upper", "lower"}}, {"weights", {1, 0.5}}});
    EXPECT_EQ(names(run), (std::vector<std::string>{"plain", "bent90"}));
    EXPECT_EQ(shapeFiles(scratch), 4u) << "rest and three shapes, each once";
    fs::copy(scratch / "state", scratch / "killed", fs::copy_options::recursive);
  }
  // As if it had been killed there: only what is on disk.
  StudioRun run(scratch, "arm.glb", 0, "killed");
  for (std::size_t k = states.size(); k-- > 0;) {
    expectSame(examples(run), states[k]);
    if (k > 0) {
      EXPECT_TRUE(run.ask("undo")["ok"]);
    }
  }
  for (const ExampleSet& state : states) {
    expectSame(examples(run), state);
    EXPECT_TRUE(run.ask("redo")["ok"]);
  }
  EXPECT_TRUE(run.ask("history.jump", {{"depth", 1}})["ok"]);
  expectSame(examples(run), states[1]);
}

TEST(Examples, OfADamagedFileAreRefusedAndTheStepsBeforeAreThere) {
  const Scratch scratch;
  writeArmWithExamples(scratch);
  {
    StudioRun run(scratch, "arm.glb");
    EXPECT_TRUE(run.ask("pose.save", {{"name", "mine"}})["ok"]);
    EXPECT_TRUE(run.ask("examples.add", {{"name", "one"}})["ok"]);
  }
  for (const auto& entry : fs::recursive_directory_iterator(scratch / "state")) {
    if (entry.path().filename().string().starts_with("shape-")) std::ofstream(entry.path()) << "SXS1 but not a shape";
  }
  StudioRun run(scratch, "arm.glb");
  EXPECT_EQ(run.document()["savedPoses"], Json::array({"mine"}));
  EXPECT_TRUE(names(run).empty());
}

TEST(Examples, AreWrittenOnRequestAndNothingElseIsOverwritten) {
  const Scratch scratch;
  writeArmWithExamples(scratch);
  StudioRun run(scratch, "arm.glb");
  EXPECT_EQ(run.result("examples.save", {{"path", "out"}})["text"], "There are no examples to save");
  ASSERT_EQ(openExamples(run).value("fault", "?"), "");
  const Json written = run.result("examples.save", {{"path", "out/mine"}});
  ASSERT_EQ(written["path"], (scratch / "root/out/mine/examples.json").string()) << written;
  EXPECT_EQ(written["files"], 6) << "the list, rest, two meshes, two poses";
  const ExamplesFile again =
      readExamples(scratch / "root/out/mine/examples.json", readCharacter(scratch / "root/arm.glb"));
  const ExampleSet set = examples(run);
  ASSERT_EQ(again.set.examples.size(), 2u);
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_LT((again.set.examples[k].points - set.examples[k].points).cwiseAbs().maxCoeff(), 1e-6);
  const Json refused = run.result("examples.save", {{"path", "out/mine"}});
  EXPECT_EQ(refused["code"], "exists") << refused;
  EXPECT_TRUE(run.ask("examples.save", {{"path", "out/mine"}, {"replace", true}})["ok"]);
  EXPECT_EQ(run.result("examples.save", {{"path", "../out"}})["code"], "outside-root");
}

TEST(Examples, LinksThatLeadOutOfTheRootAreNotFollowed) {
  const Scratch scratch;
  writeArmWithExamples(scratch);
  fs::create_directories(scratch / "outside");
  fs::create_directories(scratch / "root/links");
  fs::copy_file(scratch / "root/examples.json", scratch / "outside/examples.json");
  fs::create_symlink(scratch / "outside/examples.json", scratch / "root/links/examples.json");
  const std::string before = readFile(scratch / "outside/examples.json");
  StudioRun run(scratch, "arm.glb");
  EXPECT_EQ(run.result("examples.open", {{"path", "links"}})["code"], "unreadable");
  ASSERT_EQ(openExamples(run).value("fault", "?"), "");
  EXPECT_EQ(run.result("examples.save", {{"path", "links"}, {"replace", true}})["code"], "outside-root");
  EXPECT_EQ(readFile(scratch / "outside/examples.json"), before);
}

TEST(Examples, AnImportedMeshBelongsToThePoseOfTheView) {
  const Scratch scratch;
  writeArmWithExamples(scratch);
  StudioRun run(scratch, "arm.glb");
  ASSERT_EQ(openExamples(run).value("fault", "?"), "");
  EXPECT_TRUE(run.ask("examples.goto", {{"example", 1}})["ok"]);
  const Json answer = run.result("examples.import", {{"path", "bent90.obj"}, {"name", "again"}});
  ASSERT_EQ(answer.value("name", "?"), "again") << answer;
  const ExampleSet set = examples(run);
  ASSERT_EQ(set.examples.size(), 3u);
  EXPECT_LT((set.examples[2].points - set.examples[1].points).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_EQ(flatPose(set.examples[2].pose), flatPose(set.examples[1].pose));
  EXPECT_TRUE(run.ask("pose.reset")["ok"]);
  EXPECT_EQ(run.result("examples.import", {{"path", "no.obj"}})["code"], "not-found");
  EXPECT_EQ(run.result("examples.import", {{"path", "bent90.obj"}, {"name", "again"}})["code"], "exists");
}

TEST(Examples, WithoutASkinOrWithWrongNumbersAreRefusedWithASentence) {
  const Scratch scratch;
  writeArmWithExamples(scratch);
  StudioRun run(scratch, "arm.glb");
  EXPECT_EQ(run.result("examples.rename", {{"example", 0}, {"name", "x"}})["text"], "There is no example 0");
  EXPECT_EQ(run.result("examples.add", {{"name", "  "}})["text"], "An example needs a name");
  EXPECT_EQ(run.result("examples.add", {{"view", 3}, {"name", "a"}})["text"], "There is no view 3");
  ASSERT_TRUE(run.ask("examples.add", {{"name", "a"}})["ok"]);
  ASSERT_TRUE(run.ask("examples.add", {{"name", "b"}})["ok"]);
  EXPECT_EQ(run.result("examples.rename", {{"example", 0}, {"name", "b"}})["code"], "exists");
  EXPECT_EQ(run.result("examples.drivers", {{"joints", {"lower"}}, {"weights", {0}}})["code"], "bad-input");
  EXPECT_EQ(run.result("examples.drivers", {{"joints", {"lowr"}}, {"weights", {1}}})["code"], "not-found");
  EXPECT_EQ(run.depth(), 2u);
}

TEST(ExampleShapes, AreReadAsTheyWereStored) {
  ExampleShape shape;
  shape.points = Points::Random(3, 7);
  shape.mask = {0, 1, 0.5, 1, 1, 1, 0.25};
  const ExampleShape again = unpackShape(packShape(shape));
  EXPECT_EQ(again.points, shape.points);
  EXPECT_EQ(again.mask, shape.mask);
  std::string bytes = packShape(shape);
  EXPECT_THROW(unpackShape(bytes.substr(0, bytes.size() - 1)), Error);
  bytes[8] = 6;
  EXPECT_THROW(unpackShape(bytes), Error);
  EXPECT_THROW(unpackShape("SXS1"), Error);
}

}  // namespace
}  // namespace sinew::studio::test::examples_test
