// Where a command's words go: results to stdout, progress and notes to stderr.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "sinew/base/progress.h"

namespace sinew::cli {

class Console {
 public:
  bool json = false;        ///< --json
  bool quiet = false;       ///< -q
  bool verbose = false;     ///< -v
  std::string commandLine;  ///< as it was typed, quoted for a shell: reports tell how they were made

  Console();

  /// The command's result: people's text, or the JSON object with `version` and `seconds` added, and `error` where a
  /// limit was missed.
  void result(const std::string& text, nlohmann::ordered_json object) const;
  /// A limit that was asked for and missed, or a solver that did not converge: told on stderr even with -q. Call it
  /// before result() and return what it returns.
  int missed(const std::string& sentence);
  /// One JSON object on stdout.
  void print(const nlohmann::ordered_json& object) const;
  /// A note on stderr, silenced by -q.
  void note(std::string_view sentence) const;
  /// As note, but only with -v.
  void detail(std::string_view sentence) const;
  /// A bar on a terminal, plain lines otherwise, nothing with -q. Ctrl-C cancels.
  [[nodiscard]] Progress progress() const;
  [[nodiscard]] double seconds() const;

 private:
  std::chrono::steady_clock::time_point begin_;
  std::string missed_;
};

/// Words as a shell would take them apart again.
std::string quotedWords(std::span<const std::string> words);

/// From here on Ctrl-C makes progress callbacks say stop, so that commands end without having written anything.
void cancelOnInterrupt();

}  // namespace sinew::cli
