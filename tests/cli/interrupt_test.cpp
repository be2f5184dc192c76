// Ctrl-C: every command ends soon with exit code 130, and leaves nothing in its output folder.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <fstream>
#include <thread>

#include "run_sinew.h"

namespace sinew::test::interrupt_test {
namespace {

namespace fs = std::filesystem;

/// A second on an idle machine; tests run in parallel.
constexpr double kSoon = 3;

/// Inputs that keep every command busy for longer than the delay of the signal.
class Interrupt : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    const auto made = [](const std::vector<std::string>& words) {
      const CommandResult result = runSinew(words);
      if (result.exitCode != 0) throw std::runtime_error(result.err);
    };
    writeSheet(in("sheet.obj"), 700);
    made({"sample", "limb", "--vertices", "12000", "-o", in("limb"), "-q"});
    made({"sample", "quadruped", "--vertices", "3000", "-o", in("quadruped"), "-q"});
    made({"reduce", in("quadruped"), "-o", in("model.glb"), "-q"});
    fs::create_directory(in("many"));
    for (int i = 0; i < 6; ++i) fs::create_hard_link(in("sheet.obj"), in(fmt::format("many/{}.obj", i)));
  }
  static void TearDownTestSuite() { delete folder_; }

  static std::string in(const std::string& name) { return folder_->file(name); }

  /// A waved sheet of side x side vertices.
  static void writeSheet(const std::string& path, int side) {
    std::string text;
    for (int i = 0; i < side; ++i) {
      for (int j = 0; j < side; ++j) {
        const double x = static_cast<double>(i) / side;
        const double y = static_cast<double>(j) / side;
        text += fmt::format("v {} {} {}\n", x, y, 0.1 * std::sin(7 * x) * std::cos(5 * y));
      }
    }
    for (int i = 0; i + 1 < side; ++i) {
      for (int j = 0; j + 1 < side; ++j) {
        const int v = i * side + j + 1;
        text += fmt::format("f {} {} {} {}\n", v, v + 1, v + side + 1, v + side);
      }
    }
    std::ofstream(path) << text;
  }

  /// Words with OUT for the output folder. With SIGINT and SIGTERM, early and late; earlier still if a fast machine
  /// finished before the signal. At least one run must have been interrupted.
  static void expectEnds(const std::vector<std::string>& words) {
    bool interrupted = false;
    for (const auto& [latest, signal] : {std::pair{0.1, SIGINT}, std::pair{0.5, SIGTERM}}) {
      for (double after = latest; after > 0.01; after /= 2) {
        if (endsAt(words, after, signal)) {
          interrupted = true;
          break;
        }
      }
    }
    EXPECT_TRUE(interrupted) << words[0] << " always finished before the signal";
  }

  /// False if the command finished before the signal.
  static bool endsAt(const std::vector<std::string>& words, double after, int signal) {
    const TemporaryFolder out;
    std::vector<std::string> filled = words;
    for (std::string& word : filled) {
      if (word.starts_with("OUT/")) word = out.file(word.substr(4));
    }
    const InterruptedResult result = interruptSinew(filled, after, signal);
    SCOPED_TRACE(fmt::format("{} after {} s, signal {}: {}", words[0], after, signal, result.err));
    EXPECT_LT(result.seconds, kSoon);
    EXPECT_TRUE(result.exitCode == 130 || result.exitCode == 0) << result.exitCode;
    if (result.exitCode != 130) return false;
    EXPECT_EQ(out.names(), std::vector<std::string>{});
    EXPECT_TRUE(result.out.empty() || words.back() == "--json") << result.out;
    return true;
  }

  static TemporaryFolder* folder_;
};

TemporaryFolder* Interrupt::folder_ = nullptr;

TEST_F(Interrupt, ReadingAndWritingOfLargeFiles) {
  expectEnds({"convert", in("sheet.obj"), "-o", "OUT/a.glb"});
  expectEnds({"info", in("sheet.obj")});
  expectEnds({"compare", in("many"), in("many")});
  expectEnds({"deform", in("sheet.obj"), "--pose", "rest", "-o", "OUT/posed.obj"});
}

TEST_F(Interrupt, Learning) {
  const std::vector<std::string> limb = {in("limb/limb.glb"), "--examples", in("limb/examples.json")};
  const auto with = [&](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), limb.begin(), limb.end());
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  expectEnds(with({"psd"}, {"-o", "OUT/a.glb", "--report", "OUT/a.html"}));
  expectEnds(with({"fit"}, {"-o", "OUT/a.glb", "--report", "OUT/a.html", "--helpers", "all"}));
  expectEnds(with({"evaluate"}, {}));
  expectEnds({"bind", in("sheet.obj"), "--skeleton", in("limb/limb.glb"), "-o", "OUT/a.glb"});
}

TEST_F(Interrupt, ReducedModels) {
  expectEnds({"reduce", in("many"), "-o", "OUT/a.glb", "--report", "OUT/a.html"});
  expectEnds({"reconstruct", in("model.glb"), "-o", "OUT/again"});
  expectEnds({"pose", in("model.glb"), "--handle", "10=0,0.5,0", "--baseline", "meshik", "-o", "OUT/posed.obj"});
}

TEST_F(Interrupt, Pictures) {
  expectEnds({"render", in("sheet.obj"), "--size", "6000x6000", "-o", "OUT/a.png"});
}

TEST_F(Interrupt, SamplesAndTheirNewFolder) {
  expectEnds({"sample", "biped", "--vertices", "40000", "-o", "OUT/new/biped"});
}

TEST_F(Interrupt, ABlackBoxThatNeverAnswers) {
  expectEnds({"invert", in("limb/limb.glb"), "--pose", "rest", "--sculpt", in("limb/rest.obj"), "--black-box",
              "sleep 60", "--box-timeout", "50", "-o", "OUT/a.obj"});
}

/// Ended: reaped, or a zombie of the process that inherited it.
bool isOver(const std::string& process) {
  std::ifstream stat("/proc/" + process + "/stat");
  std::string text;
  std::getline(stat, text);
  const std::size_t name = text.rfind(')');
  return name == std::string::npos || name + 2 >= text.size() || text[name + 2] == 'Z';
}

TEST_F(Interrupt, ABlackBoxAndWhatItStartedEndWithTheCommandHoweverThatEnds) {
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    const TemporaryFolder out;
    const std::string pids = out.file("pids");
    const std::string box =
        fmt::format("echo $$ > '{0}'; sleep 300 & echo $! >> '{0}'; mv '{0}' '{0} all'; wait", pids);
    // Sent when the box runs: before that, the command reads its files.
    InterruptedResult result;
    for (double after = 0.5; after < 40 && !fs::exists(pids + " all"); after *= 3) {
      result = interruptSinew({"invert", in("limb/limb.glb"), "--pose", "rest", "--sculpt", in("limb/rest.obj"),
                               "--black-box", box, "--box-timeout", "200", "-o", out.file("a.obj"), "-q"},
                              after, signal);
    }
    EXPECT_EQ(result.exitCode, signal == SIGKILL ? 128 + SIGKILL : 130) << result.err;
    std::ifstream list(pids + " all");
    int processes = 0;
    for (std::string process; std::getline(list, process); ++processes) {
      for (int wait = 0; wait < 1000 && !isOver(process); ++wait)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      EXPECT_TRUE(isOver(process)) << "process " << process << " lives on after signal " << signal;
    }
    EXPECT_EQ(processes, 2);
  }
}

}  // namespace
}  // namespace sinew::test::interrupt_test
