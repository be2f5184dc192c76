// The parent's side. The arguments of the child are its keyword, the parent's process number, the limits, and the file.
// The answer comes through a pipe at descriptor 3, because an importer may write to stdout: a keyword, a status byte, a
// length, and that many bytes.
#include "sinew/io/foreign.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <vector>

#include "sinew/base/check.h"
#include "sinew/io/assimp.h"
#include "sinew/io/files.h"
#include "sinew/io/files/child_process.h"
#include "sinew/io/files/descriptor.h"
#include "sinew/io/foreign/answer.h"
#include "sinew/io/foreign/character_bytes.h"

namespace sinew::foreign {
namespace {

namespace fs = std::filesystem;

constexpr double kMega = 1 << 20;
// Of files on two slow cores: 0.3 s and 60 MB for a small one; 0.2 s and 30 MB more for each megabyte of text.
constexpr double kSeconds = 5;
constexpr double kSecondsPerMega = 1;
constexpr double kMemoryMegas = 640;
constexpr double kMemoryPerByte = 80;
constexpr double kOutputMegas = 128;
constexpr double kOutputPerByte = 40;

constexpr const char* kRemedy = "export it again, preferably as .glb";

[[noreturn]] void refuseForeign(const fs::path& path, const std::string& what) {
  throw Error(ErrorCode::Unreadable, fmt::format("{}; {}", what, kRemedy), path.string());
}

/// Started by the constructor, ended by the destructor.
class ReadingProcess {
 public:
  ReadingProcess(const fs::path& path, const ReadOptions& options, const ForeignLimits& limits)
      : path_(path), limits_(limits) {
    auto [ours, theirs] = files::makePipe();
    files::ChildStart start;
    start.words = {options.rules.foreign.program.string(),
                   std::string(kForeignWord),
                   fmt::format("{}", ::getpid()),
                   fmt::format("{}", std::ceil(limits.seconds)),
                   fmt::format("{}", limits.memory),
                   fmt::format("{}", limits.output),
                   options.tolerant ? "tolerant" : "strict",
                   options.facesOptional ? "points" : "faces",
                   path.string()};
    start.inherited = {{theirs.get(), kAnswerDescriptor}};
    start.isolated = true;
    start.restored = files::allSignals();
    if (const int failed = child_.start(start); failed != 0) {
      throw Error(ErrorCode::Unreadable,
                  fmt::format("cannot be read: the program '{}', which reads this format, cannot be started ({})",
                              start.words.front(), std::strerror(failed)),
                  path.string());
    }
    fcntl(ours.get(), F_SETFL, O_NONBLOCK);
    answer_ = std::move(ours);
  }

  /// Its complete output. Throws if it takes too long or is too large, and if progress cancels.
  std::string answer(const Progress& progress) {
    using Clock = std::chrono::steady_clock;
    constexpr int kAskEvery = 50;  // milliseconds
    const auto deadline = Clock::now() + std::chrono::duration<double>(limits_.seconds);
    std::string bytes;
    while (true) {
      report(progress, {0.5, "reading"});
      if (Clock::now() > deadline) {
        refuseForeign(
            path_, fmt::format("could not be read within {:.3g} seconds; it is damaged or too large", limits_.seconds));
      }
      pollfd watched{answer_.get(), POLLIN, 0};
      if (::poll(&watched, 1, kAskEvery) <= 0) continue;
      if (!read(bytes)) return bytes;
      if (bytes.size() > limits_.output + kAnswerHeader) refuseOutput();
    }
  }

  [[noreturn]] void refuseOutput() const {
    refuseForeign(path_, fmt::format("expands to more than {:.0f} MB; it is damaged",
                                     static_cast<double>(limits_.output) / kMega));
  }
  [[noreturn]] void refuseMemory() const {
    refuseForeign(path_, fmt::format("needs more than {:.0f} MB of memory to read; it is damaged or too large",
                                     static_cast<double>(limits_.memory) / kMega));
  }

  /// The reason for a missing answer.
  [[noreturn]] void refuseEnded() {
    const int status = child_.wait();
    if (!WIFSIGNALED(status)) {
      refuseForeign(path_, fmt::format("cannot be read: the importer ended without a result (exit code {})",
                                       WEXITSTATUS(status)));
    }
    const int signal = WTERMSIG(status);
    if (signal == SIGKILL) refuseForeign(path_, "cannot be read: the system ended the importer, probably for memory");
    if (signal == SIGXCPU) {
      refuseForeign(
          path_, fmt::format("could not be read within {:.3g} seconds; it is damaged or too large", limits_.seconds));
    }
    refuseForeign(path_, fmt::format("makes the importer crash (signal {}); it is damaged", signal));
  }

 private:
  /// Some more bytes; false at the end.
  bool read(std::string& bytes) {
    constexpr std::size_t kBlock = 1 << 20;
    const std::size_t size = bytes.size();
    bytes.resize(size + kBlock);
    const ssize_t came = ::read(answer_.get(), bytes.data() + size, kBlock);
    bytes.resize(size + toSize(std::max<ssize_t>(came, 0)));
    if (came < 0 && errno != EAGAIN && errno != EINTR)
      refuseForeign(path_, fmt::format("cannot be read: the importer does not answer ({})", std::strerror(errno)));
    return came != 0;
  }

  const fs::path& path_;
  ForeignLimits limits_;
  files::ChildProcess child_;
  files::Descriptor answer_;
};

CharacterFile characterOf(const fs::path& path, std::string_view answer, ReadingProcess& process) {
  const std::optional<ForeignAnswer> heard = parseAnswer(answer);
  if (!heard) process.refuseEnded();
  switch (heard->outcome) {
    case ForeignOutcome::Refused:
      throw Error(ErrorCode::Unreadable, std::string(heard->content), path.string());
    case ForeignOutcome::NoMemory:
      process.refuseMemory();
    case ForeignOutcome::TooLarge:
      process.refuseOutput();
    case ForeignOutcome::Read:
      break;
  }
  try {
    return characterFromBytes(heard->content);
  } catch (const Error& error) {
    refuseForeign(path, fmt::format("cannot be read: the importer returned an invalid result ({})", error.message()));
  }
}

}  // namespace
}  // namespace sinew::foreign

namespace sinew {

ForeignLimits foreignLimits(std::uintmax_t fileBytes, const ForeignRules& rules) {
  const auto bytes = static_cast<double>(fileBytes);
  ForeignLimits limits;
  limits.seconds =
      rules.seconds > 0 ? rules.seconds : foreign::kSeconds + foreign::kSecondsPerMega * bytes / foreign::kMega;
  limits.memory = static_cast<std::uint64_t>(rules.megabytes > 0 ? foreign::kMega * static_cast<double>(rules.megabytes)
                                                                 : foreign::kMega * foreign::kMemoryMegas +
                                                                       foreign::kMemoryPerByte * bytes);
  limits.output = static_cast<std::uint64_t>(foreign::kMega * foreign::kOutputMegas + foreign::kOutputPerByte * bytes);
  return limits;
}

CharacterFile readForeign(const std::filesystem::path& path, const ReadOptions& options) {
  const std::uintmax_t bytes = checkPlainFile(path);
  const ForeignRules& rules = options.rules.foreign;
  if (rules.inProcess) return readAssimp(path, options);
  if (rules.program.empty()) {
    throw Error(ErrorCode::Unreadable,
                "has a format that needs a separate importer process, but this program sets none; convert it to .glb "
                "with `sinew convert`",
                path.string());
  }
  foreign::ReadingProcess process(path, options, foreignLimits(bytes, rules));
  const std::string answer = process.answer(options.progress);
  return foreign::characterOf(path, answer, process);
}

}  // namespace sinew
