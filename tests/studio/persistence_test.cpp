// What persists after the studio has ended: poses, history, and files that other programs changed meanwhile.
#include <gtest/gtest.h>

#include <fstream>

#include "session_harness.h"
#include "sinew/base/error.h"
#include "sinew/io/files.h"
#include "studio/document/file_state.h"
#include "support/test_arm.h"

namespace sinew::studio::persistence_test {
namespace {

namespace fs = std::filesystem;
using test::Scratch;
using test::StudioRun;

fs::path writeArm(const Scratch& scratch, const std::string& name = "arm.glb", double scale = 1) {
  CharacterFile file;
  file.character = sinew::test::testArm();
  file.character.mesh.points *= scale;
  writeCharacter(scratch / ("root/" + name), file);
  return scratch / ("root/" + name);
}

Json setWeight(StudioRun& run, int vertex, double weight) {
  return run.ask("weights.set", {{"vertex", vertex}, {"binding", 1}, {"weight", weight}});
}

wire::PoseSet bend(float half) {
  return {.joints = {1},
          .rotations = {0, 0, std::sin(half), std::cos(half)},
          .translations = {1, 0, 0},
          .scales = {1, 1, 1}};
}

TEST(Persistence, SavedPosesAreInTheFile) {
  const Scratch scratch;
  writeArm(scratch);
  Json bent;
  {
    StudioRun run(scratch, "arm.glb");
    run.send(bend(0.4f));
    EXPECT_TRUE(run.ask("pose.save", {{"name", "bent"}})["ok"]);
    EXPECT_TRUE(run.ask("pose.reset")["ok"]);
    EXPECT_TRUE(run.ask("pose.apply", {{"name", "bent"}})["ok"]);
    bent = run.document()["views"];
    EXPECT_TRUE(run.ask("save")["ok"]);
  }
  // Without a journal: only the file.
  StudioRun run(scratch, "arm.glb", 0, "another state");
  EXPECT_EQ(run.document()["savedPoses"], Json::array({"bent"}));
  EXPECT_NE(run.document()["views"], bent);
  EXPECT_TRUE(run.ask("pose.apply", {{"name", "bent"}})["ok"]);
  EXPECT_EQ(run.document()["views"], bent);
  EXPECT_TRUE(run.ask("pose.delete", {{"name", "bent"}})["ok"]);
  EXPECT_TRUE(run.ask("save")["ok"]);
  StudioRun again(scratch, "arm.glb", 0, "a third state");
  EXPECT_TRUE(again.document()["savedPoses"].empty());
}

TEST(Persistence, ASavedDocumentKeepsItsHistory) {
  const Scratch scratch;
  writeArm(scratch);
  Json before;
  {
    StudioRun run(scratch, "arm.glb");
    EXPECT_TRUE(setWeight(run, 3, 0.25)["ok"]);
    EXPECT_TRUE(setWeight(run, 4, 0.5)["ok"]);
    EXPECT_TRUE(run.ask("undo")["ok"]);
    EXPECT_TRUE(run.ask("save")["ok"]);
    before = run.document();
  }
  StudioRun run(scratch);
  // The file is unchanged since it was saved: no question.
  EXPECT_EQ(run.open({{"what", "arm.glb"}}).value("fault", "none"), "");
  const Json after = run.document();
  EXPECT_EQ(after["saved"], true);
  EXPECT_EQ(after["history"], before["history"]);
  EXPECT_EQ(after["history"]["depth"], 1);
  EXPECT_EQ(after["history"]["redo"], 1);
  EXPECT_EQ(after["blobs"], before["blobs"]);
  EXPECT_TRUE(run.ask("redo")["ok"]);
  EXPECT_TRUE(run.ask("undo")["ok"]);
  EXPECT_TRUE(run.ask("undo")["ok"]);
  EXPECT_EQ(run.document()["history"]["depth"], 0);
}

TEST(Persistence, TheHistoryGoesWithTheNameUnderWhichItIsSaved) {
  const Scratch scratch;
  {
    StudioRun run(scratch, "sample:arm");
    EXPECT_TRUE(setWeight(run, 3, 0.25)["ok"]);
    EXPECT_TRUE(run.ask("save", {{"path", "mine.glb"}})["ok"]);
    EXPECT_EQ(run.document()["title"], "mine.glb");
    EXPECT_TRUE(setWeight(run, 4, 0.25)["ok"]);
  }
  StudioRun run(scratch);
  EXPECT_EQ(run.open({{"what", "sample:arm"}}).value("fault", "none"), "");
  EXPECT_EQ(run.document()["history"]["depth"], 0);
  EXPECT_EQ(run.result("open", {{"what", "mine.glb"}})["unfinished"]["steps"], 1);
  EXPECT_EQ(run.open({{"what", "mine.glb"}, {"unfinished", "continue"}}).value("fault", "none"), "");
  EXPECT_EQ(run.document()["history"]["depth"], 2);
}

TEST(Persistence, UnsavedStepsAreOffered) {
  const Scratch scratch;
  writeArm(scratch);
  {
    StudioRun run(scratch, "arm.glb");
    setWeight(run, 3, 0.25);
    setWeight(run, 4, 0.25);
  }
  {
    StudioRun run(scratch);
    const Json offer = run.result("open", {{"what", "arm.glb"}})["unfinished"];
    EXPECT_EQ(offer["steps"], 2);
    EXPECT_EQ(offer["changed"], false);
    run.open({{"what", "arm.glb"}, {"unfinished", "continue"}});
    EXPECT_EQ(run.document()["history"]["depth"], 2);
  }
  {
    // As a command-line argument nobody can be asked: it continues, and the first page is notified.
    StudioRun run(scratch, "arm.glb");
    EXPECT_EQ(run.result("hello", {{"protocol", kProtocolVersion}})["resumed"]["steps"], 2);
    EXPECT_TRUE(run.result("hello", {{"protocol", kProtocolVersion}})["resumed"].is_null());
  }
  StudioRun run(scratch);
  run.open({{"what", "arm.glb"}, {"unfinished", "discard"}});
  EXPECT_EQ(run.document()["history"]["depth"], 0);
  // Discarded work stays discarded.
  EXPECT_FALSE(run.result("open", {{"what", "arm.glb"}}).contains("unfinished"));
}

TEST(Persistence, AFileThatAnotherProgramWroteIsTold) {
  const Scratch scratch;
  const fs::path path = writeArm(scratch);
  {
    StudioRun run(scratch, "arm.glb");
    setWeight(run, 3, 0.25);
    EXPECT_TRUE(run.ask("save")["ok"]);
  }
  writeArm(scratch, "arm.glb", 2);
  const std::string theirs = readFile(path);
  {
    StudioRun run(scratch);
    const Json offer = run.result("open", {{"what", "arm.glb"}})["unfinished"];
    EXPECT_EQ(offer["changed"], true);
    EXPECT_EQ(offer["steps"], 0);
    run.open({{"what", "arm.glb"}, {"unfinished", "continue"}});
    EXPECT_EQ(run.document()["history"]["depth"], 1);
    // Saving would overwrite the other program's work.
    const Json refused = run.ask("save");
    EXPECT_EQ(refused["code"], "changed");
    EXPECT_EQ(readFile(path), theirs);
  }
  {
    StudioRun run(scratch);
    const double before = run.document().value("diagonal", 0.0);
    run.open({{"what", "arm.glb"}, {"unfinished", "discard"}});
    EXPECT_EQ(run.document()["history"]["depth"], 0);
    EXPECT_GT(run.document()["diagonal"].get<double>(), before);
    EXPECT_TRUE(run.ask("save")["ok"]);
    writeArm(scratch, "arm.glb", 3);
    EXPECT_EQ(run.ask("save")["code"], "changed");
    EXPECT_TRUE(run.ask("save", {{"replace", true}})["ok"]);
    EXPECT_TRUE(run.ask("save")["ok"]);
  }
}

TEST(Persistence, ASaveThatWasCutOffBeforeItsLastWordIsASave) {
  const Scratch scratch;
  const fs::path path = writeArm(scratch);
  fs::path folder;
  {
    StudioRun run(scratch, "arm.glb");
    setWeight(run, 3, 0.25);
    EXPECT_TRUE(run.ask("save")["ok"]);
    run.onWorker([&](Session& session) { folder = session.journal().folder(); });
  }
  // As if killed after the file was renamed: the last record is missing.
  const std::string bytes = readFile(folder / "journal");
  std::size_t last = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data() + at, 4);
    last = at;
    at += 12 + (length & 0x7fffffffu);
  }
  fs::resize_file(folder / "journal", last);
  StudioRun run(scratch);
  EXPECT_EQ(run.open({{"what", "arm.glb"}}).value("fault", "none"), "");
  EXPECT_EQ(run.document()["saved"], true);
  EXPECT_EQ(run.document()["history"]["depth"], 1);
}

TEST(Persistence, AGltfWithItsBufferIsKnownAgain) {
  const Scratch scratch;
  const fs::path path = writeArm(scratch, "arm.gltf");
  {
    StudioRun run(scratch, "arm.gltf");
    setWeight(run, 3, 0.25);
    EXPECT_TRUE(run.ask("save")["ok"]);
  }
  StudioRun run(scratch);
  EXPECT_EQ(run.open({{"what", "arm.gltf"}}).value("fault", "none"), "");
  for (const auto& entry : fs::directory_iterator(scratch / "root")) {
    if (entry.path().extension() == ".bin") std::ofstream(entry.path(), std::ios::app) << "more";
  }
  EXPECT_NE(contentOf(path), "");
  EXPECT_EQ(run.ask("save")["code"], "changed");
}

TEST(Persistence, HalfASaveIsClearedAway) {
  const Scratch scratch;
  writeArm(scratch);
  for (const char* name :
       {".arm.glb.abcdef01.tmp", ".arm.glb.fresh012.tmp", ".other.glb.abcdef01.tmp", "arm.glb.abcdef01.tmp"})
    std::ofstream(scratch / ("root/" + std::string(name))) << "half";
  for (const char* name : {".arm.glb.abcdef01.tmp", ".other.glb.abcdef01.tmp", "arm.glb.abcdef01.tmp"})
    fs::last_write_time(scratch / ("root/" + std::string(name)),
                        fs::file_time_type::clock::now() - std::chrono::hours(1));
  const StudioRun run(scratch, "arm.glb");
  EXPECT_FALSE(fs::exists(scratch / "root/.arm.glb.abcdef01.tmp"));
  for (const char* name : {".arm.glb.fresh012.tmp", ".other.glb.abcdef01.tmp", "arm.glb.abcdef01.tmp"})
    EXPECT_TRUE(fs::exists(scratch / ("root/" + std::string(name)))) << name;
}

TEST(Persistence, WhatIsOutsideOfTheRootIsNoFaultOfTheProgram) {
  const Scratch scratch;
  EXPECT_THROW(StudioRun(scratch, "../state"), Error);
  EXPECT_THROW(StudioRun(scratch, "/etc/passwd"), Error);
}

TEST(Persistence, TwoStudiosDoNotWriteToOneFile) {
  const Scratch scratch;
  writeArm(scratch);
  StudioRun one(scratch, "arm.glb");
  EXPECT_THROW(StudioRun(scratch, "arm.glb"), Error);
  StudioRun other(scratch);
  const Json answer = other.ask("open", {{"what", "arm.glb"}});
  EXPECT_EQ(answer["ok"], false);
  EXPECT_NE(answer["text"].get<std::string>().find("another studio"), std::string::npos);
  // A sample is not a file: several studios can open it.
  EXPECT_EQ(one.open({{"what", "sample:arm"}}).value("fault", "none"), "");
  EXPECT_EQ(other.open({{"what", "sample:arm"}}).value("fault", "none"), "");
  EXPECT_TRUE(setWeight(other, 3, 0.25)["ok"]);
  EXPECT_EQ(one.document()["history"]["depth"], 0);
  // The file is unlocked now.
  EXPECT_EQ(other.open({{"what", "arm.glb"}}).value("fault", "none"), "");
}

TEST(Persistence, UndoBringsBackWhatAnotherCharacterPutAside) {
  const Scratch scratch;
  writeArm(scratch);
  StudioRun run(scratch, "arm.glb");
  run.send(bend(0.4f));
  EXPECT_TRUE(run.ask("pose.save", {{"name", "bent"}})["ok"]);
  const Json before = run.document();
  run.onWorker([](Session& session) {
    CharacterFile other = session.document().file;
    other.poses.clear();
    const std::string from = session.journal().snapshot(session.document().file);
    const std::string to = session.journal().snapshot(other);
    session.commit({"Another", {CharacterChange{from, to}}});
  });
  EXPECT_TRUE(run.document()["savedPoses"].empty());
  EXPECT_NE(run.document()["views"], before["views"]);
  EXPECT_TRUE(run.ask("undo")["ok"]);
  EXPECT_EQ(run.document()["savedPoses"], before["savedPoses"]);
  EXPECT_EQ(run.document()["views"], before["views"]);
}

}  // namespace
}  // namespace sinew::studio::persistence_test
