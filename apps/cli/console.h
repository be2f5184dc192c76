// Where a command's words go: results to stdout, progress and notes to stderr.
#pragma once

#include <chrono>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/base/progress.h"
#include "sinew/io/files.h"
#include "sinew/io/formats.h"

namespace sinew::cli {

class ProgressLine;

class Console {
 public:
  bool json = false;         ///< --json
  bool quiet = false;        ///< -q
  bool verbose = false;      ///< -v
  bool rareFormats = false;  ///< --rare-formats
  std::string commandLine;   ///< as typed, quoted for a shell; reports show it

  Console();
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  /// Commits the outputs, then prints the result: the text, or the JSON object with `warnings`, `version` and `seconds`
  /// added, and `error` if a limit was exceeded.
  void result(const std::string& text, nlohmann::ordered_json object) const;
  /// A requested limit that was exceeded, or a solver that did not converge: printed to stderr even with -q. Call it
  /// before result() and return its result.
  int missed(const std::string& sentence);
  /// One JSON object on stdout.
  void print(const nlohmann::ordered_json& object) const;
  /// A likely mistake: printed once to stderr, even with -q, and added to `warnings` of the JSON. Call it before
  /// result().
  void warn(const std::string& sentence) const;
  void warn(std::span<const std::string> sentences) const;
  /// A note on stderr, silenced by -q.
  void note(std::string_view sentence) const;
  /// As note, but only with -v.
  void detail(std::string_view sentence) const;
  /// A bar on a terminal, plain lines otherwise, nothing with -q. Ctrl-C cancels. The work is `from` to `to` of the
  /// whole command, whose percentage never decreases. Must not outlive the console.
  [[nodiscard]] Progress progress(double from, double to) const;
  /// The same for reading and writing, which are mostly quick: nothing is shown before the command has run for a
  /// second.
  [[nodiscard]] Progress fileProgress(double from, double to) const;
  /// Takes the bar off a terminal, so that a line can be written.
  void clearProgress() const;
  /// All files that the command writes. They are in place when the result is printed, or not at all if it fails.
  [[nodiscard]] OutputFiles& outputs() const { return *outputs_; }
  /// Foreign formats are read by this program, started again.
  [[nodiscard]] FileRules rules() const {
    return {.foreign = {.program = "/proc/self/exe", .rareFormats = rareFormats}};
  }
  /// A command reads first and writes last; what it does between has the rest.
  static constexpr double kRead = 0.1;
  static constexpr double kWrite = 0.95;
  [[nodiscard]] ReadOptions reading(double from = 0, double to = kRead) const {
    return {.progress = fileProgress(from, to), .rules = rules()};
  }
  [[nodiscard]] WriteOptions writing(double from = kWrite, double to = 1) const {
    return {.into = outputs_.get(), .progress = fileProgress(from, to)};
  }
  [[nodiscard]] double seconds() const;

 private:
  std::chrono::steady_clock::time_point begin_;
  std::string missed_;
  mutable std::vector<std::string> warnings_;  ///< printed so far
  std::unique_ptr<ProgressLine> line_;
  std::unique_ptr<OutputFiles> outputs_ = std::make_unique<OutputFiles>();
};

/// Words quoted so that a shell splits them again.
std::string quotedWords(std::span<const std::string> words);

}  // namespace sinew::cli
