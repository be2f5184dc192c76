// Where a command's words go: results to stdout, progress and notes to stderr.
#pragma once

#include <chrono>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "sinew/base/progress.h"
#include "sinew/io/files.h"
#include "sinew/io/formats.h"

namespace sinew::cli {

class Console {
 public:
  bool json = false;         ///< --json
  bool quiet = false;        ///< -q
  bool verbose = false;      ///< -v
  bool rareFormats = false;  ///< --rare-formats
  std::string commandLine;   ///< as it was typed, quoted for a shell: reports tell how they were made

  Console();

  /// Puts the outputs in place, then tells the command's result: people's text, or the JSON object with `version` and
  /// `seconds` added, and `error` where a limit was missed.
  void result(const std::string& text, nlohmann::ordered_json object) const;
  /// A limit that was asked for and missed, or a solver that did not converge: told on stderr even with -q. Call it
  /// before result() and return what it returns.
  int missed(const std::string& sentence);
  /// One JSON object on stdout.
  void print(const nlohmann::ordered_json& object) const;
  /// Something that is probably wrong, on stderr even with -q; belongs in `warnings` of the JSON, too.
  void warn(std::string_view sentence) const;
  /// A note on stderr, silenced by -q.
  void note(std::string_view sentence) const;
  /// As note, but only with -v.
  void detail(std::string_view sentence) const;
  /// A bar on a terminal, plain lines otherwise, nothing with -q. Ctrl-C cancels.
  [[nodiscard]] Progress progress() const;
  /// The same for reading and writing, which are mostly quick: nothing is shown before the command has run for a
  /// second.
  [[nodiscard]] Progress fileProgress() const;
  /// All files that the command writes. They are in place when the result is told, and not at all where it fails.
  [[nodiscard]] OutputFiles& outputs() const { return *outputs_; }
  /// Foreign formats are read by this program, started again.
  [[nodiscard]] FileRules rules() const {
    return {.foreign = {.program = "/proc/self/exe", .rareFormats = rareFormats}};
  }
  [[nodiscard]] ReadOptions reading() const { return {.progress = fileProgress(), .rules = rules()}; }
  [[nodiscard]] WriteOptions writing() const { return {.into = outputs_.get(), .progress = fileProgress()}; }
  [[nodiscard]] double seconds() const;

 private:
  std::chrono::steady_clock::time_point begin_;
  std::string missed_;
  std::unique_ptr<OutputFiles> outputs_ = std::make_unique<OutputFiles>();
};

/// Words as a shell would take them apart again.
std::string quotedWords(std::span<const std::string> words);

}  // namespace sinew::cli
