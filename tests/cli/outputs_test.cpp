// Files that the command writes: their permissions, what they may replace, and results that cannot be read.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <sys/wait.h>

#include <cstdlib>

#include "run_sinew.h"

namespace sinew::test::outputs_test {
namespace {

namespace fs = std::filesystem;

class Outputs : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    made_ = new TemporaryFolder;
    const CommandResult result = runSinew({"sample", "arm", "--vertices", "1000", "-o", made_->file("arm"), "-q"});
    ASSERT_EQ(result.exitCode, 0) << result.err;
  }
  static void TearDownTestSuite() { delete made_; }

  static std::string arm(const std::string& name = "arm.glb") { return made_->file("arm/" + name); }

  static mode_t modeOf(const std::string& path) {
    struct stat about = {};
    return ::stat(path.c_str(), &about) == 0 ? about.st_mode & 07777 : 0;
  }

  /// The exit code of a shell line in which SINEW is the command.
  static int shell(const std::string& line) {
    const int status = std::system(("SINEW='" SINEW_COMMAND "'; " + line).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  TemporaryFolder out_;

 private:
  static TemporaryFolder* made_;
};

TemporaryFolder* Outputs::made_ = nullptr;

TEST_F(Outputs, NewFilesFollowTheUmask) {
  for (const auto& [mask, wanted] : {std::pair{022u, 0644u}, std::pair{077u, 0600u}, std::pair{002u, 0664u}}) {
    const std::string file = out_.file(fmt::format("{:o}.obj", mask));
    const mode_t before = ::umask(mask);
    const CommandResult result = runSinew({"convert", arm(), "-o", file});
    ::umask(before);
    ASSERT_EQ(result.exitCode, 0) << result.err;
    EXPECT_EQ(modeOf(file), wanted) << std::oct << mask;
  }
}

TEST_F(Outputs, AReplacedFileKeepsItsPermissions) {
  const std::string file = out_.write("old.obj", "old");
  for (const mode_t mode : {0600, 0640, 0755}) {
    ASSERT_EQ(::chmod(file.c_str(), mode), 0);
    ASSERT_EQ(runSinew({"convert", arm(), "-o", file}).exitCode, 0);
    EXPECT_EQ(modeOf(file), mode);
  }
}

TEST_F(Outputs, LinksAreWrittenThrough) {
  fs::create_directory(out_.path() / "there");
  out_.write("there/real.obj", "old");
  fs::create_symlink("there/real.obj", out_.path() / "link.obj");
  fs::create_symlink("link.obj", out_.path() / "second.obj");
  ASSERT_EQ(runSinew({"convert", arm(), "-o", out_.file("second.obj")}).exitCode, 0);
  EXPECT_TRUE(fs::is_symlink(out_.path() / "second.obj"));
  EXPECT_TRUE(fs::is_symlink(out_.path() / "link.obj"));
  EXPECT_GT(fs::file_size(out_.path() / "there/real.obj"), 1000u);

  fs::create_symlink("there/new.obj", out_.path() / "dangling.obj");
  ASSERT_EQ(runSinew({"convert", arm(), "-o", out_.file("dangling.obj")}).exitCode, 0);
  EXPECT_TRUE(fs::is_regular_file(out_.path() / "there/new.obj"));

  fs::create_symlink("b.obj", out_.path() / "a.obj");
  fs::create_symlink("a.obj", out_.path() / "b.obj");
  const CommandResult loop = runSinew({"convert", arm(), "-o", out_.file("a.obj")});
  EXPECT_EQ(loop.exitCode, 2);
  EXPECT_NE(loop.err.find("a.obj"), std::string::npos) << loop.err;
}

TEST_F(Outputs, DevicesAndPipesAreNotReplaced) {
  const std::string pipe = out_.file("pipe.obj");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const CommandResult result = runSinew({"convert", arm(), "-o", pipe});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_NE(result.err.find("device or a pipe"), std::string::npos) << result.err;
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(Outputs, AReportReplacesNoInputAndNoOtherOutput) {
  const std::string before = readText(arm());
  fs::create_symlink(arm("examples.json"), out_.path() / "page.html");
  const std::string manifest = readText(arm("examples.json"));
  const std::vector<std::string> psd{"psd", arm(), "--examples", arm("examples.json"), "-o", out_.file("a.glb")};
  const auto with = [&](const std::string& report, const std::string& flag = "--report") {
    std::vector<std::string> words = psd;
    words.insert(words.end(), {flag, report});
    return runSinew(words);
  };
  for (const std::string& report :
       {arm(), arm("examples.json"), out_.file("page.html"), out_.file("a.glb"), out_.file("no page.txt")}) {
    const CommandResult result = with(report);
    EXPECT_EQ(result.exitCode, 2) << report;
    EXPECT_NE(result.err.find(report), std::string::npos) << result.err;
  }
  EXPECT_EQ(readText(arm()), before);
  EXPECT_EQ(readText(arm("examples.json")), manifest);
  EXPECT_EQ(out_.names(), std::vector<std::string>{"page.html"});
}

TEST_F(Outputs, ANamedInputMayBeReplaced) {
  const std::string file = out_.write("arm.glb", readText(arm()));
  const CommandResult result = runSinew({"convert", file, "-o", file});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(runSinew({"info", file}).exitCode, 0);
}

TEST_F(Outputs, AResultThatNobodyCanReadIsAFailure) {
  const std::string quiet = " 2> '" + out_.file("err") + "'";
  EXPECT_EQ(shell("\"$SINEW\" info '" + arm() + "' --json > /dev/full" + quiet), 2);
  EXPECT_NE(readText(out_.file("err")).find("stdout"), std::string::npos) << readText(out_.file("err"));
  EXPECT_EQ(shell("\"$SINEW\" info '" + arm() + "' >&-" + quiet), 2);
  EXPECT_EQ(shell("\"$SINEW\" --help >&-" + quiet), 2);
  // A reader that exits immediately: the exit code is that of the command, not of the reader.
  const std::string code = out_.file("code");
  shell("{ { \"$SINEW\" info '" + arm() + "' --json" + quiet + "; echo $? > '" + code + "'; } | sleep 0; } ");
  EXPECT_TRUE(readText(code) == "2\n" || readText(code) == "0\n") << readText(code);
}

TEST_F(Outputs, NoFileTakesTheNumberOfAClosedStream) {
  const std::string file = out_.file("a.obj");
  EXPECT_EQ(shell("\"$SINEW\" convert '" + arm() + "' -o '" + file + "' <&- >&- 2>&-"), 2);
  EXPECT_EQ(shell("\"$SINEW\" convert '" + arm() + "' -o '" + out_.file("b.obj") + "' <&- 2>&- > /dev/null"), 0);
  EXPECT_EQ(readText(file), readText(out_.file("b.obj")));
}

}  // namespace
}  // namespace sinew::test::outputs_test
