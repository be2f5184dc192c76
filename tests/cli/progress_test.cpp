// Progress: one percentage for the whole command, which never decreases.
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "run_sinew.h"

namespace sinew::test::progress_test {
namespace {

struct Step {
  int percent = 0;
  std::string stage;
};

std::vector<Step> stepsIn(const std::string& told) {
  std::vector<Step> steps;
  std::istringstream lines(told);
  const std::regex line("^ *([0-9]+) % (.+)$");
  for (std::string text; std::getline(lines, text);) {
    std::smatch match;
    if (std::regex_match(text, match, line)) steps.push_back({std::stoi(match[1]), match[2]});
  }
  return steps;
}

TEST(Progress, NeverGoesBackWithinACommand) {
  const TemporaryFolder out;
  ASSERT_EQ(runSinew({"sample", "arm", "--exact", "-o", out.file("arm"), "-q"}).exitCode, 0);
  ASSERT_EQ(runSinew({"sample", "quadruped", "--vertices", "1000", "-o", out.file("cat"), "-q"}).exitCode, 0);
  const std::string arm = out.file("arm/arm.glb");
  const std::string examples = out.file("arm/examples.json");
  const std::vector<std::vector<std::string>> commands = {
      {"sample", "limb", "--vertices", "2000", "-o", out.file("limb")},
      {"psd", arm, "--examples", examples, "-o", out.file("p.glb"), "--report", out.file("p.html")},
      {"fit", arm, "--examples", examples, "--helpers", "half", "--explain", "-o", out.file("f.glb"), "--report",
       out.file("f.html")},
      {"reduce", out.file("cat"), "-o", out.file("r.glb"), "--report", out.file("r.html")},
      {"bind", out.file("arm/rest.obj"), "--skeleton", arm, "-o", out.file("b.glb")},
      {"invert", arm, "--pose", out.file("arm/poses/bend80.json"), "--sculpt", out.file("arm/bend80.obj"), "-o",
       out.file("i.obj")},
      {"render", arm, "--pose", "rest", "--pose", out.file("arm/poses/bend80.json"), "-o", out.file("p.png")},
  };
  for (const std::vector<std::string>& words : commands) {
    const CommandResult result = runSinew(words);
    ASSERT_EQ(result.exitCode, 0) << words[0] << ": " << result.err;
    const std::vector<Step> steps = stepsIn(result.err);
    ASSERT_FALSE(steps.empty()) << words[0] << ": " << result.err;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      EXPECT_FALSE(steps[i].stage.empty());
      EXPECT_LE(steps[i].percent, 100);
      if (i > 0) {
        EXPECT_GE(steps[i].percent, steps[i - 1].percent) << words[0] << ": " << result.err;
      }
    }
  }
}

TEST(Progress, OfAPageNamesTheCurvesThatTakeLong) {
  const TemporaryFolder out;
  ASSERT_EQ(runSinew({"sample", "arm", "--exact", "-o", out.file("arm"), "-q"}).exitCode, 0);
  const CommandResult result = runSinew({"psd", out.file("arm/arm.glb"), "--examples", out.file("arm/examples.json"),
                                         "-o", out.file("p.glb"), "--report", out.file("p.html")});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_NE(result.err.find("activation curves"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace sinew::test::progress_test
