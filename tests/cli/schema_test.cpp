// The results of every command against docs/schemas/cli.
#include <gtest/gtest.h>

#include "json_schema.h"
#include "run_sinew.h"

namespace sinew::test::schema_test {
namespace {

namespace fs = std::filesystem;

fs::path schemaOf(const std::string& name) {
  return fs::path(SINEW_SOURCE_DIR) / "docs/schemas/cli" / (name + ".schema.json");
}

void expectValid(const std::string& name, const nlohmann::json& result) {
  for (const std::string& fault : schemaFaults(result, schemaOf(name))) ADD_FAILURE() << name << ": " << fault;
}

TEST(JsonSchema, ValuesThatBreakARuleAreFound) {
  const TemporaryFolder folder;
  folder.write("s.json", R"({"type": "object", "required": ["a"], "properties": {"a": {"type": "integer", "minimum": 1},
    "b": {"type": "array", "items": {"$ref": "#/$defs/word"}, "minItems": 1}}, "$defs": {"word": {"enum": ["x", "y"]}}})");
  const auto faults = [&](const char* value) {
    return schemaFaults(nlohmann::json::parse(value), folder.path() / "s.json").size();
  };
  EXPECT_EQ(faults(R"({"a": 1, "b": ["x", "y"], "more": null})"), 0u);
  EXPECT_EQ(faults(R"({"b": ["x"]})"), 1u);
  EXPECT_EQ(faults(R"({"a": 0})"), 1u);
  EXPECT_EQ(faults(R"({"a": 1.5})"), 1u);
  EXPECT_EQ(faults(R"({"a": 1, "b": ["x", "z"]})"), 1u);
  EXPECT_EQ(faults(R"({"a": 1, "b": []})"), 1u);
  EXPECT_EQ(faults("[]"), 1u);
  folder.write("s.json", R"({"maximum": 3})");
  EXPECT_ANY_THROW(static_cast<void>(faults("1"))) << "an unknown rule is not skipped";
}

/// Runs a command in the folder and checks its result; the name of the schema is that of the command.
class Schemas : public ::testing::Test {
 protected:
  nlohmann::json run(std::vector<std::string> words) const {
    words.insert(words.end(), {"--json", "-q"});
    const CommandResult result = runSinew(words);
    EXPECT_EQ(result.exitCode, 0) << words[0] << ": " << result.err;
    if (result.exitCode != 0) return {};
    expectValid(words[0], result.json());
    return result.json();
  }
  [[nodiscard]] std::string in(const std::string& name) const { return folder_.file(name); }

  TemporaryFolder folder_;
};

TEST_F(Schemas, HoldForEveryCommand) {
  run({"sample", "--list"});
  run({"sample", "arm", "--vertices", "1000", "-o", in("arm")});
  run({"sample", "quadruped", "--vertices", "1000", "-o", in("cat")});
  const std::string arm = in("arm/arm.glb");
  const std::string pose = in("arm/poses/elbow90.json");
  run({"info", arm});
  run({"info", arm, in("arm/rest.obj")});
  run({"convert", arm, "-o", in("mesh.obj")});
  run({"deform", arm, "--pose", pose, "-o", in("posed.obj")});
  run({"bind", in("mesh.obj"), "--skeleton", arm, "-o", in("bound.glb")});
  run({"invert", arm, "--pose", pose, "--sculpt", in("arm/elbow90.obj"), "-o", in("rest.obj")});
  run({"psd", arm, "--examples", in("arm/examples.json"), "-o", in("psd.glb")});
  run({"fit", arm, "--examples", in("arm/examples.json"), "--helpers", "half", "-o", in("fit.glb")});
  run({"fit", arm, "--examples", in("arm/examples.json"), "--explain"});
  run({"learn", arm, "--examples", in("arm/examples.json"), "--budget", "0 helpers, 2 morphs", "--no-rest", "-o",
       in("learn.glb")});
  run({"evaluate", in("psd.glb"), "--examples", in("arm/heldout.json")});
  run({"drag", arm, "--pose", pose, "--vertex", "100", "--move", "0,0.01,0"});
  run({"compare", in("arm/rest.obj"), in("arm/elbow90.obj")});
  run({"render", arm, "--size", "64x64", "-o", in("p.png")});
  run({"reduce", in("cat"), "-o", in("model.glb")});
  run({"pose", in("model.glb"), "--handle", "10=0,0.5,0", "-o", in("handled.obj")});
  run({"reconstruct", in("model.glb"), "-o", in("again")});
}

TEST_F(Schemas, MissedLimitsAreResultsWithAnError) {
  run({"sample", "arm", "--exact", "-o", in("arm")});
  const CommandResult missed =
      runSinew({"invert", in("arm/arm.glb"), "--pose", in("arm/poses/bend80.json"), "--sculpt", in("arm/bend80.obj"),
                "--max-residual", "1e-300", "-o", in("far.obj"), "--json", "-q"});
  EXPECT_EQ(missed.exitCode, 3);
  expectValid("invert", missed.json());
  EXPECT_EQ(missed.json()["error"]["code"], "limit-missed");
  EXPECT_NE(missed.err, "") << "-q silences notes, not the sentence about the limit";
}

TEST(FailureSchema, HoldsForFailures) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"dance"}, {"fit"}, {"info", "nowhere.glb"}, {"sample", "amr", "-o", "x"}}) {
    std::vector<std::string> asked = words;
    asked.emplace_back("--json");
    expectValid("error", runSinew(asked).json());
  }
}

}  // namespace
}  // namespace sinew::test::schema_test
