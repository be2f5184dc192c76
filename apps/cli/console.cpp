#include "console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "interrupts.h"
#include "sinew/base/text.h"
#include "streams.h"

namespace sinew::cli {

/// Draws a bar in place, or a line per tenth.
class ProgressLine {
 public:
  ProgressLine() : terminal_(isatty(STDERR_FILENO) != 0) {}

  void show(double fraction, std::string_view stage) {
    // Steps that are done twice, or that are measured again, do not take back what was shown.
    const int percent = std::max(percent_, static_cast<int>(100 * std::clamp(fraction, 0.0, 1.0)));
    if (terminal_) {
      if (drawn_ && percent == percent_ && stage == stage_) return;
      const std::string filled(toSize(percent) * 30 / 100, '#');
      tell(fmt::format("\r\033[K[{:<30}] {:3d} % {}", filled, percent, stage));
      drawn_ = true;
    } else if (stage != stage_ || percent / 10 != percent_ / 10) {
      tell(fmt::format("{:3d} % {}\n", percent, stage));
    }
    percent_ = percent;
    stage_ = stage;
  }

  void clear() {
    if (drawn_.exchange(false)) tell("\r\033[K");
  }

 private:
  bool terminal_;
  std::atomic<bool> drawn_ = false;  // the thread that waits for interrupts clears it too
  int percent_ = -1;
  std::string stage_;
};

Console::Console() : begin_(std::chrono::steady_clock::now()), line_(std::make_unique<ProgressLine>()) {}
Console::~Console() = default;

double Console::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void Console::result(const std::string& text, nlohmann::ordered_json object) const {
  outputs_->commit();
  clearProgress();
  if (!json) {
    say(tamed(text, true));
    return;
  }
  object["warnings"] = warnings_;
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
  clearProgress();
  tell(fmt::format("sinew: {}\n", tamed(sentence)));
  missed_ = sentence;
  return LimitMissed;
}

void Console::print(const nlohmann::ordered_json& object) const {
  say(object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
}

void Console::warn(const std::string& sentence) const {
  if (std::find(warnings_.begin(), warnings_.end(), sentence) != warnings_.end()) return;
  warnings_.push_back(sentence);
  clearProgress();
  tell(fmt::format("sinew: warning: {}\n", tamed(sentence)));
}

void Console::warn(std::span<const std::string> sentences) const {
  for (const std::string& sentence : sentences) warn(sentence);
}

void Console::note(std::string_view sentence) const {
  if (quiet) return;
  clearProgress();
  tell(fmt::format("sinew: {}\n", tamed(sentence)));
}

void Console::detail(std::string_view sentence) const {
  if (verbose) note(sentence);
}

void Console::clearProgress() const {
  line_->clear();
}

Progress Console::progress(double from, double to) const {
  return [this, from, to](const ProgressState& state) {
    if (!quiet) line_->show(from + (to - from) * std::clamp(state.fraction, 0.0, 1.0), state.stage);
    return !interrupted();
  };
}

Progress Console::fileProgress(double from, double to) const {
  return [this, from, to](const ProgressState& state) {
    constexpr double kQuick = 1;  // second
    if (!quiet && seconds() > kQuick)
      line_->show(from + (to - from) * std::clamp(state.fraction, 0.0, 1.0), state.stage);
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
