// Names, flags, exit codes and JSON fields: what scripts rely on.
#include <gtest/gtest.h>

#include "run_sinew.h"
#include "support/data.h"

namespace sinew::test {
namespace {

const std::vector<std::string> kCommandNames{"sample", "info", "convert",  "deform",  "bind",
                                             "psd",    "fit",  "evaluate", "compare", "render"};

TEST(Usage, EveryCommandHasHelpWithAnExample) {
  for (const std::string& name : kCommandNames) {
    const CommandResult help = runSinew({"help", name});
    EXPECT_EQ(help.exitCode, 0);
    EXPECT_NE(help.out.find("Examples:\n  sinew " + name), std::string::npos) << help.out;
    EXPECT_EQ(runSinew({name, "--help"}).out, help.out);
  }
}

TEST(Usage, UnknownFlagsAndCommandsExitWithOne) {
  EXPECT_EQ(runSinew({"dance"}).exitCode, 1);
  EXPECT_EQ(runSinew({"info", "--colour"}).exitCode, 1);
  EXPECT_EQ(runSinew({"convert", "a.glb"}).exitCode, 1) << "-o is missing";
  EXPECT_EQ(runSinew({"sample", "arm"}).exitCode, 1) << "-o is missing";
}

TEST(Usage, VersionIsPrinted) {
  EXPECT_EQ(runSinew({"--version"}).out.rfind("sinew ", 0), 0u);
}

TEST(Usage, CompletionScriptsNameEveryCommandAndParse) {
  for (const std::string shell : {"bash", "zsh"}) {
    const CommandResult script = runSinew({"completion", shell});
    EXPECT_EQ(script.exitCode, 0);
    for (const std::string& name : kCommandNames) EXPECT_NE(script.out.find(name), std::string::npos);
    EXPECT_NE(script.out.find("--pose"), std::string::npos);
  }
  const TemporaryFolder folder;
  const std::string script = folder.write("sinew.bash", runSinew({"completion", "bash"}).out);
  EXPECT_EQ(std::system(("bash -n '" + script + "'").c_str()), 0);
}

TEST(Usage, SampleListHasNamesJointsAndExamples) {
  const auto samples = runSinew({"sample", "--list", "--json"}).json()["samples"];
  ASSERT_GE(samples.size(), 4u);
  for (const auto& sample : samples) {
    EXPECT_TRUE(sample["name"].is_string());
    EXPECT_TRUE(sample["joints"].is_number());
    EXPECT_GE(sample["examples"].get<int>(), 4);
  }
}

TEST(Usage, QuietSilencesProgressButNotTheError) {
  const TemporaryFolder folder;
  const CommandResult good = runSinew({"sample", "arm", "-o", folder.file("a"), "--vertices", "1000", "-q"});
  EXPECT_EQ(good.exitCode, 0);
  EXPECT_EQ(good.err, "");
  EXPECT_NE(runSinew({"info", folder.file("none.glb"), "-q"}).err, "");
}

}  // namespace
}  // namespace sinew::test
