// The mode Correct: what is learned in the background, and what the views show.
#include "correct_harness.h"
#include "sinew/deform/example_errors.h"

namespace sinew::studio::test::correct_test {
namespace {

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
  EXPECT_EQ(refused("ridge", "-1"), "Ridge is '-1'; it must be a number from 0 to 1000");
  EXPECT_EQ(refused("weighted", "yes"), "Weighted is 'yes'; it must be true or false");
  EXPECT_EQ(refused("space", "fram"), "Space is 'fram'; it must be one of frame, inverse, forward, layered");
  EXPECT_EQ(refused("rigde", "1"), "There is no option 'rigde'");
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

TEST_F(Correct, APageThatWasReplacedResetsNothing) {
  openExamples();
  goTo(1);
  const auto second = std::make_shared<RecordingPage>();
  const ServerHooks hooks = run->session().hooks();
  hooks.opened(second);
  const auto shows = [&] {
    second->forget();
    EXPECT_TRUE(run->ask("frame")["ok"]);
    return !second->told<wire::Activations>().empty();
  };
  const Json ask{{"id", 1}, {"cmd", "correct.show"}, {"args", {{"shows", {"target"}}}}};
  hooks.text(second, ask.dump());
  EXPECT_TRUE(shows());
  EXPECT_TRUE(run->ask("hello", {{"protocol", kProtocolVersion}})["ok"]);
  EXPECT_TRUE(shows()) << "the greeting is of a page that looks on";
  hooks.opened(std::make_shared<RecordingPage>());
  EXPECT_FALSE(shows()) << "a new page begins with the document";
}

TEST_F(Correct, ComparedViewsHaveTheirOwnPosesAgainAfterwards) {
  const auto poses = [&] { return run->document()["views"]; };
  const auto compare = [&](bool on) { EXPECT_TRUE(run->ask("correct.compare", {{"on", on}})["ok"]); };
  ASSERT_TRUE(run->ask("views", {{"count", 2}})["ok"]);
  const Json rest = poses();
  openExamples();
  ASSERT_TRUE(run->ask("examples.goto", {{"view", 1}, {"example", 0}})["ok"]);
  const Json own = poses();
  ASSERT_NE(own[1], rest[1]);
  compare(true);
  EXPECT_EQ(poses(), (Json{rest[0], rest[0], rest[0]}));
  // A step in any of them poses the first one.
  ASSERT_TRUE(run->ask("examples.goto", {{"view", 2}, {"example", 1}})["ok"]);
  const Json bent = poses()[0];
  EXPECT_EQ(poses(), (Json{bent, bent, bent}));
  EXPECT_NE(bent, rest[0]);
  compare(false);
  EXPECT_EQ(poses(), (Json{bent, own[1]}));
  // Undone while they are compared, it is undone.
  compare(true);
  ASSERT_TRUE(run->ask("undo")["ok"]);
  ASSERT_TRUE(run->ask("undo")["ok"]);
  EXPECT_EQ(poses(), (Json{rest[0], rest[0], rest[0]}));
  compare(false);
  EXPECT_EQ(poses(), rest);
  ASSERT_TRUE(run->ask("redo")["ok"]);
  EXPECT_EQ(poses(), own);
  // Also one that is not shown meanwhile.
  ASSERT_TRUE(run->ask("views", {{"count", 4}})["ok"]);
  ASSERT_TRUE(run->ask("examples.goto", {{"view", 3}, {"example", 1}})["ok"]);
  const Json four = poses();
  compare(true);
  ASSERT_TRUE(run->ask("pose.save", {{"name", "mine"}})["ok"]);
  EXPECT_EQ(poses().size(), 3u);
  compare(false);
  EXPECT_EQ(poses(), four);
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

TEST_F(Correct, APreviewNeverStartsFromThatOfAnotherMode) {
  openExamples();
  const Json rest = run->document()["views"];
  const auto scrub = [&] { return run->ask("correct.scrub", {{"from", -1}, {"to", 1}, {"t", 0.5}, {"live", true}}); };
  bend(kHalf, true);
  EXPECT_TRUE(scrub()["ok"]);
  EXPECT_TRUE(run->ask("pose.takeBack")["ok"]);
  EXPECT_EQ(run->document()["views"], rest);
  EXPECT_TRUE(scrub()["ok"]);
  bend(kHalf);
  EXPECT_TRUE(run->ask("undo")["ok"]);
  EXPECT_EQ(run->document()["views"], rest) << "the step began where the preview began";
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
