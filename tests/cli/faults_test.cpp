// Every writing command with an injected fault: a full or broken disk, a kill, no memory. Its output is then the
// complete old or new file; nothing temporary is left unless it was killed. SINEW_FAULT_ROUNDS: faults, and kills, per
// command.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <map>
#include <span>
#include <sstream>

#include "run_sinew.h"
#include "sinew/base/random.h"
#include "support/sanitized.h"

namespace sinew::test::faults_test {
namespace {

namespace fs = std::filesystem;

/// Sets an environment variable for processes started during its lifetime.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

/// All files below a folder: names and contents.
std::map<std::string, std::string> contentOf(const fs::path& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) all[fs::relative(entry.path(), folder).string()] = readText(entry.path());
  }
  return all;
}

/// Whether some line is not a warning.
bool saysWhatIsWrong(const std::string& told) {
  std::istringstream lines(told);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("sinew: ") && !line.starts_with("sinew: warning: ")) return true;
  }
  return false;
}

class CommandFaults : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"sample", "arm", "--vertices", "1000", "-o", in("arm"), "-q"},
          {"sample", "quadruped", "--vertices", "1000", "-o", in("quadruped"), "-q"},
          {"reduce", in("quadruped"), "--controls", "4", "-o", in("model.glb"), "-q"}}) {
      const CommandResult result = runSinew(words);
      if (result.exitCode != 0) throw std::runtime_error(result.err);
    }
    // Few examples: this tests what happens after learning.
    auto examples = nlohmann::json::parse(readText(in("arm/examples.json")));
    auto& list = examples["examples"].get_ref<nlohmann::json::array_t&>();
    list.resize(2);
    folder_->write("arm/two.json", examples.dump());
  }
  static void TearDownTestSuite() { delete folder_; }

  static std::string in(const std::string& name) { return folder_->file(name); }
  static int rounds() {
    const char* asked = std::getenv("SINEW_FAULT_ROUNDS");
    return asked == nullptr ? 4 : std::atoi(asked);
  }

  static std::vector<std::string> filled(std::vector<std::string> words, const TemporaryFolder& out) {
    for (std::string& word : words) {
      if (word.starts_with("OUT/")) word = out.file(word.substr(4));
    }
    return words;
  }

  /// The number of each call that the command makes in its output folder, and what it writes there.
  struct Clean {
    std::map<std::string, int> calls;
    std::map<std::string, std::string> files;
  };

  static Clean runClean(const std::vector<std::string>& words) {
    const TemporaryFolder out;
    const TemporaryFolder told;
    // Calls are counted as in the runs with faults, where the files exist already.
    EXPECT_EQ(runSinew(filled(words, out)).exitCode, 0) << words[0];
    const Variable preload("LD_PRELOAD", SINEW_FAULT_LIBRARY);
    const Variable plan("SINEW_FAULTS", "write:1000000000:EIO");
    const Variable path("SINEW_FAULTS_PATH", out.path().string());
    const Variable report("SINEW_FAULTS_REPORT", told.file("calls"));
    const CommandResult result = runSinew(filled(words, out));
    EXPECT_EQ(result.exitCode, 0) << words[0] << ": " << result.err;
    Clean clean{{}, contentOf(out.path())};
    std::istringstream lines(readText(told.file("calls")));
    for (std::string call; lines >> call;) lines >> clean.calls[call];
    return clean;
  }

  using Kind = std::pair<const char*, const char*>;  ///< a call and its fault

  /// Faults, then kills, of each kind in turn at random calls.
  static void expectWhole(const std::vector<std::string>& words) {
    const Clean clean = runClean(words);
    ASSERT_FALSE(clean.files.empty()) << words[0];
    ASSERT_GT(clean.calls.at("write"), 0) << words[0];
    static constexpr Kind kFaults[] = {{"write", "ENOSPC"}, {"rename", "EIO"},  {"fsync", "EIO"},
                                       {"close", "EIO"},    {"open", "ENOSPC"}, {"write", "short"}};
    static constexpr Kind kKills[] = {
        {"write", "kill"}, {"rename", "kill"}, {"rename", "killafter"}, {"fsync", "kill"}};
    Lcg random(static_cast<std::uint32_t>(words[0].size()) + 17);
    for (const std::span<const Kind> kinds : {std::span<const Kind>(kFaults), std::span<const Kind>(kKills)}) {
      for (int k = 0; k < rounds(); ++k) {
        const auto& [call, how] = kinds[static_cast<std::size_t>(k) % kinds.size()];
        const auto found = clean.calls.find(call);
        ASSERT_TRUE(found != clean.calls.end() && found->second > 0) << words[0] << " makes no call of " << call;
        const int at = 1 + static_cast<int>((0.5 + 0.4999 * random.symmetric()) * found->second);
        expectWhole(words, clean, fmt::format("{}:{}:{}", call, at, how), std::string_view(how).starts_with("kill"));
      }
    }
  }

  static void expectWhole(const std::vector<std::string>& words, const Clean& clean, const std::string& plan,
                          bool killed) {
    const TemporaryFolder out;
    // Files that the command replaces.
    for (const auto& [name, content] : clean.files) {
      fs::create_directories((out.path() / name).parent_path());
      out.write(name, "old");
    }
    SCOPED_TRACE(fmt::format("{} with {}", words[0], plan));
    CommandResult result;
    {
      const Variable preload("LD_PRELOAD", SINEW_FAULT_LIBRARY);
      const Variable faults("SINEW_FAULTS", plan);
      const Variable path("SINEW_FAULTS_PATH", out.path().string());
      result = runSinew(filled(words, out));
    }
    if (killed) {
      EXPECT_EQ(result.exitCode, 128 + SIGKILL) << result.err;
    } else {
      EXPECT_TRUE(result.exitCode == 0 || result.exitCode == 2) << result.exitCode << ": " << result.err;
      EXPECT_EQ(result.exitCode == 2, saysWhatIsWrong(result.err)) << result.err;
    }
    for (const auto& [name, content] : contentOf(out.path())) {
      const bool temporary = name.ends_with(".tmp");
      EXPECT_TRUE(!temporary || killed) << name << " is left";
      const auto whole = clean.files.find(name);
      if (temporary || whole == clean.files.end()) continue;
      EXPECT_TRUE(content == "old" || content.size() == whole->second.size())
          << name << " is neither the old nor the complete new file";
      EXPECT_TRUE(result.exitCode != 0 || content != "old") << name << " was reported as written";
    }
  }

  static TemporaryFolder* folder_;
};

TemporaryFolder* CommandFaults::folder_ = nullptr;

TEST_F(CommandFaults, Convert) {
  expectWhole({"convert", in("arm/arm.glb"), "-o", "OUT/a.glb", "-q"});
  expectWhole({"convert", in("arm/arm.glb"), "-o", "OUT/a.obj", "-q"});
}

TEST_F(CommandFaults, Poses) {
  expectWhole({"deform", in("arm/arm.glb"), "--pose", "rest", "-o", "OUT/a.obj", "-q"});
  expectWhole({"pose", in("model.glb"), "--handle", "100=0.2,0.5,0.3", "-o", "OUT/a.obj", "-q"});
  expectWhole({"drag", in("arm/arm.glb"), "--pose", "flex@0.5", "--vertex", "10", "--move", "0,0.01,0", "-o",
               "OUT/a.glb", "-q"});
  expectWhole({"invert", in("arm/arm.glb"), "--pose", "rest", "--sculpt", in("arm/rest.obj"), "-o", "OUT/a.obj", "-q"});
  expectWhole({"render", in("arm/arm.glb"), "--size", "64x64", "-o", "OUT/a.png", "-q"});
}

TEST_F(CommandFaults, Learning) {
  expectWhole({"bind", in("arm/rest.obj"), "--skeleton", in("arm/arm.glb"), "-o", "OUT/a.glb", "-q"});
  expectWhole({"psd", in("arm/arm.glb"), "--examples", in("arm/two.json"), "-o", "OUT/a.glb", "-q"});
  expectWhole({"fit", in("arm/arm.glb"), "--examples", in("arm/two.json"), "-o", "OUT/a.glb", "-q"});
}

TEST_F(CommandFaults, Models) {
  expectWhole({"reduce", in("quadruped"), "--controls", "4", "-o", "OUT/a.glb", "-q"});
  expectWhole({"reconstruct", in("model.glb"), "-o", "OUT/again", "-q"});
  expectWhole({"reconstruct", in("model.glb"), "-o", "OUT/a.pc2", "-q"});
}

TEST_F(CommandFaults, Samples) {
  expectWhole({"sample", "arm", "--vertices", "1000", "-o", "OUT/arm", "-q"});
}

TEST_F(CommandFaults, WithoutMemory) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer has the memory";
  // Wherever memory runs out, there is a message and an exit code, and nothing is left behind. The first of about two
  // thousand allocations are those of libraries before main().
  const std::vector<std::string> words{"convert", in("arm/arm.glb"), "-o", "OUT/a.glb", "-q"};
  Lcg random(5);
  int ended = 0;
  for (int k = 0; k < 2 * rounds(); ++k) {
    const TemporaryFolder out;
    const std::string plan =
        fmt::format("malloc:{}+:ENOMEM", 40 + static_cast<int>(2000 * (0.5 + 0.5 * random.symmetric())));
    CommandResult result;
    {
      const Variable preload("LD_PRELOAD", SINEW_FAULT_LIBRARY);
      const Variable faults("SINEW_FAULTS", plan);
      result = runSinew(filled(words, out));
    }
    EXPECT_TRUE(result.exitCode == 0 || result.exitCode == 4) << plan << ": " << result.exitCode << result.err;
    EXPECT_EQ(out.names().size(), result.exitCode == 0 ? 1u : 0u) << plan;
    ended += result.exitCode == 4 ? 1 : 0;
  }
  EXPECT_GT(ended, 0) << "memory never ran out";
}

}  // namespace
}  // namespace sinew::test::faults_test
