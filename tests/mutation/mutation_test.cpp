// Spoiled files of every kind through the real command: it says in a sentence what is wrong, or goes on; it never
// crashes, hangs or takes all memory. `tests/mutate_files` runs as many as are asked for.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

#include "../cli/run_sinew.h"
#include "mutate.h"
#include "sinew/base/text.h"
#include "support/sanitized.h"
#include "support/start_process.h"

namespace sinew::test::mutation_test {
namespace {

namespace fs = std::filesystem;

constexpr double kMostSeconds = 20;
constexpr long kMostKilobytes = 1 << 20;
constexpr std::size_t kMostCharacters = 300;
constexpr std::size_t kOwnFormats = 14;  ///< the first seeds

struct Ran {
  int status = 0;
  double seconds = 0;
  long kilobytes = 0;  ///< of the largest of its processes
  bool late = false;
  std::string said;  ///< on stderr
};

/// Runs the command, and ends it where it takes too long.
Ran runLimited(std::vector<std::string> words, const fs::path& saidTo) {
  words.insert(words.begin(), SINEW_COMMAND);
  Ran ran;
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = startProcess({.words = words, .err = saidTo});
  const int handle = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  pollfd watched{handle, POLLIN, 0};
  ran.late = ::poll(&watched, 1, static_cast<int>(1000 * kMostSeconds)) == 0;
  if (ran.late) ::kill(child, SIGKILL);
  rusage used{};
  ::wait4(child, &ran.status, 0, &used);
  ::close(handle);
  ran.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  ran.kilobytes = used.ru_maxrss;
  ran.said = readText(saidTo);
  return ran;
}

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// True where the sentence names a file: one of the command's own, one that the spoiled file names, or one that is
/// there (a rest mesh that does not fit a spoiled character).
bool namesAFile(const std::string& sentence, const std::vector<std::string>& words, const std::string& content) {
  const auto named = [&](const std::string& word) {
    const std::string name = fs::path(word).filename().string();
    return name.find('.') != std::string::npos && sentence.find(name) != std::string::npos;
  };
  if (std::any_of(words.begin(), words.end(), named)) return true;
  const std::size_t colon = sentence.find(": ", sizeof("sinew: "));
  const std::size_t begin = sentence.find_first_not_of("'\"", sizeof("sinew: ") - 1);
  if (colon == std::string::npos || begin >= colon) return false;
  const fs::path path = sentence.substr(begin, colon - begin);
  const std::string name = path.filename().string();
  return !name.empty() && (content.find(name) != std::string::npos || fs::is_regular_file(path));
}

/// What is wrong with how it went; empty: nothing.
std::string faultOf(const Ran& ran, const std::vector<std::string>& words, const std::string& content) {
  if (ran.late) return "took more than 20 seconds";
  if (WIFSIGNALED(ran.status)) return "was ended by signal " + std::to_string(WTERMSIG(ran.status));
  const int code = WEXITSTATUS(ran.status);
  if (code != 0 && code != 2 && code != 3) return "ended with exit code " + std::to_string(code);
  if (ran.kilobytes > kMostKilobytes) return "took " + std::to_string(ran.kilobytes / 1024) + " MB";
  if (ran.said != tamed(ran.said, true)) return "prints control characters";
  if (code != 2) return "";
  const std::size_t last = ran.said.rfind('\n', ran.said.size() < 2 ? 0 : ran.said.size() - 2);
  const std::string sentence = ran.said.substr(last == std::string::npos ? 0 : last + 1);
  if (!sentence.starts_with("sinew: ")) return "does not say what is wrong";
  if (characters(sentence) > kMostCharacters + 1) return "says it in more than 300 characters";
  if (!namesAFile(sentence, words, content)) return "does not name the file";
  return "";
}

struct Tally {
  std::mutex mutex;
  std::map<std::string, int> runs;  ///< per kind of file
  std::map<int, int> codes;
  std::vector<std::string> faults;
  double slowest = 0;
  long largest = 0;
};

/// Where a fault is found, the file is kept beside a line that tells how to see it again.
void keep(const fs::path& file, const std::string& content, const std::string& line) {
  const char* const kept = std::getenv("SINEW_MUTATION_KEEP");
  if (kept == nullptr) return;
  fs::create_directories(kept);
  std::ofstream(fs::path(kept) / file.filename(), std::ios::binary) << content;
  std::ofstream(fs::path(kept) / "list.txt", std::ios::app) << line << "\n";
}

class Worker {
 public:
  Worker(const std::vector<Seed>& seeds, const fs::path& folder, int number, Tally& tally)
      : seeds_(seeds), folder_(folder), number_(number), tally_(tally) {}

  /// The same file and command for the same number, whoever runs it.
  void run(std::uint64_t k) {
    Random random(k * 0x9E3779B97F4A7C15ull + 1);
    // Rare formats in every fourth round only: their importer runs for ever most often, which takes its time.
    const Seed* chosen = &seeds_[k % seeds_.size()];
    if (chosen->commands.front().back() == "--rare-formats" && k / seeds_.size() % 4 != 0)
      chosen = &seeds_[(k / seeds_.size()) % kOwnFormats];
    const Seed& seed = *chosen;
    const std::string content = mutated(seed, random);
    const std::string name = "spoiled" + std::to_string(k) + fs::path(seed.name).extension().string();
    const fs::path file = folder_ / name;
    std::ofstream(file, std::ios::binary) << content;
    const std::string output = (folder_ / ("out" + std::to_string(number_))).string();
    std::vector<std::string> words = seed.commands[random() % seed.commands.size()];
    std::string line;
    for (std::string& word : words) {
      if (const std::size_t at = word.find('@'); at != std::string::npos && word.find("bend@") == std::string::npos)
        word.replace(at, 1, file.string());
      if (word.starts_with('%')) word.replace(0, 1, output);
      line += word + " ";
    }
    words.emplace_back("-q");
    const Ran ran = runLimited(words, folder_ / ("said" + std::to_string(number_)));
    const std::string fault = faultOf(ran, words, content);
    for (const char* ending : {"", ".glb", ".gltf", ".bin", ".obj", ".png"}) fs::remove_all(output + ending);
    fs::remove(file);
    const std::scoped_lock lock(tally_.mutex);
    ++tally_.runs[fs::path(seed.name).extension().string()];
    ++tally_.codes[WIFEXITED(ran.status) ? WEXITSTATUS(ran.status) : 128 + WTERMSIG(ran.status)];
    tally_.slowest = std::max(tally_.slowest, ran.seconds);
    tally_.largest = std::max(tally_.largest, ran.kilobytes);
    if (fault.empty()) return;
    tally_.faults.push_back(line + fault + " | " + ran.said);
    keep(file, content, line + fault);
  }

 private:
  const std::vector<Seed>& seeds_;
  fs::path folder_;
  int number_;
  Tally& tally_;
};

std::uint64_t numberFrom(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(Mutation, SeedsThemselvesAreRead) {
  const TemporaryFolder folder;
  const std::vector<Seed> seeds = makeSeeds(folder.path());
  for (const Seed& seed : seeds) {
    if (seed.name == "strip.b3d") continue;  // a bone without a mesh
    const std::string file = folder.write("sound" + fs::path(seed.name).extension().string(), seed.content);
    std::vector<std::string> words = seed.commands.front();
    for (std::string& word : words) {
      if (const std::size_t at = word.find('@'); at != std::string::npos) word.replace(at, 1, file);
      if (word.starts_with('%')) word.replace(0, 1, folder.file("out"));
    }
    const CommandResult result = runSinew(words);
    EXPECT_EQ(result.exitCode, 0) << seed.name << ": " << result.err;
  }
}

TEST(Mutation, SpoiledFilesAreRefusedInASentenceOrRead) {
  const std::uint64_t count = numberFrom("SINEW_MUTATIONS", kSanitized ? 200 : 2000);
  const std::uint64_t first = numberFrom("SINEW_MUTATION_FIRST", 0);
  const TemporaryFolder folder;
  const std::vector<Seed> seeds = makeSeeds(folder.path());
  Tally tally;
  std::atomic<std::uint64_t> next = first;
  std::vector<std::thread> threads;
  for (int t = 0; t < static_cast<int>(std::max(2u, std::thread::hardware_concurrency())); ++t) {
    threads.emplace_back([&, t] {
      Worker worker(seeds, folder.path(), t, tally);
      for (std::uint64_t k = next++; k < first + count; k = next++) worker.run(k);
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::string summary;
  for (const auto& [kind, runs] : tally.runs) summary += kind + " " + std::to_string(runs) + ", ";
  for (const auto& [code, runs] : tally.codes)
    summary += "exit " + std::to_string(code) + ": " + std::to_string(runs) + ", ";
  RecordProperty("runs", summary);
  std::cout << summary << "slowest " << tally.slowest << " s, largest " << tally.largest / 1024 << " MB\n";
  for (const std::string& fault : tally.faults) ADD_FAILURE() << fault;
}

}  // namespace
}  // namespace sinew::test::mutation_test
