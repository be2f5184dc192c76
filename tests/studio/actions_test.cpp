// Every user action in the studio, with a fault or a kill in the middle of it: afterwards it has happened or not, on
// disk as in memory, and every file is complete. SINEW_FAULT_ROUNDS: faults, and kills, per action.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>

#include "session_harness.h"
#include "sinew/base/random.h"
#include "sinew/deform/posing.h"
#include "sinew/io/files.h"
#include "sinew/learn/reduced_model.h"
#include "support/start_process.h"
#include "support/test_arm.h"

namespace sinew::studio::actions_test {
namespace {

namespace fs = std::filesystem;
using sinew::test::Faults;
using test::Scratch;
using test::StudioRun;

using Commands = std::vector<std::pair<std::string, Json>>;

struct Action {
  std::string name;
  std::string what;  ///< what is open
  Commands before;   ///< earlier commands
  std::string then;  ///< what is open afterwards
  Commands steps;    ///< a capital first letter: a gesture of messages, otherwise a command
};

// All earlier commands are steps that must be kept.
const Commands kEdited{{"weights.assign", {{"vertices", {1, 2, 3}}, {"joint", 2}}},
                       {"PoseSet", 0.6},
                       {"pose.save", {{"name", "bent"}}},
                       {"pose.key", {{"time", 0.5}}},
                       {"weights.set", {{"vertex", 4}, {"binding", 1}, {"weight", 0.5}}},
                       {"undo", Json::object()}};
const Commands kPlaced{{"handles.place", {{"vertex", 2}}},
                       {"handles.place", {{"vertex", 20}}},
                       {"handles.key", {{"time", 0}}},
                       {"handles.move", {{"handle", 1}, {"target", {0.4, 0.3, 0.2}}}},
                       {"handles.pin", {{"handle", 0}, {"pinned", true}}}};

const std::vector<Action>& actions() {
  static const std::vector<Action> all = [] {
    std::vector<Action> made;
    const auto arm = [&](const std::string& command, const Json& args = Json::object(), const std::string& more = "") {
      const std::string then = command == "save" ? args.value("path", "arm.glb") : "arm.glb";
      made.push_back({command + more, "arm.glb", kEdited, then, {{command, args}}});
    };
    arm("weights.set", {{"vertex", 7}, {"binding", 1}, {"weight", 0.5}});
    arm("weights.assign", {{"vertices", {9, 10, 30}}, {"joint", 2}});
    arm("examples.add", {{"name", "bent"}});
    arm("weights.smooth", {{"times", 2}});
    arm("weights.prune", {{"below", 0.3}});
    arm("weights.normalise", {{"most", 1}});
    arm("weights.mirror", {{"axis", "z"}});
    arm("weights.locks", {{"joints", {"lower"}}});
    arm("Drag");
    arm("Stroke");
    arm("PoseSet", 0.9);
    arm("pose.reset");
    arm("pose.save", {{"name", "again"}});
    arm("pose.apply", {{"name", "rest"}});
    arm("pose.delete", {{"name", "bent"}});
    arm("pose.clip", {{"clip", 0}, {"time", 0.5}});
    arm("pose.key", {{"time", 1.5}});
    arm("pose.unkey", {{"time", 0.5}});
    arm("undo");
    arm("redo");
    arm("history.jump", {{"depth", 1}});
    arm("save");
    arm("save", {{"path", "other.glb"}}, " as");
    arm("save", {{"path", "pair.gltf"}}, " as a pair");
    made.push_back({"bind", "bare.obj", {}, "bare.obj", {{"bind", {{"skeleton", "arm.glb"}}}}});
    made.push_back({"handles.learn", "meshes", {}, "meshes", {{"handles.learn", {{"controls", 2}}}}});
    const auto model = [&](const std::string& command, const Json& args = Json::object()) {
      made.push_back({command, "model.glb", kPlaced, "model.glb", {{command, args}}});
    };
    model("DragHandle");
    model("handles.place", {{"vertex", 12}});
    model("handles.remove", {{"handle", 1}});
    model("handles.pin", {{"handle", 1}, {"pinned", true}});
    model("handles.unpin");
    model("handles.move", {{"handle", 1}, {"target", {0.2, 0.5, 0.1}}});
    model("handles.strength", {{"handle", 1}, {"strength", 3}});
    model("handles.reset");
    model("handles.example", {{"example", 1}});
    model("handles.key", {{"time", 1}});
    model("handles.unkey", {{"key", 0}});
    model("handles.moveKey", {{"key", 0}, {"time", 2}});
    model("handles.ease", {{"smooth", true}});
    model("handles.export", {{"path", "clip.glb"}});
    return made;
  }();
  return all;
}

CharacterFile armFile() {
  CharacterFile file;
  file.character = sinew::test::testArm(8, 8);
  return file;
}

/// The files that the actions work on.
void writeFiles(const fs::path& root) {
  static const auto content = [] {
    CharacterFile arm = armFile();
    std::vector<Points> shapes;
    for (const double degrees : {0.0, 45.0, 90.0})
      shapes.push_back(posePoints(arm.character, sinew::test::bentArmPose(arm.character, degrees, 0)));
    CharacterFile model = arm;
    ReducedOptions options;
    options.controls = 2;
    model.reduced =
        std::make_shared<const ReducedModel>(learnReducedModel(arm.character.mesh, shapes, {}, {}, options).model);
    return std::tuple(arm, model, shapes);
  }();
  const auto& [arm, model, shapes] = content;
  writeCharacter(root / "arm.glb", arm);
  writeCharacter(root / "bare.obj", arm);
  writeCharacter(root / "model.glb", model);
  fs::create_directories(root / "meshes");
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    CharacterFile shape = arm;
    shape.character.mesh.points = shapes[i];
    writeCharacter(root / "meshes" / fmt::format("{}.obj", i), shape);
  }
}

void gesture(StudioRun& run, const std::string& name, const Json& args) {
  if (name == "PoseSet") {
    const auto turn = args.get<float>() / 2;
    run.send(wire::PoseSet{.joints = {2},
                           .rotations = {0, 0, std::sin(turn), std::cos(turn)},
                           .translations = {1, 0, 0},
                           .scales = {1, 1, 1}});
  } else if (name == "Drag" || name == "DragHandle") {
    if (name == "Drag") {
      run.send(wire::WeightDragBegin{.drag = 1, .lead = 34, .radius = 0.3f});
    } else {
      run.send(wire::HandleDragBegin{.drag = 1, .handle = 1});
    }
    for (const float x : {0.1f, 0.2f}) run.send(wire::DragMove{.drag = 1, .target = {x, x, 0}});
    run.send(wire::DragEnd{.drag = 1, .commit = 1, .target = {3, 3, 0}});
  } else {
    run.send(wire::PaintBegin{
        .drag = 1, .operation = static_cast<std::uint32_t>(PaintOperation::Add), .binding = 2, .strength = 0.25f});
    run.send(wire::Stroke{.drag = 1, .vertices = {3, 20}, .pressures = {1, 0.5f}});
    run.send(wire::DragEnd{.drag = 1, .commit = 1});
  }
}

/// Runs the action and waits for its end. True if the page was notified of success.
bool acts(StudioRun& run, const std::string& name, const Json& args) {
  if (name == "PoseSet" || name == "Drag" || name == "DragHandle" || name == "Stroke") {
    const std::size_t had = run.depth();
    gesture(run, name, args);
    return run.depth() > had;
  }
  const Json answer = run.ask(name, args);
  if (!answer.value("ok", false)) return false;
  if (!answer["result"].contains("job")) return true;
  Json end;
  for (int tries = 0; tries < 12 && end.is_null(); ++tries) end = run.jobEnd(answer["result"]["job"].get<int>());
  EXPECT_TRUE(end.is_object()) << "the page waits for the end of the job";
  return end.is_object() && end.value("fault", "?").empty();
}

std::vector<std::string> filesUnder(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) names.push_back(entry.path().string());
  return names;
}

void expectWholeFiles(const fs::path& root) {
  for (const std::string& name : filesUnder(root)) {
    const std::string ending = fs::path(name).extension().string();
    if (ending == ".glb" || ending == ".gltf" || ending == ".obj") {
      EXPECT_NO_THROW((void)readCharacter(name)) << name;
    }
  }
}

void prepare(StudioRun& run, const Action& action) {
  for (const auto& [name, args] : action.before) ASSERT_TRUE(acts(run, name, args)) << name;
}

int below(Lcg& random, std::size_t count) {
  return static_cast<int>(random.uniform() * static_cast<double>(count));
}

/// The result of an action without faults, and the calls that it makes.
struct Clean {
  Json before;
  Json after;
  std::vector<std::pair<std::string, int>> calls;  ///< number of calls by kind

  [[nodiscard]] std::string anyCall(Lcg& random) const {
    std::size_t total = 0;
    for (const auto& call : calls) total += static_cast<std::size_t>(call.second);
    int chosen = below(random, total);
    for (const auto& [call, count] : calls) {
      if (chosen < count) return fmt::format("{}:{}", call, chosen + 1);
      chosen -= count;
    }
    return "write:1";
  }
};

Clean runClean(const Action& action) {
  Clean clean;
  const Scratch scratch;
  writeFiles(scratch / "root");
  StudioRun run(scratch, action.what);
  prepare(run, action);
  clean.before = run.state();
  const Faults counted("write:1000000000:EIO", scratch.path().string());
  EXPECT_TRUE(acts(run, action.steps[0].first, action.steps[0].second)) << action.name;
  for (const char* call : {"write", "fsync", "fdatasync", "close", "rename", "link", "unlink", "open", "mkdir"}) {
    if (const auto count = static_cast<int>(Faults::count(call)); count > 0) clean.calls.emplace_back(call, count);
  }
  clean.after = run.state();
  EXPECT_FALSE(clean.calls.empty()) << action.name << " makes no call that could fail";
  return clean;
}

int rounds(int otherwise) {
  const char* const asked = std::getenv("SINEW_FAULT_ROUNDS");
  return asked == nullptr ? otherwise : std::atoi(asked);
}

TEST(StudioActions, HappenOrDoNotWhateverFails) {
  constexpr const char* kHow[] = {"EIO", "ENOSPC", "EDQUOT", "EROFS"};
  Lcg random(1);
  std::size_t made = 0;
  for (const Action& action : actions()) {
    const Clean clean = runClean(action);
    for (int round = 0; round < rounds(2); ++round) {
      const std::string plan = fmt::format("{}{}:{}", clean.anyCall(random), below(random, 2) == 0 ? "+" : "",
                                           kHow[below(random, std::size(kHow))]);
      SCOPED_TRACE(fmt::format("{}: {}", action.name, plan));
      const Scratch scratch;
      writeFiles(scratch / "root");
      Json last;
      bool done = false;
      {
        StudioRun run(scratch, action.what);
        prepare(run, action);
        {
          const Faults faults(plan, scratch.path().string());
          done = acts(run, action.steps[0].first, action.steps[0].second);
          made += Faults::made();
        }
        last = run.state();
        EXPECT_EQ(last, done ? clean.after : clean.before);
        for (const std::string& name : filesUnder(scratch / "root"))
          EXPECT_NE(fs::path(name).extension(), ".tmp") << name;
      }
      expectWholeFiles(scratch / "root");
      // If a file was saved but its journal could not be moved, the journal stays in place.
      if (!done || StudioRun(scratch, action.then).state() != last) {
        EXPECT_EQ(StudioRun(scratch, action.what).state(), last);
      }
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(made, actions().size());
}

/// The process that is killed; started by the test below.
TEST(StudioActions, DISABLED_IsKilled) {
  const Scratch scratch(fs::path(std::getenv("SINEW_ACTION_FOLDER")));
  const Action& action = actions().at(std::strtoul(std::getenv("SINEW_ACTION"), nullptr, 10));
  StudioRun run(scratch, action.what);
  prepare(run, action);
  const Faults faults(std::getenv("SINEW_ACTION_PLAN"), scratch.path().string());
  const bool done = acts(run, action.steps[0].first, action.steps[0].second);
  sinewFaultsEnd();
  if (done) std::ofstream(scratch / "told") << "done";
  std::_Exit(0);
}

/// True where it was killed by its plan.
bool runKilled(std::size_t action, const fs::path& folder, const std::string& plan) {
  sinew::test::ProcessStart start;
  start.words = {"/proc/self/exe", "--gtest_filter=StudioActions.DISABLED_IsKilled", "--gtest_also_run_disabled_tests"};
  start.environment = sinew::test::environmentWith({{"SINEW_ACTION", std::to_string(action)},
                                                    {"SINEW_ACTION_FOLDER", folder.string()},
                                                    {"SINEW_ACTION_PLAN", plan}});
  std::erase_if(start.environment, [](const std::string& variable) { return variable.starts_with("GTEST_"); });
  start.out = folder / "out";
  start.err.clear();
  const pid_t child = sinew::test::startProcess(start);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status)) {
    EXPECT_EQ(WEXITSTATUS(status), 0) << readFile(folder / "out");
  }
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

TEST(StudioActions, HappenOrDoNotWhereTheStudioIsKilled) {
  Lcg random(2);
  int killed = 0;
  for (std::size_t a = 0; a < actions().size(); ++a) {
    const Action& action = actions()[a];
    const Clean clean = runClean(action);
    for (int round = 0; round < rounds(1); ++round) {
      const std::string plan =
          fmt::format("{}:{}", clean.anyCall(random), below(random, 2) == 0 ? "kill" : "killafter");
      SCOPED_TRACE(fmt::format("{}: {}", action.name, plan));
      const Scratch scratch;
      writeFiles(scratch / "root");
      killed += runKilled(a, scratch.path(), plan) ? 1 : 0;
      const bool told = fs::exists(scratch / "told");
      expectWholeFiles(scratch / "root");
      const auto reopened = [&](const std::string& what) {
        return fs::exists(scratch / ("root/" + what)) ? StudioRun(scratch, what).state() : Json();
      };
      const Json state = reopened(action.then);
      EXPECT_TRUE(state == clean.after || (!told && reopened(action.what) == clean.before)) << state.dump(1);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(killed, static_cast<int>(actions().size()) / 2);
}

}  // namespace
}  // namespace sinew::studio::actions_test
