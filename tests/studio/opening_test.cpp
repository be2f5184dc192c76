// Opening: files that do not fit are named and can be skipped, stages are reported, and cancelling is immediate.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <iterator>
#include <mutex>
#include <thread>

#include "session_harness.h"
#include "sinew/base/error.h"
#include "support/test_arm.h"

namespace sinew::studio::opening_test {
namespace {

namespace fs = std::filesystem;
using test::Scratch;
using test::StudioRun;

void writeObj(const Scratch& scratch, const std::string& name, int vertices, const char* faces = "f 1 2 3\n") {
  fs::create_directories(scratch / "root/meshes");
  std::ofstream file(scratch / ("root/meshes/" + name));
  for (int v = 0; v < vertices; ++v) file << "v " << v << " " << v * v << " 0.5\n";
  file << faces;
}

TEST(Opening, MeshesThatDoNotFitAreNamedAndCanBeSkipped) {
  const Scratch scratch;
  // The first one differs: the majority decides.
  writeObj(scratch, "a.obj", 5);
  writeObj(scratch, "b.obj", 4);
  writeObj(scratch, "c.obj", 4);
  writeObj(scratch, "d.obj", 4, "f 1 3 2\n");
  std::ofstream(scratch / "root/meshes/e.obj") << "v 1 2 x\n";
  writeObj(scratch, "f.obj", 4);
  StudioRun run(scratch);
  const Json refused = run.open({{"what", "meshes"}});
  EXPECT_EQ(refused["refused"], Json::array({"a.obj", "d.obj", "e.obj"}));
  EXPECT_EQ(refused["verdicts"].size(), 6u);
  EXPECT_NE(refused["verdicts"][0]["text"].get<std::string>().find("has 5 vertices, b.obj has 4"), std::string::npos)
      << refused["verdicts"];
  EXPECT_NE(refused["verdicts"][3]["text"].get<std::string>().find("a different vertex order"), std::string::npos);
  EXPECT_NE(refused["fault"].get<std::string>().find("a.obj"), std::string::npos);
  EXPECT_FALSE(run.document()["open"]);

  const Json some = run.open({{"what", "meshes"}, {"skip", {"a.obj"}}});
  EXPECT_EQ(some["refused"], Json::array({"d.obj", "e.obj"}));
  const Json opened = run.open({{"what", "meshes"}, {"skip", refused["refused"]}});
  EXPECT_EQ(opened["fault"], "");
  EXPECT_TRUE(opened["refused"].empty());
  EXPECT_EQ(run.document()["vertices"], 4);
  run.onWorker([](Session& session) { EXPECT_EQ(session.journal().about()["meshes"].size(), 3u); });
  const Json none = run.open({{"what", "meshes"}, {"skip", {"a.obj", "b.obj", "c.obj", "d.obj", "e.obj", "f.obj"}}});
  EXPECT_NE(none["fault"].get<std::string>().find("no meshes left"), std::string::npos);
  EXPECT_TRUE(run.document()["open"]);
}

TEST(Opening, FoldersAreListedBeforeFilesWithSizesAndDates) {
  const Scratch scratch;
  writeObj(scratch, "b.obj", 4);
  fs::create_directories(scratch / "root/meshes/z_folder");
  std::ofstream(scratch / "root/meshes/notes.txt") << "not a mesh";
  const auto day = fs::file_time_type::clock::now() - std::chrono::hours(48);
  fs::last_write_time(scratch / "root/meshes/b.obj", day);
  StudioRun run(scratch);
  const Json entries = run.result("files", {{"path", "meshes"}})["entries"];
  ASSERT_EQ(entries.size(), 2u) << entries;
  EXPECT_EQ(entries[0]["name"], "z_folder");
  EXPECT_EQ(entries[0]["bytes"], 0.0);
  EXPECT_EQ(entries[1]["bytes"], static_cast<double>(fs::file_size(scratch / "root/meshes/b.obj")));
  const double now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_NEAR(entries[1]["modified"].get<double>(), now - 48 * 3600, 60);
}

TEST(Opening, MeshesWithoutASkeletonAreMarkedAsExamples) {
  const Scratch scratch;
  writeObj(scratch, "b.obj", 4);
  writeObj(scratch, "c.obj", 4);
  StudioRun run(scratch);
  run.open({{"what", "meshes"}});
  EXPECT_TRUE(run.document()["onlyExamples"]);
  run.open({{"what", "meshes/b.obj"}});
  EXPECT_FALSE(run.document()["onlyExamples"]) << "a mesh alone";
  run.open({{"what", "sample:arm"}});
  EXPECT_FALSE(run.document()["onlyExamples"]) << "a character";
}

TEST(Opening, AFolderWithExamplesForOneCharacterOpensThatCharacter) {
  const Scratch scratch;
  writeObj(scratch, "b.obj", 4);
  writeObj(scratch, "c.obj", 4);
  CharacterFile file;
  file.character = sinew::test::testArm();
  writeCharacter(scratch / "root/meshes/arm.glb", file);
  StudioRun run(scratch);
  const auto opened = [&] { return run.document()["title"].get<std::string>(); };
  std::ofstream(scratch / "root/meshes/examples.json") << R"({"examples": [{"name": "b", "mesh": "b.obj"}]})";
  run.open({{"what", "meshes"}});
  EXPECT_EQ(opened(), "meshes") << "examples without poses are a sequence of meshes";
  std::ofstream(scratch / "root/meshes/examples.json")
      << R"({"examples": [{"name": "b", "pose": "b.json", "mesh": "b.obj"}]})";
  run.open({{"what", "meshes"}});
  EXPECT_EQ(opened(), "arm.glb");
  EXPECT_NE(run.document()["examples"]["offered"], "") << "the examples can be opened with it";
  fs::copy_file(scratch / "root/meshes/arm.glb", scratch / "root/meshes/other.glb");
  run.open({{"what", "meshes"}});
  EXPECT_EQ(opened(), "meshes") << "which of two is not known: the folder counts as a sequence of meshes";
}

TEST(Opening, AFileWithoutAMeshIsRefusedAndWhatIsOpenStays) {
  const Scratch scratch;
  std::ofstream(scratch / "root/empty.gltf") << R"({"asset":{"version":"2.0"}})";
  StudioRun run(scratch, "sample:arm");
  const Json before = run.document();
  const Json refused = run.open({{"what", "empty.gltf"}});
  EXPECT_NE(refused.value("fault", "").find("empty.gltf: has no mesh"), std::string::npos) << refused;
  EXPECT_EQ(run.document(), before);
}

TEST(Opening, WhatOfAFileIsNotShownIsTold) {
  const Scratch scratch;
  CharacterFile file;
  file.character = sinew::test::testArm();
  file.character.mesh.parts[0].name = "arm";
  file.character.mesh.parts[0].instances = 84;
  EXPECT_TRUE(file.problems.empty());
  Document document;
  document.file = file;
  document.views.assign(1, restPose(file.character));
  const auto problems = [&] { return describeDocument(document, drawnCharacter(document), {}).problems; };
  EXPECT_EQ(problems(),
            std::vector<std::string>{"'arm' has 84 instances. The first one is edited, and the others follow."});
  // Another mesh of the same name: reported in one line.
  MeshPart twin = document.file.character.mesh.parts[0];
  twin.mesh += 1;
  document.file.character.mesh.parts.push_back(twin);
  EXPECT_EQ(problems().size(), 1u);
  document.file.character.mesh.parts.pop_back();
  document.file.character.mesh.parts[0].instances = 1;
  EXPECT_TRUE(problems().empty());
  MorphTarget morph;
  morph.name = "smile";
  document.file.character.morphs.push_back(morph);
  EXPECT_TRUE(problems().empty()) << "morph targets are shown";
  // Corrections that no morph target imitates are not.
  document.file.poseSpace = std::make_shared<const PoseSpaceModel>();
  EXPECT_EQ(problems(),
            Json::array({"The learned corrections are not shown: no morph targets of the file imitate them."}));
}

TEST(Opening, StagesAreTold) {
  const Scratch scratch;
  {
    StudioRun run(scratch, "sample:arm");
    EXPECT_TRUE(run.ask("save", {{"path", "arm.glb"}})["ok"]);
  }
  fs::remove_all(scratch / "state");
  StudioRun run(scratch);
  EXPECT_EQ(run.open({{"what", "arm.glb"}})["fault"], "");
  const std::vector<std::string> stages = run.page().stages();
  ASSERT_FALSE(stages.empty());
  for (const char* word : {"read", " MB ", "parse", "check", "journal", "neighbours", "upload", " s · "})
    EXPECT_NE(stages.back().find(word), std::string::npos) << word << " in " << stages.back();
}

TEST(Opening, CancelsAtOnceAndTheWorkerIsNeverBusyWithIt) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:arm", 60000);
  const Json before = run.document();
  using Clock = std::chrono::steady_clock;
  for (int i = 0; i < 6; ++i) {
    const std::size_t heard = run.page().count();
    const Json answer = run.result("open", {{"what", "sample:biped"}});
    const int job = answer["job"].get<int>();
    std::this_thread::sleep_for(std::chrono::milliseconds(15 * i));
    // In every stage, commands are answered and drags continue.
    const auto asked = Clock::now();
    EXPECT_TRUE(run.ask("samples")["ok"]);
    EXPECT_LT(std::chrono::duration<double>(Clock::now() - asked).count(), 0.5);
    const auto cancelled = Clock::now();
    EXPECT_TRUE(run.ask("job.cancel", {{"job", job}})["ok"]);
    const Json end = run.page().wait(
        [job](const Json& h) { return h.value("event", "") == "job" && h.value("job", 0) == job; }, heard);
    EXPECT_LT(std::chrono::duration<double>(Clock::now() - cancelled).count(), 1.0);
    if (end.value("cancelled", false)) {
      EXPECT_EQ(run.document()["title"], before["title"]);
      EXPECT_EQ(run.document()["history"], before["history"]);
    } else {
      EXPECT_EQ(run.open({{"what", "sample:arm"}})["fault"], "");  // it finished first
    }
  }
}

TEST(Opening, LeavesNothingBehindWhereItWasCancelled) {
  const Scratch scratch;
  {
    StudioRun run(scratch, "", 60000);
    const Json answer = run.result("open", {{"what", "sample:biped"}});
    EXPECT_TRUE(run.ask("job.cancel", {{"job", answer["job"]}})["ok"]);
  }
  for (const auto& entry : fs::directory_iterator(scratch / "state"))
    EXPECT_EQ(entry.path().string().find(".new-"), std::string::npos) << entry.path();
  // Left behind by a studio that was killed.
  fs::create_directories(scratch / "state/abc.new-999999999-1");
  fs::create_directories((scratch / "state/def.new-").string() + std::to_string(::getpid()) + "-1");
  const StudioRun run(scratch);
  EXPECT_FALSE(fs::exists(scratch / "state/abc.new-999999999-1"));
  EXPECT_TRUE(fs::exists((scratch / "state/def.new-").string() + std::to_string(::getpid()) + "-1"));
}

TEST(Jobs, ToldOfTheirEndOnce) {
  for (const Cancelling cancelling : {Cancelling::WhenItAsks, Cancelling::AtOnce}) {
    Jobs jobs;
    std::atomic<int> ends = 0;
    std::atomic<int> progress = 0;
    std::atomic<bool> go = false;
    jobs.listen([&](const JobProgress&) { ++progress; });
    const std::uint32_t job = jobs.start(
        [&](const sinew::Progress& report) {
          while (!go) std::this_thread::yield();
          sinew::report(report, {0.5, "working"});
        },
        [&](std::uint32_t, const std::string& fault, bool cancelled) {
          ++ends;
          EXPECT_TRUE(cancelled);
          EXPECT_FALSE(fault.empty());
        },
        cancelling);
    jobs.cancel(job);
    EXPECT_EQ(ends, cancelling == Cancelling::AtOnce ? 1 : 0);
    jobs.cancel(job);
    go = true;
    jobs.stop();
    EXPECT_EQ(ends, 1);
    EXPECT_EQ(progress, 0);
  }
}

TEST(Jobs, InASlotTheNewestReplacesTheOthersAndWaitsForThem) {
  Jobs jobs;
  std::atomic<bool> go = false;
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  std::mutex mutex;
  std::vector<std::string> ran;
  std::vector<std::string> ends;
  const auto start = [&](const std::string& name) {
    return jobs.start(
        [&, name](const sinew::Progress& report) {
          most = std::max<int>(most, ++running);
          {
            const std::scoped_lock lock(mutex);
            ran.push_back(name);
          }
          while (!go) std::this_thread::yield();
          --running;
          sinew::report(report, {0.5, "working"});
        },
        [&, name](std::uint32_t, const std::string& /*fault*/, bool cancelled) {
          const std::scoped_lock lock(mutex);
          ends.push_back(name + (cancelled ? " cancelled" : " done"));
        },
        Cancelling::WhenItAsks, "slot");
  };
  start("first");
  for (int i = 0; i < 20; ++i) start("between");
  {
    const std::scoped_lock lock(mutex);
    EXPECT_EQ(ends.size(), 19u) << "those that wait end at once";
  }
  start("last");
  go = true;
  const auto ended = [&] {
    const std::scoped_lock lock(mutex);
    return ends.size();
  };
  for (int i = 0; i < 1000 && ended() < 22; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  jobs.stop();
  EXPECT_EQ(ran, (std::vector<std::string>{"first", "last"}));
  EXPECT_EQ(most, 1);
  ASSERT_EQ(ends.size(), 22u);
  EXPECT_EQ(ends.back(), "last done");
  EXPECT_EQ(std::count(ends.begin(), ends.end(), "first cancelled"), 1);
}

TEST(Jobs, OneThatWaitsCanBeCancelledAndEndsWithTheOthers) {
  std::atomic<int> ends = 0;
  std::atomic<bool> go = false;
  Jobs jobs;
  const auto start = [&] {
    return jobs.start(
        [&](const sinew::Progress& report) {
          while (!go) std::this_thread::yield();
          sinew::report(report, {0.5, "working"});
        },
        [&](std::uint32_t, const std::string& /*fault*/, bool /*cancelled*/) { ++ends; }, Cancelling::WhenItAsks,
        "slot");
  };
  start();
  const std::uint32_t waiting = start();
  jobs.cancel(waiting);
  jobs.cancel(waiting);
  EXPECT_EQ(ends, 1);
  start();
  go = true;
  jobs.stop();
  EXPECT_EQ(ends, 3);
}

TEST(Jobs, ThatRunAtOnceAreFew) {
  std::atomic<bool> go = false;
  Jobs jobs;
  const auto start = [&] {
    return jobs.start(
        [&](const sinew::Progress& /*progress*/) {
          while (!go) std::this_thread::yield();
        },
        [](std::uint32_t, const std::string&, bool) {});
  };
  for (std::size_t i = 0; i < kMostJobs; ++i) start();
  try {
    start();
    ADD_FAILURE() << "one more was started";
  } catch (const CommandFault& fault) {
    EXPECT_EQ(fault.code, "busy");
    EXPECT_STREQ(fault.what(), "8 tasks are running already");
  }
  go = true;
  for (int i = 0; i < 1000; ++i) {
    try {
      start();
      return;
    } catch (const CommandFault&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  ADD_FAILURE() << "they have ended, and none can be started";
}

TEST(Opening, FilesThatNameOthersOutsideOfTheRootAreRefused) {
  const Scratch scratch;
  {
    StudioRun run(scratch, "sample:arm");
    EXPECT_TRUE(run.ask("save", {{"path", "arm.gltf"}})["ok"]);
  }
  fs::rename(scratch / "root/arm.bin", scratch / "arm.bin");
  std::ifstream stream(scratch / "root/arm.gltf");
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  std::string up = text;
  up.replace(up.find("arm.bin"), 7, "../arm.bin");
  std::ofstream(scratch / "root/up.gltf") << up;
  std::ofstream(scratch / "root/link.gltf") << text;
  fs::create_symlink(scratch / "arm.bin", scratch / "root/arm.bin");
  fs::create_directories(scratch / "root/meshes");
  std::ofstream(scratch / "secret.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  fs::create_symlink(scratch / "secret.obj", scratch / "root/meshes/pose.obj");
  StudioRun run(scratch);
  for (const char* what : {"up.gltf", "link.gltf", "meshes"}) {
    const Json event = run.open({{"what", what}});
    EXPECT_NE(event["fault"].get<std::string>().find("outside"), std::string::npos) << event;
    EXPECT_FALSE(run.document()["open"]);
  }
}

}  // namespace
}  // namespace sinew::studio::opening_test
