// The studio with injected faults of disk and memory: what was acknowledged is on disk, what was refused is not.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "session_harness.h"
#include "sinew/base/error.h"
#include "sinew/io/files.h"
#include "studio/document/file_state.h"
#include "studio/document/state_folder.h"
#include "studio_process.h"
#include "support/allocations.h"
#include "support/fault_injection/fault_injection.h"
#include "support/test_arm.h"

namespace sinew::studio::faults_test {
namespace {

namespace fs = std::filesystem;
using sinew::test::Faults;
using test::Scratch;
using test::StudioProcess;
using test::StudioRun;

constexpr const char* kFullDisk = "write:1:short,write:2+:ENOSPC,open:1+:ENOSPC,mkdir:1+:ENOSPC";

void writeTestArm(const fs::path& path, double scale = 1) {
  CharacterFile file;
  file.character = sinew::test::testArm();
  file.character.mesh.points *= scale;
  writeCharacter(path, file);
}

Json setOneWeight(StudioRun& run, int vertex, double weight) {
  return run.ask("weights.set", {{"vertex", vertex}, {"binding", 1}, {"weight", weight}});
}

fs::path journalFolderOf(StudioRun& run) {
  fs::path folder;
  run.onWorker([&](Session& session) { folder = session.journal().folder(); });
  return folder;
}

TEST(StudioFaults, WhatCannotBeKeptDidNotHappen) {
  const std::pair<const char*, Json> commands[] = {
      {"undo", Json::object()},
      {"redo", Json::object()},
      {"weights.set", {{"vertex", 7}, {"binding", 1}, {"weight", 0.5}}},
      {"history.jump", {{"depth", 0}}},
      {"pose.save", {{"name", "bent"}}},
      {"pose.key", {{"time", 0.5}}},
      {"weights.locks", {{"joints", {"lower"}}}},
  };
  const Scratch scratch;
  writeTestArm(scratch / "root/arm.glb");
  Json last;
  {
    StudioRun run(scratch, "arm.glb");
    for (int i = 3; i < 6; ++i) EXPECT_TRUE(setOneWeight(run, i, 0.25)["ok"]);
    EXPECT_TRUE(run.ask("undo")["ok"]);
    const Json before = run.state();
    for (const auto& [command, args] : commands) {
      for (const char* plan : {kFullDisk, "write:1+:EIO", "fdatasync:1:EIO", "fdatasync:1:ENOSPC"}) {
        SCOPED_TRACE(fmt::format("{} {}", command, plan));
        const Faults faults(plan, (scratch / "state").string());
        const Json answer = run.ask(command, args);
        EXPECT_EQ(answer["ok"], false);
        EXPECT_EQ(answer["code"], "unwritable");
        EXPECT_GT(Faults::made(), 0u);
        EXPECT_EQ(run.state(), before);
      }
    }
    // The disk has space again: it continues.
    EXPECT_TRUE(setOneWeight(run, 9, 0.5)["ok"]);
    last = run.state();
  }
  StudioRun run(scratch, "arm.glb");
  EXPECT_EQ(run.state(), last);
  EXPECT_TRUE(run.result("hello", {{"protocol", kProtocolVersion}})["warnings"].empty());
}

TEST(StudioFaults, AGestureThatCannotBeKeptIsTakenBack) {
  const Scratch scratch;
  writeTestArm(scratch / "root/arm.glb");
  StudioRun run(scratch, "arm.glb");
  const Json before = run.state();
  {
    const Faults faults(kFullDisk, (scratch / "state").string());
    run.send(
        wire::PoseSet{.joints = {1}, .rotations = {0, 0, 0.6f, 0.8f}, .translations = {1, 0, 0}, .scales = {1, 1, 1}});
    EXPECT_FALSE(run.page().wait([](const Json& heard) { return heard.value("event", "") == "error"; }).is_null());
    EXPECT_EQ(run.state(), before);
  }
  // The page is notified of the current pose.
  EXPECT_FALSE(run.page().wait([](const Json& heard) { return heard.value("event", "") == "pose"; }).is_null());
}

TEST(StudioFaults, SavingNeedsNoRoomForTheJournal) {
  for (const std::string name : {"arm.glb", "other.glb", "pair.gltf"}) {
    SCOPED_TRACE(name);
    const Scratch scratch;
    writeTestArm(scratch / "root/arm.glb");
    Json last;
    {
      StudioRun run(scratch, "arm.glb");
      EXPECT_TRUE(setOneWeight(run, 3, 0.25)["ok"]);
      last = run.state();
      const Faults faults(kFullDisk, (scratch / "state").string());
      const Json answer = run.ask("save", {{"path", name}, {"replace", true}});
      EXPECT_TRUE(answer["ok"]) << answer;
      EXPECT_GT(Faults::made(), 0u);
      EXPECT_EQ(run.document()["saved"], true);
      // It is recognised again, even without a record.
      EXPECT_TRUE(run.ask("save")["ok"]);
    }
    {
      StudioRun alone(scratch, name, 0, "another state");
      EXPECT_EQ(alone.document()["blobs"], last["blobs"]);
    }
    StudioRun run(scratch, "arm.glb");
    EXPECT_EQ(run.state()["history"], last["history"]) << "the previous journal is intact";
    EXPECT_EQ(run.state()["blobs"], last["blobs"]);
  }
}

TEST(StudioFaults, ASaveThatFoundNoRoomIsKnownOnceThereIsSome) {
  const Scratch scratch;
  writeTestArm(scratch / "root/arm.glb");
  {
    StudioRun run(scratch, "arm.glb");
    EXPECT_TRUE(setOneWeight(run, 3, 0.25)["ok"]);
    {
      const Faults faults(kFullDisk, (scratch / "state").string());
      EXPECT_TRUE(run.ask("save")["ok"]);
    }
    EXPECT_TRUE(setOneWeight(run, 4, 0.25)["ok"]);
  }
  StudioRun run(scratch);
  const Json offer = run.result("open", {{"what", "arm.glb"}})["unfinished"];
  EXPECT_EQ(offer["steps"], 1);
  EXPECT_EQ(offer["changed"], false);
}

/// Whatever fails during a save, the file is the old one or the new one, and the answer reports which.
TEST(StudioFaults, AFileIsSavedWholeOrNotAtAll) {
  for (const std::string name : {"arm.glb", "arm.gltf"}) {
    const Scratch scratch;
    const fs::path path = scratch / ("root/" + name);
    writeTestArm(path);
    StudioRun run(scratch, name);
    double weight = 0.01;
    for (const char* call : {"open", "write", "fsync", "close", "rename"}) {
      for (int n = 1;; ++n) {
        SCOPED_TRACE(fmt::format("{} {} {}", name, call, n));
        EXPECT_TRUE(setOneWeight(run, 3, weight += 0.01)["ok"]);
        const std::string before = contentOf(path);
        std::size_t made = 0;
        Json answer;
        {
          const Faults faults(fmt::format("{}:{}:EIO", call, n), (scratch / "root").string());
          answer = run.ask("save", {{"replace", true}});
          made = Faults::made();
        }
        if (answer["ok"] == false && std::string(call) != "fsync") {
          EXPECT_EQ(contentOf(path), before);
        }
        EXPECT_NO_THROW((void)readCharacter(path)) << "the old or the new file, complete";
        for (const auto& entry : fs::directory_iterator(scratch / "root"))
          EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
        if (made == 0) {
          EXPECT_TRUE(answer["ok"]);
          break;
        }
      }
    }
    EXPECT_TRUE(run.ask("save", {{"replace", true}})["ok"]);
    // One .gltf, one .bin: the previous ones were removed.
    EXPECT_LE(std::distance(fs::directory_iterator(scratch / "root"), {}), 2);
  }
}

/// Memory runs out at any point of a command: a refused command changed nothing, an answered one persists.
TEST(StudioFaults, AFailedAllocationHarmsNothing) {
  if (!sinew::test::canFailAllocations()) GTEST_SKIP() << "a sanitizer has the memory";
  constexpr std::size_t kLarge = 16 << 10;
  const Scratch scratch;
  CharacterFile file;
  file.character = sinew::test::testArm(60, 40);
  writeCharacter(scratch / "root/arm.glb", file);
  Json last;
  {
    StudioRun run(scratch, "arm.glb");
    EXPECT_TRUE(setOneWeight(run, 3, 0.25)["ok"]);
    int kept = 0;
    int refused = 0;
    const std::pair<const char*, Json> commands[] = {
        {"weights.set", {{"vertex", 4}, {"binding", 1}, {"weight", 0.5}}},
        {"undo", Json::object()},
        {"redo", Json::object()},
        {"weights.smooth", {{"vertices", Json::array()}, {"times", 2}}},
        {"pose.save", {{"name", "a"}}},
        {"save", Json::object()},
    };
    for (const auto& [command, args] : commands) {
      for (long n = 0; n < 200; ++n) {
        const Json before = run.state();
        sinew::test::failAllocations(n, kLarge);
        const Json answer = run.ask(command, args);
        const bool failed = sinew::test::allocationFailed();
        sinew::test::failAllocations(-1);
        const Json after = run.state();
        ASSERT_TRUE(after.contains("history")) << command << n << after;
        if (answer.value("ok", false)) {
          ++kept;
        } else {
          ASSERT_TRUE(failed) << answer;
          ++refused;
          if (answer.contains("ok")) {
            ASSERT_EQ(after, before) << command << n << answer;
          }
        }
        if (!failed) break;
      }
    }
    EXPECT_GE(kept, 5);
    EXPECT_GE(refused, 5);
    last = run.state();
  }
  StudioRun run(scratch, "arm.glb");
  EXPECT_EQ(run.state(), last);
}

class DamagedJournal : public testing::Test {
 protected:
  void SetUp() override {
    writeTestArm(scratch_ / "root/arm.glb");
    StudioRun run(scratch_, "arm.glb");
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(setOneWeight(run, 3 + i, 0.25)["ok"]);
      states_.push_back(run.state());
    }
    folder_ = journalFolderOf(run);
  }

  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

  static std::string warningsOf(StudioRun& run) {
    return run.result("hello", {{"protocol", kProtocolVersion}})["warnings"].dump();
  }

  Scratch scratch_;
  fs::path folder_;
  std::vector<Json> states_;
};

TEST_F(DamagedJournal, GivesAllThatIsBeforeTheDamageAndIsKept) {
  std::string bytes = readFile(folder_ / "journal");
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data(), 4);
  bytes[12 + (length & 0x7fffffffu) + 60] ^= 1;  // one bit of the second step
  write("journal", bytes);
  {
    StudioRun asked(scratch_);
    const Json offer = asked.result("open", {{"what", "arm.glb"}})["unfinished"];
    EXPECT_EQ(offer["steps"], 1);
    EXPECT_NE(offer["damaged"].get<std::string>().find("damaged after step 1"), std::string::npos) << offer;
  }
  {
    StudioRun run(scratch_, "arm.glb");
    EXPECT_EQ(run.state(), states_[0]);
    const std::string warnings = warningsOf(run);
    EXPECT_NE(warnings.find("damaged after step 1"), std::string::npos) << warnings;
    EXPECT_NE(warnings.find(".damaged-1"), std::string::npos) << warnings;
    EXPECT_EQ(readFile(folder_.string() + ".damaged-1"), bytes);
    EXPECT_TRUE(setOneWeight(run, 9, 0.5)["ok"]);
  }
  StudioRun run(scratch_, "arm.glb");
  EXPECT_EQ(run.document()["history"]["depth"], 2);
  EXPECT_EQ(warningsOf(run), "[]") << "reported once";
}

TEST_F(DamagedJournal, ANewPageHearsOfItWhenItOpens) {
  write("journal", "no journal at all, but long enough to look like one");
  StudioRun run(scratch_);
  EXPECT_EQ(run.open({{"what", "arm.glb"}, {"unfinished", "continue"}}).value("fault", "none"), "");
  const Json told = run.page().wait([](const Json& heard) { return heard.value("event", "") == "warning"; });
  EXPECT_NE(told.value("text", "").find("damaged after step 0"), std::string::npos) << told;
  EXPECT_EQ(run.document()["history"]["depth"], 0);
}

TEST_F(DamagedJournal, AStepThatDoesNotFitIsDamageToo) {
  std::string steps;
  {
    Journal journal(folder_);
    journal.append("edit", {{"edit", {{"name", "Drag"}, {"changes", {{{"kind", "weights"}}}}}}});
    journal.append("edit", {{"no edit", 1}});
  }
  StudioRun run(scratch_, "arm.glb");
  EXPECT_EQ(run.state(), states_[2]);
  EXPECT_NE(warningsOf(run).find("damaged after step 3"), std::string::npos);
}

TEST_F(DamagedJournal, StartsWithoutItsDescription) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  for (const std::string& about : {std::string(), std::string("{"), std::string("[1]"), std::string("{\"title\": 1}"),
                                   deep, "{\"title\":\"arm.glb\",\"path\":\"\",\"x\":" + deep + "}"}) {
    write("about.json", about);
    StudioRun run(scratch_, "arm.glb");
    EXPECT_EQ(run.state(), states_[2]) << about.substr(0, 40);
    EXPECT_NE(warningsOf(run).find("All its steps are here"), std::string::npos);
  }
  // It was repaired.
  StudioRun run(scratch_, "arm.glb");
  EXPECT_EQ(warningsOf(run), "[]");
}

TEST_F(DamagedJournal, BeginsAnewWithoutItsBaseAndKeepsTheRest) {
  const std::string base = readFile(folder_ / "base.glb");
  std::string flipped = base;
  flipped[base.size() / 2] ^= 4;
  int number = 0;
  for (const std::string& bytes : {std::string(), std::string("glTF"), flipped}) {
    write("base.glb", bytes);
    const std::string records = readFile(folder_ / "journal");
    {
      StudioRun run(scratch_, "arm.glb");
      EXPECT_EQ(run.document()["history"]["depth"], 0);
      EXPECT_NE(warningsOf(run).find(".damaged-"), std::string::npos);
      EXPECT_TRUE(setOneWeight(run, 3, 0.125)["ok"]);
    }
    const fs::path kept = fmt::format("{}.damaged-{}", folder_.string(), ++number);
    EXPECT_EQ(readFile(kept / "journal"), records);
    StudioRun run(scratch_, "arm.glb");
    EXPECT_EQ(run.document()["history"]["depth"], 1);
  }
}

TEST_F(DamagedJournal, OneOfAnotherDocumentIsInNobodysWay) {
  fs::create_directories(scratch_ / "state/other");
  std::ofstream(scratch_ / "state/other/about.json").flush();
  write("about.json", R"({"title": "arm.glb", "path": ")" + (scratch_ / "root/arm.glb").string() +
                          R"(", "kind": "file", "beside": ["other", "none"]})");
  StudioRun run(scratch_, "arm.glb");
  EXPECT_EQ(run.state()["history"], states_[2]["history"]);
}

TEST_F(DamagedJournal, JournalsAreForTheirOwnerAlone) {
  const auto modeOf = [](const fs::path& path) {
    struct stat found {};
    return ::stat(path.c_str(), &found) == 0 ? found.st_mode & 0777 : 0;
  };
  EXPECT_EQ(modeOf(folder_), 0700u);
  for (const auto& entry : fs::directory_iterator(folder_)) EXPECT_EQ(modeOf(entry.path()), 0600u) << entry.path();
  // An older one, readable by others.
  fs::permissions(folder_, fs::perms::all);
  fs::permissions(folder_ / "journal", fs::perms::all);
  {
    StudioRun run(scratch_, "arm.glb");
    EXPECT_TRUE(setOneWeight(run, 3, 0.125)["ok"]);
  }
  EXPECT_EQ(modeOf(folder_), 0700u);
  EXPECT_EQ(modeOf(folder_ / "journal"), 0600u);
}

TEST(StateFolder, MustBeOnesOwn) {
  const Scratch scratch;
  fs::permissions(scratch / "state", fs::perms::all);
  EXPECT_THROW(StudioRun run(scratch), Error);
  std::ofstream(scratch / "file") << "x";
  EXPECT_THROW(claimStateFolder(scratch / "file"), Error);
  EXPECT_THROW(claimStateFolder("/proc/sinew"), Error) << "nothing can be created there";
  if (::geteuid() == 0) {
    fs::create_directories(scratch / "theirs");
    ASSERT_EQ(::chown((scratch / "theirs").c_str(), 12345, 12345), 0);
    EXPECT_THROW(claimStateFolder(scratch / "theirs"), Error);
    EXPECT_THROW(claimPrivateFolder(scratch / "theirs"), Error);
  }
}

TEST(StateFolder, IsNoFolderOfOthersWithoutAHome) {
  const auto without = [](const char* name) {
    const char* value = std::getenv(name);
    const std::string kept = value == nullptr ? "" : value;
    ::unsetenv(name);
    return std::pair(std::string(name), kept);
  };
  const auto home = without("HOME");
  const auto state = without("XDG_STATE_HOME");
  EXPECT_THROW((void)stateFolder(), Error);
  ::setenv("XDG_STATE_HOME", "not/absolute", 1);
  EXPECT_THROW((void)stateFolder(), Error);
  ::setenv("XDG_STATE_HOME", "/somewhere", 1);
  EXPECT_EQ(stateFolder(), "/somewhere/sinew/studio");
  ::unsetenv("XDG_STATE_HOME");
  for (const auto& [name, value] : {home, state}) {
    if (!value.empty()) ::setenv(name.c_str(), value.c_str(), 1);
  }
}

/// The disk fills up, has space again, and then the studio is killed.
TEST(StudioProcess, EveryAcknowledgedEditIsThereAfterAFullDiskAndAKill) {
  const Scratch scratch;
  writeTestArm(scratch / "root/arm.glb");
  const fs::path full = scratch / "full";
  const StudioProcess::Environment environment{{"LD_PRELOAD", SINEW_FAULT_LIBRARY},
                                               {"SINEW_FAULTS_SKIP_SYNC", "1"},
                                               {"SINEW_FAULTS", kFullDisk},
                                               {"SINEW_FAULTS_PATH", (scratch / "state").string()},
                                               {"SINEW_FAULTS_WHILE", full.string()}};
  std::size_t acknowledged = 0;
  Json blobs;
  for (int round = 0; round < 4; ++round) {
    StudioProcess studio(scratch / "", "arm.glb", environment);
    EXPECT_EQ(studio.greeting()["document"]["history"]["depth"], acknowledged);
    if (round > 0) {
      EXPECT_EQ(studio.greeting()["document"]["blobs"], blobs);
    }
    const auto edit = [&](int vertex) {
      const Json answer = studio.ask(
          "weights.set", {{"vertex", vertex}, {"binding", 1}, {"weight", 0.1 + 0.01 * static_cast<double>(round)}});
      if (answer["ok"] == true) ++acknowledged;
      return answer["ok"] == true;
    };
    EXPECT_TRUE(edit(3));
    std::ofstream(full) << "full";
    EXPECT_FALSE(edit(4));
    EXPECT_FALSE(edit(5));
    EXPECT_TRUE(studio.ask("save")["ok"]);
    fs::remove(full);
    EXPECT_TRUE(edit(6));
    EXPECT_TRUE(edit(7));
    blobs = studio.result("describe")["blobs"];
    studio.end(SIGKILL);
  }
  EXPECT_EQ(acknowledged, 12u);
}

/// The arguments of a browser process are visible to every user of the machine.
TEST(StudioProcess, TheTokenIsInNobodysArguments) {
  const Scratch scratch;
  writeTestArm(scratch / "root/arm.glb");
  fs::create_directories(scratch / "bin");
  const fs::path seen = scratch / "seen";
  std::ofstream(scratch / "bin/xdg-open")
      << "#!/bin/sh\nstat -c %a \"$1\" \"$(dirname \"$1\")\" > " << seen << ".tmp\necho \"$*\" >> " << seen
      << ".tmp\nsed -n 's/^SigIgn:[^0-9a-f]*//p' /proc/$$/status >> " << seen << ".tmp\ncat \"$1\" >> " << seen
      << ".tmp\nmv " << seen << ".tmp " << seen << "\n";
  fs::permissions(scratch / "bin/xdg-open", fs::perms::owner_all);
  const StudioProcess studio(scratch / "", "arm.glb",
                             {{"PATH", (scratch / "bin").string() + ":/usr/bin:/bin"}, {"DISPLAY", ":9"}}, true);
  for (int i = 0; i < 1000 && !fs::exists(seen); ++i) ::usleep(10'000);
  std::ifstream stream(seen);
  std::string file;
  std::string folder;
  std::string arguments;
  std::getline(stream, file);
  std::getline(stream, folder);
  std::getline(stream, arguments);
  std::string ignored;
  std::getline(stream, ignored);
  EXPECT_EQ(std::stoull(ignored, nullptr, 16) >> (SIGPIPE - 1) & 1, 0u) << "the browser hears its own signals";
  const std::string page{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_EQ(file, "600");
  EXPECT_EQ(folder, "700");
  EXPECT_EQ(arguments.find(studio.token()), std::string::npos) << arguments;
  EXPECT_NE(page.find(studio.token()), std::string::npos) << page;
}

/// Killed at each call that writes the journal: all answered steps persist, and at most one more.
TEST(StudioProcess, IsKilledAtEachWriteOfTheJournal) {
  for (const char* call : {"write", "fdatasync"}) {
    for (const char* how : {"kill", "killafter"}) {
      const Scratch scratch;
      writeTestArm(scratch / "root/arm.glb");
      std::size_t acknowledged = 0;
      try {
        StudioProcess studio(scratch / "", "arm.glb",
                             {{"LD_PRELOAD", SINEW_FAULT_LIBRARY},
                              {"SINEW_FAULTS_SKIP_SYNC", "1"},
                              {"SINEW_FAULTS", fmt::format("{}:3:{}", call, how)},
                              {"SINEW_FAULTS_PATH", "/journal"},
                              {"SINEW_FAULTS_WHILE", (scratch / "root/arm.glb").string()}});
        for (int i = 0; i < 5; ++i) {
          if (studio.ask("weights.set", {{"vertex", 3 + i}, {"binding", 1}, {"weight", 0.25}})["ok"] == true)
            ++acknowledged;
        }
        ADD_FAILURE() << "it was not killed";
      } catch (const std::exception&) {
        // As planned.
      }
      EXPECT_EQ(acknowledged, 2u);
      StudioRun run(scratch, "arm.glb");
      const auto depth = run.document()["history"]["depth"].get<std::size_t>();
      EXPECT_TRUE(depth == acknowledged || depth == acknowledged + 1) << depth;
      EXPECT_TRUE(run.result("hello", {{"protocol", kProtocolVersion}})["warnings"].empty());
    }
  }
}

}  // namespace
}  // namespace sinew::studio::faults_test
