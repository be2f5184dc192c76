// Commands are as protocol.json says: each has a handler, and fields that it does not know, or that do not fit, are
// refused with a sentence.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "session_harness.h"

namespace sinew::studio::test::commands_test {
namespace {

struct Field {
  std::string name;
  bool required;
  std::size_t words;
};
struct Described {
  std::string name;
  std::string owner;
  std::vector<Field> fields;
};

/// All of protocol.json.
std::vector<Described> described() {
  std::vector<Described> all;
  const auto add = [&]<class Command>(Command command) {
    Described& one = all.emplace_back(Described{std::string(Command::kName), std::string(Command::kOwner), {}});
    Command::visitFields(command, [&](std::string_view name, auto& /*field*/, const wire::FieldRule& rule) {
      one.fields.push_back({std::string(name), rule.required, rule.values.size()});
    });
  };
  std::apply([&](const auto&... command) { (add(command), ...); }, wire::Commands());
  return all;
}

TEST(Commands, EachHasAHandlerWhereItBelongs) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:arm");
  std::set<std::string> handled;
  for (const std::string_view name : run.session().commandNames()) handled.emplace(name);
  std::set<std::string> known;
  for (const Described& one : described()) known.insert(one.name);
  EXPECT_EQ(handled, known);
  for (const ModeRow& row : studioModes()) {
    const std::unique_ptr<Mode> mode = row.make(run.session());
    for (const CommandRow& command : mode->commands()) EXPECT_EQ(command.owner, row.name) << command.name;
  }
}

TEST(Commands, UnknownFieldsAreRefused) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:arm");
  for (const Described& one : described()) {
    const Json answer = run.ask(one.name, {{"planted", 1}});
    EXPECT_EQ(answer["code"], "malformed") << one.name;
    const auto text = answer["text"].get<std::string>();
    EXPECT_NE(text.find("'" + one.name + "'"), std::string::npos) << text;
    bool any = false;
    for (const Field& field : one.fields) any = any || field.required;
    EXPECT_NE(text.find(any ? "needs the field" : "has no field 'planted'"), std::string::npos) << text;
  }
  const Json answer = run.ask("weights.set", {{"vertex", 1}, {"binding", 1}, {"weight", 0.5}, {"wieght", 0.5}});
  EXPECT_EQ(answer["text"], "The command 'weights.set' has no field 'wieght'");
  EXPECT_EQ(answer["hint"], "Reload the page.");
  EXPECT_EQ(run.document()["history"]["depth"], 0);
}

TEST(Commands, MissingFieldsAndOthersOfAWrongTypeAreRefused) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:arm");
  EXPECT_EQ(run.ask("pose.clip", {{"clip", 0}})["text"], "The command 'pose.clip' needs the field 'time'");
  const std::pair<const char*, Json> wrong[] = {
      {"weights.set", {{"vertex", "1"}, {"binding", 1}, {"weight", 0.5}}},
      {"weights.set", {{"vertex", -1}, {"binding", 1}, {"weight", 0.5}}},
      {"weights.set", {{"vertex", 1.5}, {"binding", 1}, {"weight", 0.5}}},
      {"weights.set", {{"vertex", 1}, {"binding", 1}, {"weight", true}}},
      {"weights.locks", {{"joints", "upper"}}},
      {"weights.locks", {{"joints", {1, 2}}}},
      {"weights.reach", {{"vertex", 1}, {"view", 0}, {"negative", 1}}},
      {"handles.move", {{"handle", 0}, {"target", {1, 2}}}},
      {"pose.reset", {{"joint", nullptr}}},
  };
  for (const auto& [command, args] : wrong) {
    const Json answer = run.ask(command, args);
    EXPECT_EQ(answer["code"], "malformed") << command << " " << args;
    EXPECT_NE(answer["text"].get<std::string>().find("of another type or size"), std::string::npos) << answer;
  }
  EXPECT_EQ(run.ask("undo", Json::array())["text"], "The command 'undo' needs its arguments as an object");
  EXPECT_EQ(run.document()["history"]["depth"], 0);
}

TEST(Commands, WordsThatAreNotListedAreRefused) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:arm");
  const Json answer = run.ask("weights.mirror", {{"axis", "w"}});
  EXPECT_EQ(answer["code"], "malformed");
  EXPECT_EQ(answer["text"], "The command 'weights.mirror' has 'w' in the field 'axis'; it must be auto or x or y or z");
  EXPECT_EQ(run.ask("open", {{"what", "sample:arm"}, {"unfinished", "maybe"}})["code"], "malformed");
}

TEST(Commands, FieldsThatAreLeftOutHaveTheirDefaults) {
  const auto soft = commandFromJson<wire::WeightsSoftCommand>({{"vertices", {3, 4.0}}, {"view", 1}, {"radius", 2}});
  EXPECT_EQ(soft.vertices, (std::vector<std::uint32_t>{3, 4}));
  EXPECT_EQ(soft.curve, "smooth");
  EXPECT_FALSE(soft.volume);
  const auto reset = commandFromJson<wire::PoseResetCommand>(Json::object());
  EXPECT_EQ(reset.view, 0u);
  EXPECT_FALSE(reset.joint.has_value());
}

}  // namespace
}  // namespace sinew::studio::test::commands_test
