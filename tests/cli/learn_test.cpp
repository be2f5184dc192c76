// sinew learn as a user runs it: the budget is kept in the written file.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "json_schema.h"
#include "run_sinew.h"
#include "sinew/io/formats.h"
#include "sinew/io/gltf.h"
#include "sinew/learn/skin_budget.h"

namespace sinew::test::learn_command_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class LearnCommand : public ::testing::Test {
 protected:
  static const TemporaryFolder& folder() {
    static const TemporaryFolder made;
    static const bool ready = [] {
      EXPECT_EQ(runSinew({"sample", "arm", "--exact", "-o", made.file("arm")}).exitCode, 0);
      return true;
    }();
    EXPECT_TRUE(ready);
    return made;
  }
  static std::vector<std::string> words(const std::string& budget) {
    return {"learn", folder().file("arm/arm.glb"), "--examples", folder().file("arm/examples.json"), "--budget",
            budget};
  }
  static json run(std::vector<std::string> all) {
    all.insert(all.end(), {"--json", "-q"});
    const CommandResult result = runSinew(all);
    EXPECT_EQ(result.exitCode, 0) << result.err;
    if (result.exitCode != 0) return {};
    const fs::path schema = fs::path(SINEW_SOURCE_DIR) / "docs/schemas/cli/learn.schema.json";
    for (const std::string& fault : schemaFaults(result.json(), schema)) ADD_FAILURE() << fault;
    return result.json();
  }
};

TEST_F(LearnCommand, KeepsItsBudgetExactlyInTheFile) {
  const TemporaryFolder out;
  std::vector<std::string> all = words("2 influences, 1 helper joint, 3 morphs, 60 kB");
  all.insert(all.end(), {"--report", out.file("report.html"), "-o", out.file("game.glb")});
  const json result = run(all);
  const Character before = readCharacter(folder() / "arm/arm.glb").character;
  const CharacterFile file = readCharacter(out / "game.glb");
  const SkinCost cost = skinCost(before, file.character);
  EXPECT_LE(cost.influences, 2);
  EXPECT_LE(cost.helpers, 1);
  EXPECT_LE(cost.morphs, 3);
  const auto added = static_cast<std::int64_t>(fs::file_size(out / "game.glb")) -
                     static_cast<std::int64_t>(fs::file_size(folder() / "arm/arm.glb"));
  EXPECT_LE(added, 60000);
  EXPECT_EQ(result["used"]["influences"], cost.influences);
  EXPECT_EQ(result["used"]["helpers"], cost.helpers);
  EXPECT_EQ(result["used"]["morphs"], cost.morphs);
  EXPECT_GE(result["used"]["bytes"].get<std::int64_t>(), added);
  EXPECT_LT(result["heldOut"]["rms"], result["heldOut"]["before"]["rms"]);
  EXPECT_TRUE(result["heldOut"]["learned"].get<bool>());
  const std::string page = readText(out.file("report.html"));
  EXPECT_NE(page.find("Error against cost"), std::string::npos);
  EXPECT_NE(page.find("<circle"), std::string::npos);
}

TEST_F(LearnCommand, WhatWasSetAsideIsMeasuredOnTheWrittenFile) {
  const TemporaryFolder out;
  std::vector<std::string> all = words("0 helpers, 3 morphs, 40 kB");
  all.insert(all.end(), {"--hold-out", "0.3", "-o", out.file("game.glb")});
  const json result = run(all);
  EXPECT_FALSE(result["heldOut"]["learned"].get<bool>());
  EXPECT_EQ(result["driving"], "drivers");
  const CommandResult evaluated =
      runSinew({"evaluate", out.file("game.glb"), "--examples", folder().file("arm/examples.json"), "--json", "-q"});
  const json measured = evaluated.json();
  double squares = 0;
  for (const json& example : measured["examples"]) {
    const auto& names = result["heldOut"]["names"];
    if (std::find(names.begin(), names.end(), example["name"]) != names.end())
      squares += example["rms"].get<double>() * example["rms"].get<double>();
  }
  const auto count = result["heldOut"]["names"].size();
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(count)), result["heldOut"]["rms"].get<double>(),
              1e-3 * result["heldOut"]["rms"].get<double>())
      << evaluated.out << evaluated.err;
}

TEST_F(LearnCommand, RefusesBudgetsAndExamplesThatCannotBeUsed) {
  const TemporaryFolder out;
  const auto refused = [&](std::vector<std::string> all, const std::string& sentence, int exitCode = 2) {
    all.insert(all.end(), {"-q", "-o", out.file("out.glb")});
    const CommandResult result = runSinew(all);
    EXPECT_EQ(result.exitCode, exitCode) << result.err;
    EXPECT_NE(result.err.find(sentence), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_TRUE(out.names().empty());
  };
  refused(words("4 influences, 16 morfs"), "did you mean 'morphs'?", 1);
  refused(words("soon"), "has no number", 1);
  refused(words("ns 0.1"), "less than the", 1);
  std::vector<std::string> one = words("4 morphs");
  one.insert(one.end(), {"--pick", "1"});
  refused(one, "there is 1 example; give at least 2");
}

}  // namespace
}  // namespace sinew::test::learn_command_test
