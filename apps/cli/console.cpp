#include "console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "interrupts.h"
#include "sinew/base/text.h"
#include "streams.h"

namespace sinew::cli {
namespace {

/// Draws a bar in place, or a line per tenth.
class ProgressLine {
 public:
  ProgressLine() : terminal_(isatty(STDERR_FILENO) != 0) {}
  ~ProgressLine() {
    if (terminal_ && drawn_) tell("\r\033[K");
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const ProgressState& state) {
    const int percent = static_cast<int>(100 * state.fraction);
    if (terminal_) {
      if (percent == percent_ && state.stage == stage_) return;
      const std::string filled(static_cast<std::size_t>(percent) * 30 / 100, '#');
      tell(fmt::format("\r\033[K[{:<30}] {:3d} % {}", filled, percent, state.stage));
      drawn_ = true;
    } else if (state.stage != stage_ || percent / 10 != percent_ / 10) {
      tell(fmt::format("{:3d} % {}\n", percent, state.stage));
    }
    percent_ = percent;
    stage_ = state.stage;
  }

 private:
  bool terminal_;
  bool drawn_ = false;
  int percent_ = -1;
  std::string stage_;
};

}  // namespace

Console::Console() : begin_(std::chrono::steady_clock::now()) {}

double Console::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void Console::result(const std::string& text, nlohmann::ordered_json object) const {
  outputs_->commit();
  if (!json) {
    say(tamed(text, true));
    return;
  }
  object["version"] = SINEW_VERSION;
  object["seconds"] = seconds();
  if (!missed_.empty()) {
    object["error"] = {{"code", "limit-missed"},
                       {"message", missed_},
                       {"file", ""},
                       {"hint", ""},
                       {"exitCode", static_cast<int>(LimitMissed)}};
  }
  print(object);
}

int Console::missed(const std::string& sentence) {
  tell(fmt::format("sinew: {}\n", tamed(sentence)));
  missed_ = sentence;
  return LimitMissed;
}

void Console::print(const nlohmann::ordered_json& object) const {
  say(object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
}

void Console::warn(std::string_view sentence) const {
  tell(fmt::format("sinew: warning: {}\n", tamed(sentence)));
}

void Console::note(std::string_view sentence) const {
  if (!quiet) tell(fmt::format("sinew: {}\n", tamed(sentence)));
}

void Console::detail(std::string_view sentence) const {
  if (verbose) note(sentence);
}

Progress Console::progress() const {
  auto line = quiet ? nullptr : std::make_shared<ProgressLine>();
  return [line](const ProgressState& state) {
    if (line) line->show(state);
    return !interrupted();
  };
}

Progress Console::fileProgress() const {
  return [this, line = std::shared_ptr<ProgressLine>()](const ProgressState& state) mutable {
    constexpr double kQuick = 1;  // second
    if (!quiet && seconds() > kQuick) {
      if (!line) line = std::make_shared<ProgressLine>();
      line->show(state);
    }
    return !interrupted();
  };
}

std::string quotedWords(std::span<const std::string> words) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:,@+=%";
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

}  // namespace sinew::cli
