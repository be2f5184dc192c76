// The mode Correct: what is learned in the background, what the views show, and sculpting.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "session_harness.h"
#include "sinew/deform/example_errors.h"
#include "sinew/deform/posing.h"
#include "sinew/io/poses.h"
#include "support/test_arm.h"

namespace sinew::studio::test::correct_test {
namespace {

namespace fs = std::filesystem;

/// Half of the angle of a bend of 90 degrees.
constexpr float kHalf = 0.785398163f;

/// A tube with two sculpts whose elbow bulges, 2 % of its size at 90 degrees.
void writeArm(const Scratch& scratch) {
  CharacterFile file;
  file.character = sinew::test::testArm();
  writeCharacter(scratch / "root/arm.glb", file);
  ExampleSet set;
  for (const double degrees : {45.0, 90.0}) {
    Example example;
    example.name = fmt::format("bent{:.0f}", degrees);
    example.pose = sinew::test::bentArmPose(file.character, degrees, 0);
    example.pose.local[0] = restPose(file.character).local[0];
    example.points = posePoints(file.character, example.pose);
    for (Index v = 0; v < example.points.cols(); ++v) {
      const double x = file.character.mesh.points(0, v);
      example.points(2, v) += 0.1 * degrees / 90 * std::exp(-8 * x * x);
    }
    set.examples.push_back(std::move(example));
  }
  writeExamples(scratch / "root/examples.json", file.character, set);
}

class Correct : public ::testing::Test {
 protected:
  Correct() {
    writeArm(scratch);
    run.emplace(scratch, "arm.glb");
  }

  void openExamples() {
    const Json answer = run->result("examples.open");
    ASSERT_TRUE(answer.contains("job")) << answer;
    ASSERT_EQ(run->jobEnd(answer["job"].get<int>()).value("fault", "?"), "");
  }
  Json learn(const Json& args = Json::object()) {
    const std::size_t from = run->page().count();
    const Json answer = run->result("correct.learn", args);
    if (!answer.contains("job") || answer["job"] == 0) return answer;
    return run->page().wait([](const Json& heard) { return heard.value("event", "") == "learned"; }, from);
  }
  void show(const std::string& what) { EXPECT_TRUE(run->ask("correct.show", {{"shows", {what}}})["ok"]); }
  void goTo(int example) { EXPECT_TRUE(run->ask("examples.goto", {{"example", example}})["ok"]); }
  /// Points as the page draws them: skinned, then displaced.
  Points drawn() {
    run->page().forget();
    EXPECT_TRUE(run->ask("frame")["ok"]);
    const wire::Frame frame = run->page().told<wire::Frame>().at(0);
    Points points;
    run->onWorker(
        [&](Session& session) { points = posePoints(session.document().file.character, session.drawnViews().at(0)); });
    for (std::size_t i = 0; i < frame.moved.size(); ++i) {
      for (int axis = 0; axis < 3; ++axis)
        points(axis, frame.moved[i]) += static_cast<double>(frame.offsets[3 * i + toSize(axis)]);
    }
    return points;
  }
  Points plain() {
    Points points;
    run->onWorker(
        [&](Session& session) { points = posePoints(session.document().file.character, session.document().views[0]); });
    return points;
  }
  ExampleSet examples() {
    ExampleSet set;
    run->onWorker([&](Session& session) { set = exampleSet(session.document()); });
    return set;
  }
  double diagonal() { return run->document()["diagonal"].get<double>(); }
  static double largest(const Points& a, const Points& b) { return (a - b).colwise().norm().maxCoeff(); }

  void bend(float half) {
    const Json joints = run->document()["joints"];
    std::uint32_t joint = 0;
    while (joints[joint]["name"] != "lower") ++joint;
    const Json at = joints[joint]["rest"]["translation"];
    run->send(wire::PoseSet{.joints = {joint},
                            .rotations = {0, 0, std::sin(half), std::cos(half)},
                            .translations = {at[0], at[1], at[2]},
                            .scales = {1, 1, 1}});
    (void)run->document();
  }
  /// The vertex of the elbow that is highest in z.
  std::uint32_t elbow() {
    const Points points = plain();
    Index best = 0;
    run->onWorker([&](Session& session) {
      const Points& rest = session.document().file.character.mesh.points;
      (rest.row(2).array() - 4 * rest.row(0).array().abs()).maxCoeff(&best);
    });
    return static_cast<std::uint32_t>(best);
  }
  wire::SculptBegin brush(SculptTool tool, std::uint32_t drag, float radius = 0.4f) {
    return {.drag = drag, .tool = static_cast<std::uint32_t>(tool), .lead = elbow(), .radius = radius, .strength = 1};
  }
  /// Moves the elbow by this much, as one step.
  void grab(const Vec3& by, std::uint32_t drag) {
    const std::uint32_t vertex = elbow();
    const Json centre = run->document()["centre"];
    const Vec3 target = drawn().col(vertex) + by - Vec3(centre[0], centre[1], centre[2]);
    const std::array<float, 3> to = {static_cast<float>(target.x()), static_cast<float>(target.y()),
                                     static_cast<float>(target.z())};
    run->send(brush(SculptTool::Grab, drag));
    run->send(wire::DragMove{.drag = drag, .target = to});
    run->send(wire::DragEnd{.drag = drag, .commit = 1, .target = to});
    (void)run->document();
  }

  Scratch scratch;
  std::optional<StudioRun> run;
};

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

TEST_F(Correct, ExportSaysWhichExamplesAndSculptsTheFileWillNotHave) {
  const auto lost = [&] {
    const Json answer = run->ask("export.plan", Json::object());
    EXPECT_TRUE(answer["ok"]) << answer;
    Json heard;
    const Json job = answer["result"]["job"];
    for (int tries = 0; tries < 12 && heard.is_null(); ++tries) {
      heard = run->page().wait(
          [&](const Json& one) { return one.value("event", "") == "exportPlan" && one.value("job", 0) == job; });
    }
    return heard.is_null() ? std::string("no plan") : heard["lost"].dump();
  };
  EXPECT_EQ(lost().find("example"), std::string::npos) << "there is none";
  openExamples();
  const std::string unkept = lost();
  EXPECT_NE(unkept.find("does not play 2 of 2 examples"), std::string::npos) << unkept;
  EXPECT_NE(unkept.find("bent90"), std::string::npos) << unkept;
  bend(0.5F * kHalf);
  show("result");
  grab({0, 0, 0.1}, 1);
  EXPECT_NE(lost().find("sculpt in progress"), std::string::npos);
}

TEST_F(Correct, TheLearnedModelIsShownAtThePosesOfItsExamples) {
  openExamples();
  const Json learned = learn();
  ASSERT_EQ(learned.value("fault", "?"), "") << learned;
  EXPECT_EQ(learned["names"], (Json{"rest", "bent45", "bent90"}));
  EXPECT_GT(learned["before"].get<double>(), 0.1);
  EXPECT_LT(learned["after"].get<double>(), 1e-3);
  for (int k = 0; k < 2; ++k) {
    goTo(k);
    show("document");
    EXPECT_LT(largest(drawn(), plain()), 1e-12) << "nothing is learned in the document";
    show("result");
    EXPECT_LT(largest(drawn(), examples().examples[toSize(k)].points), 1e-5 * diagonal());
    show("target");
    EXPECT_LT(largest(drawn(), examples().examples[toSize(k)].points), 1e-6 * diagonal());
    show("plain");
    EXPECT_LT(largest(drawn(), plain()), 1e-7 * diagonal());
    EXPECT_GT(largest(drawn(), examples().examples[toSize(k)].points), 0.01 * diagonal());
  }
  show("result");
  run->page().forget();
  goTo(1);
  const wire::Activations here = run->page().told<wire::Activations>().at(0);
  ASSERT_EQ(here.weights.size(), 3u);
  EXPECT_NEAR(here.weights[2], 1, 1e-4);
  EXPECT_NEAR(here.weights[1], 0, 1e-4);
  EXPECT_EQ(here.nearest, 2u);
  EXPECT_EQ(here.example, 2u) << "one more than its number";
  EXPECT_NEAR(here.fade, 1, 1e-6);
}

TEST_F(Correct, TheLatestRequestWins) {
  openExamples();
  const std::size_t from = run->page().count();
  for (const char* kernel : {"linear", "gaussian", "cubic"})
    (void)run->result("correct.learn", {{"names", {"kernel"}}, {"values", {kernel}}});
  const auto isLearned = [](const Json& heard) { return heard.value("event", "") == "learned"; };
  Json learned =
      run->page().wait([&](const Json& heard) { return isLearned(heard) && heard["kernel"] == "cubic"; }, from);
  ASSERT_TRUE(learned.is_object());
  run->session().jobs().stop();
  // What was asked for earlier is never told later.
  (void)run->document();
  std::string last;
  (void)run->page().wait(
      [&](const Json& heard) {
        if (isLearned(heard)) last = heard["kernel"];
        return heard.contains("result") && heard["result"].contains("joints");
      },
      from);
  EXPECT_EQ(last, "cubic");
}

TEST_F(Correct, OptionsComeFromTheFieldsOfTheLibraryAndAreChecked) {
  const Json fields = run->result("correct.fields")["fields"];
  std::vector<std::string> names;
  for (const Json& field : fields) names.push_back(field["name"]);
  for (const char* one : {"space", "kernel", "ridge", "weighted", "radius", "rank"})
    EXPECT_NE(std::find(names.begin(), names.end(), one), names.end()) << one;
  EXPECT_EQ(fields[0]["values"], (Json{"frame", "inverse", "forward", "layered"}));
  openExamples();
  const auto refused = [&](const char* name, const char* value) {
    return run->result("correct.learn", {{"names", {name}}, {"values", {value}}})["text"];
  };
  EXPECT_EQ(refused("ridge", "-1"), "'-1' is no value for ridge; it must be a number from 0 to 1000");
  EXPECT_EQ(refused("weighted", "yes"), "'yes' is no value for weighted; it must be true or false");
  EXPECT_EQ(refused("space", "fram"),
            "'fram' is no value for space; it must be one of frame, inverse, forward, layered");
  EXPECT_EQ(refused("rigde", "1"), "there is no option 'rigde'");
  for (const char* space : {"frame", "inverse", "forward", "layered"}) {
    EXPECT_EQ(learn({{"names", {"space", "weighted"}}, {"values", {space, "true"}}}).value("fault", "?"), "");
    goTo(1);
    show("result");
    EXPECT_LT(largest(drawn(), examples().examples[1].points), 1e-4 * diagonal()) << space;
  }
}

TEST_F(Correct, WhatCannotBeLearnedIsToldInTheModeAndNotAsAFailedJob) {
  EXPECT_EQ(learn()["job"], 0) << "there are no examples";
  bend(kHalf);
  ASSERT_TRUE(run->ask("examples.add", {{"name", "one"}})["ok"]);
  ASSERT_TRUE(run->ask("examples.drivers", {{"joints", {"root"}}, {"weights", {1}}})["ok"]);
  const Json learned = learn();
  EXPECT_NE(learned.value("fault", ""), "") << "no example moves this driver";
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

TEST_F(Correct, SculptsWhereTheyMakeNoSenseAreRefused) {
  const auto fault = [&](const wire::SculptBegin& begin) {
    const std::size_t from = run->page().count();
    run->send(begin);
    return run->page()
        .wait([](const Json& heard) { return heard.value("event", "") == "error"; }, from)
        .value("text", "");
  };
  EXPECT_EQ(fault(brush(SculptTool::Grab, 1)), "the rest pose has no corrections");
  bend(kHalf);
  grab({0, 0, 0.1}, 2);
  bend(0.5f * kHalf);
  EXPECT_EQ(fault(brush(SculptTool::Grab, 3)), "an unsaved sculpt belongs to another pose");
  EXPECT_TRUE(run->ask("correct.gotoSculpt")["ok"]);
  wire::SculptBegin wrong = brush(SculptTool::Smooth, 4);
  wrong.radius = -1;
  EXPECT_EQ(fault(wrong), "brush radius out of range");
  wrong = brush(SculptTool::Smooth, 5);
  wrong.lead = 100000;
  EXPECT_EQ(fault(wrong), "there is no vertex 100000");
  wrong = brush(SculptTool::Smooth, 6);
  wrong.tool = 17;
  EXPECT_EQ(fault(wrong), "unknown sculpting tool");
}

TEST_F(Correct, KeepingTheModelIsOneStepAndTheFileHasIt) {
  openExamples();
  goTo(1);
  const Json before = run->document();
  const Json answer = run->result("correct.keep");
  ASSERT_TRUE(answer.contains("job")) << answer;
  ASSERT_EQ(run->jobEnd(answer["job"].get<int>()).value("fault", "?"), "");
  const Json after = run->document();
  EXPECT_EQ(after["history"]["depth"], before["history"]["depth"].get<int>() + 1);
  EXPECT_EQ(after["examples"]["examples"], before["examples"]["examples"]) << "the examples stay";
  EXPECT_EQ(after["views"], before["views"]) << "and the pose";
  ASSERT_TRUE(run->ask("save", {{"path", "kept.glb"}})["ok"]);
  const CharacterFile file = readCharacter(scratch / "root/kept.glb");
  ASSERT_TRUE(file.poseSpace);
  const ExampleSet set = examples();
  ExamplesInMemory source(set);
  const SequenceError error = errorOfExamples(file.character, file.playback(), source);
  EXPECT_LT(error.total.rmsPercent, 1e-2);
  EXPECT_TRUE(run->ask("undo")["ok"]);
  const Json undone = run->document();
  EXPECT_EQ(undone["views"], before["views"]);
  EXPECT_EQ(undone["blobs"]["mesh"], before["blobs"]["mesh"]);
  EXPECT_EQ(undone["examples"]["examples"], before["examples"]["examples"]);
}

TEST_F(Correct, ScrubbingIsAPreviewUntilItEnds) {
  openExamples();
  ASSERT_EQ(learn().value("fault", "?"), "");
  const Json rest = run->document()["views"];
  const std::size_t depth = run->depth();
  const auto scrub = [&](double t, bool live) {
    return run->ask("correct.scrub", {{"from", -1}, {"to", 1}, {"t", t}, {"live", live}})["ok"];
  };
  EXPECT_TRUE(scrub(0.5, true));
  EXPECT_NE(run->document()["views"], rest);
  EXPECT_TRUE(run->ask("pose.takeBack")["ok"]);
  EXPECT_EQ(run->document()["views"], rest);
  EXPECT_TRUE(scrub(0.7, true));
  EXPECT_TRUE(scrub(1, false));
  EXPECT_EQ(run->depth(), depth + 1);
  show("result");
  EXPECT_LT(largest(drawn(), examples().examples[1].points), 1e-5 * diagonal());
  EXPECT_TRUE(run->ask("undo")["ok"]);
  EXPECT_EQ(run->document()["views"], rest);
  const Json curves = run->result("correct.curves", {{"from", -1}, {"to", 1}, {"steps", 11}});
  ASSERT_EQ(curves["activations"].size(), 3u) << curves;
  EXPECT_NEAR(curves["activations"][2][10].get<double>(), 1, 1e-6);
  EXPECT_NEAR(curves["activations"][1][5].get<double>(), 1, 1e-3) << "45 degrees are half of the way";
  EXPECT_EQ(run->result("correct.curves", {{"from", -1}, {"to", 9}, {"steps", 11}})["code"], "bad-input");
  EXPECT_EQ(run->result("correct.scrub", {{"from", 0}, {"to", 1}, {"t", 2}})["code"], "bad-input");
}

}  // namespace
}  // namespace sinew::studio::test::correct_test
