// The child's side: it fetters itself before it looks at the file, so that nothing the importer does reaches further.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <new>

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/io/assimp.h"
#include "sinew/io/foreign.h"
#include "sinew/io/foreign/answer.h"
#include "sinew/io/foreign/character_bytes.h"

namespace sinew::foreign {
namespace {

// The tools that look for faults in memory reserve far more addresses than there is memory.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMayLimitMemory = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kMayLimitMemory = false;
#else
constexpr bool kMayLimitMemory = true;
#endif
#else
constexpr bool kMayLimitMemory = true;
#endif

constexpr int kWrongWords = 64;
constexpr int kUnheard = 65;
constexpr int kOrphan = 66;

bool numberIn(std::string_view word, std::uint64_t& number) {
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), number);
  return fault == std::errc() && end == word.data() + word.size();
}

void limit(__rlimit_resource what, std::uint64_t most) {
  const rlimit both{most, most};
  ::setrlimit(what, &both);
}

/// False if the parent has already ended.
bool fetter(std::uint64_t parent, std::uint64_t seconds, std::uint64_t memory) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (static_cast<std::uint64_t>(::getppid()) != parent) return false;
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);  // it has nothing to write
  limit(RLIMIT_CPU, seconds + 1);
  if (kMayLimitMemory) limit(RLIMIT_AS, memory);
  return true;
}

bool say(ForeignOutcome outcome, std::string_view content) {
  const auto write = [](std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t wrote = ::write(kAnswerDescriptor, bytes.data(), bytes.size());
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote <= 0) return false;
      bytes.remove_prefix(toSize(wrote));
    }
    return true;
  };
  return write(answerHeader(outcome, content.size())) && write(content);
}

}  // namespace
}  // namespace sinew::foreign

namespace sinew {

std::optional<int> runForeignReader(int argc, const char* const* argv) {
  if (argc < 2 || argv[1] != foreign::kForeignWord) return std::nullopt;
  std::uint64_t parent = 0;
  std::uint64_t seconds = 0;
  std::uint64_t memory = 0;
  std::uint64_t output = 0;
  if (argc != 9 || !foreign::numberIn(argv[2], parent) || !foreign::numberIn(argv[3], seconds) ||
      !foreign::numberIn(argv[4], memory) || !foreign::numberIn(argv[5], output)) {
    return foreign::kWrongWords;
  }
  if (!foreign::fetter(parent, seconds, memory)) return foreign::kOrphan;
  const ThreadLimit alone(1);  // each thread would reserve addresses
  ReadOptions options;
  options.tolerant = argv[6] == std::string_view("tolerant");
  options.facesOptional = argv[7] == std::string_view("points");
  bool heard = false;
  try {
    const std::string bytes = foreign::characterToBytes(readAssimp(argv[8], options));
    heard = bytes.size() > output ? foreign::say(foreign::ForeignOutcome::TooLarge, "")
                                  : foreign::say(foreign::ForeignOutcome::Read, bytes);
  } catch (const Error& error) {
    heard = foreign::say(foreign::ForeignOutcome::Refused, error.message());
  } catch (const std::bad_alloc&) {
    heard = foreign::say(foreign::ForeignOutcome::NoMemory, "");
  }
  // The other side need not wait for what the program does at its end, on a heap that an importer may have spoiled.
  ::close(foreign::kAnswerDescriptor);
  return heard ? 0 : foreign::kUnheard;
}

}  // namespace sinew
