#include "fault_injection.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace {

enum Call { Write, Fsync, Fdatasync, Close, Rename, Link, Unlink, Ftruncate, Open, Mkdir, Malloc, CallCount };
constexpr std::array<const char*, CallCount> kNames{"write",  "fsync",     "fdatasync", "close", "rename", "link",
                                                    "unlink", "ftruncate", "open",      "mkdir", "malloc"};

enum How { Errno, Short, KillBefore, KillAfter };
struct HowRow {
  const char* name;
  How how;
  int code;
};
constexpr HowRow kHows[] = {
    {"ENOSPC", Errno, ENOSPC}, {"EIO", Errno, EIO},       {"EDQUOT", Errno, EDQUOT},   {"EACCES", Errno, EACCES},
    {"EINTR", Errno, EINTR},   {"ENOMEM", Errno, ENOMEM}, {"EROFS", Errno, EROFS},     {"EXDEV", Errno, EXDEV},
    {"short", Short, 0},       {"kill", KillBefore, 0},   {"killafter", KillAfter, 0},
};

struct Rule {
  Call call = Write;
  std::size_t from = 0;
  bool onwards = false;
  const HowRow* how = nullptr;
};

constexpr std::size_t kMostRules = 16;
constexpr std::size_t kMostPath = 4096;

// Plain memory without constructors: calls come before and after those run.
std::array<Rule, kMostRules> rules;
std::size_t ruleCount = 0;
std::array<char, kMostPath> pathPart;
std::array<char, kMostPath> whilePath;
std::array<std::atomic<std::size_t>, CallCount> counts;
std::atomic<std::size_t> made;
std::atomic<bool> active;
std::atomic<bool> skipSync;

bool takeRule(char* text, Rule& rule) {
  char* state = nullptr;
  const char* call = strtok_r(text, ":", &state);
  const char* number = strtok_r(nullptr, ":", &state);
  const char* how = strtok_r(nullptr, ":", &state);
  if (call == nullptr || number == nullptr || how == nullptr) return false;
  const auto name =
      std::find_if(kNames.begin(), kNames.end(), [&](const char* one) { return !std::strcmp(one, call); });
  const auto* row =
      std::find_if(std::begin(kHows), std::end(kHows), [&](const HowRow& one) { return !std::strcmp(one.name, how); });
  char* end = nullptr;
  rule.from = std::strtoul(number, &end, 10);
  rule.onwards = *end == '+';
  if (name == kNames.end() || row == std::end(kHows) || rule.from == 0) return false;
  rule.call = static_cast<Call>(name - kNames.begin());
  rule.how = row;
  return true;
}

bool contains(const char* path) {
  return pathPart[0] == '\0'
             ? path[0] == '/' && std::strncmp(path, "/dev/", 5) != 0 && std::strncmp(path, "/proc/", 6) != 0
             : std::strstr(path, pathPart.data()) != nullptr;
}

bool isCounted(const char* path) {
  return path != nullptr && (pathPart[0] == '\0' || contains(path));
}

bool isCounted(int descriptor) {
  char link[64];
  char path[kMostPath];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  if (length <= 0) return false;
  path[length] = '\0';
  return path[0] == '/' && contains(path);
}

bool onDuty() {
  return active.load(std::memory_order_relaxed) &&
         (whilePath[0] == '\0' || syscall(SYS_faccessat, AT_FDCWD, whilePath.data(), F_OK) == 0);
}

/// The fault to inject into this call, or null. Counts the call.
const HowRow* verdict(Call call) {
  const int kept = errno;
  const std::size_t number = counts[call].fetch_add(1) + 1;
  const HowRow* found = nullptr;
  for (std::size_t i = 0; i < ruleCount && found == nullptr; ++i) {
    const Rule& rule = rules[i];
    if (rule.call == call && (number == rule.from || (rule.onwards && number > rule.from))) found = rule.how;
  }
  if (found != nullptr) made.fetch_add(1);
  if (found != nullptr && found->how == KillBefore) syscall(SYS_kill, getpid(), SIGKILL);
  errno = found != nullptr && found->how == Errno ? found->code : kept;
  return found;
}

bool fails(const HowRow* how) {
  return how != nullptr && how->how == Errno;
}

template <class Result>
Result after(const HowRow* how, Result result) {
  if (how != nullptr && how->how == KillAfter) syscall(SYS_kill, getpid(), SIGKILL);
  return result;
}

template <class Function>
Function* next(Function*& known, const char* name) {
  if (known == nullptr) known = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  return known;
}

/// For calls that take a descriptor.
const HowRow* verdictOf(Call call, int descriptor) {
  const int kept = errno;
  const bool mine = onDuty() && isCounted(descriptor);
  errno = kept;
  return mine ? verdict(call) : nullptr;
}

const HowRow* verdictOf(Call call, const char* path) {
  const int kept = errno;
  const bool mine = onDuty() && isCounted(path);
  errno = kept;
  return mine ? verdict(call) : nullptr;
}

__attribute__((constructor)) void readEnvironment() {
  if (std::getenv("SINEW_FAULTS_SKIP_SYNC") != nullptr) skipSync = true;
  const char* plan = std::getenv("SINEW_FAULTS");
  if (plan == nullptr) return;
  if (const char* file = std::getenv("SINEW_FAULTS_WHILE")) std::snprintf(whilePath.data(), kMostPath, "%s", file);
  if (sinewFaultsBegin(plan, std::getenv("SINEW_FAULTS_PATH")) == 0) {
    std::fprintf(stderr, "SINEW_FAULTS cannot be read: %s\n", plan);
    std::abort();
  }
}

__attribute__((destructor)) void report() {
  const char* path = std::getenv("SINEW_FAULTS_REPORT");
  if (path == nullptr || !active.exchange(false)) return;
  std::FILE* file = std::fopen(path, "w");
  if (file == nullptr) return;
  for (std::size_t i = 0; i < CallCount; ++i) std::fprintf(file, "%s %zu\n", kNames[i], counts[i].load());
  std::fprintf(file, "made %zu\n", made.load());
  std::fclose(file);
}

}  // namespace

extern "C" {

int sinewFaultsBegin(const char* plan, const char* path) {
  active = false;
  ruleCount = 0;
  for (auto& count : counts) count = 0;
  made = 0;
  std::snprintf(pathPart.data(), kMostPath, "%s", path == nullptr ? "" : path);
  char text[1024];
  std::snprintf(text, sizeof text, "%s", plan);
  char* state = nullptr;
  for (char* rule = strtok_r(text, ",", &state); rule != nullptr; rule = strtok_r(nullptr, ",", &state)) {
    if (ruleCount == kMostRules || !takeRule(rule, rules[ruleCount])) return 0;
    ++ruleCount;
  }
  active = true;
  return 1;
}

void sinewFaultsSkipSync(int skip) {
  skipSync = skip != 0;
}

void sinewFaultsEnd() {
  active = false;
}

std::size_t sinewFaultsCount(const char* call) {
  if (std::strcmp(call, "made") == 0) return made;
  for (std::size_t i = 0; i < CallCount; ++i) {
    if (std::strcmp(call, kNames[i]) == 0) return counts[i];
  }
  return 0;
}

// The calls. NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)

ssize_t write(int descriptor, const void* bytes, size_t count) {
  static ssize_t (*real)(int, const void*, size_t);
  const HowRow* how = verdictOf(Write, descriptor);
  if (fails(how)) return -1;
  if (how != nullptr && how->how == Short) count = (count + 1) / 2;
  return after(how, next(real, "write")(descriptor, bytes, count));
}

ssize_t pwrite(int descriptor, const void* bytes, size_t count, off_t at) {
  static ssize_t (*real)(int, const void*, size_t, off_t);
  const HowRow* how = verdictOf(Write, descriptor);
  if (fails(how)) return -1;
  if (how != nullptr && how->how == Short) count = (count + 1) / 2;
  return after(how, next(real, "pwrite")(descriptor, bytes, count, at));
}

ssize_t pwrite64(int descriptor, const void* bytes, size_t count, off64_t at) {
  return pwrite(descriptor, bytes, count, at);
}

ssize_t writev(int descriptor, const iovec* parts, int count) {
  static ssize_t (*real)(int, const iovec*, int);
  const HowRow* how = verdictOf(Write, descriptor);
  if (fails(how)) return -1;
  if (how != nullptr && how->how == Short) count = (count + 1) / 2;
  return after(how, next(real, "writev")(descriptor, parts, count));
}

int fsync(int descriptor) {
  static int (*real)(int);
  const HowRow* how = verdictOf(Fsync, descriptor);
  return fails(how) ? -1 : after(how, skipSync ? 0 : next(real, "fsync")(descriptor));
}

int fdatasync(int descriptor) {
  static int (*real)(int);
  const HowRow* how = verdictOf(Fdatasync, descriptor);
  return fails(how) ? -1 : after(how, skipSync ? 0 : next(real, "fdatasync")(descriptor));
}

int close(int descriptor) {
  static int (*real)(int);
  const HowRow* how = verdictOf(Close, descriptor);
  const int wanted = errno;
  const int result = next(real, "close")(descriptor);
  if (fails(how)) {
    errno = wanted;
    return -1;
  }
  return after(how, result);
}

int rename(const char* from, const char* to) noexcept {
  static int (*real)(const char*, const char*);
  const HowRow* how = verdictOf(Rename, isCounted(from) ? from : to);
  return fails(how) ? -1 : after(how, next(real, "rename")(from, to));
}

int link(const char* from, const char* to) noexcept {
  static int (*real)(const char*, const char*);
  const HowRow* how = verdictOf(Link, isCounted(from) ? from : to);
  return fails(how) ? -1 : after(how, next(real, "link")(from, to));
}

int unlink(const char* path) noexcept {
  static int (*real)(const char*);
  const HowRow* how = verdictOf(Unlink, path);
  return fails(how) ? -1 : after(how, next(real, "unlink")(path));
}

int ftruncate(int descriptor, off_t length) noexcept {
  static int (*real)(int, off_t);
  const HowRow* how = verdictOf(Ftruncate, descriptor);
  return fails(how) ? -1 : after(how, next(real, "ftruncate")(descriptor, length));
}

int ftruncate64(int descriptor, off64_t length) noexcept {
  return ftruncate(descriptor, length);
}

int mkdir(const char* path, mode_t mode) noexcept {
  static int (*real)(const char*, mode_t);
  const HowRow* how = verdictOf(Mkdir, path);
  return fails(how) ? -1 : after(how, next(real, "mkdir")(path, mode));
}

int open(const char* path, int flags, ...) {
  static int (*real)(const char*, int, ...);
  std::va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(more, int)) : 0;
  va_end(more);
  const HowRow* how = (flags & O_ACCMODE) == O_RDONLY ? nullptr : verdictOf(Open, path);
  return fails(how) ? -1 : after(how, next(real, "open")(path, flags, mode));
}

int open64(const char* path, int flags, ...) {
  std::va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(more, int)) : 0;
  va_end(more);
  return open(path, flags, mode);
}

int mkstemps(char* name, int suffix) {
  static int (*real)(char*, int);
  const HowRow* how = verdictOf(Open, name);
  return fails(how) ? -1 : after(how, next(real, "mkstemps")(name, suffix));
}

int mkostemps(char* name, int suffix, int flags) {
  static int (*real)(char*, int, int);
  const HowRow* how = verdictOf(Open, name);
  return fails(how) ? -1 : after(how, next(real, "mkostemps")(name, suffix, flags));
}

std::FILE* fopen(const char* path, const char* mode) {
  static std::FILE* (*real)(const char*, const char*);
  const HowRow* how = std::strpbrk(mode, "wa+") == nullptr ? nullptr : verdictOf(Open, path);
  return fails(how) ? nullptr : after(how, next(real, "fopen")(path, mode));
}

std::FILE* fopen64(const char* path, const char* mode) {
  return fopen(path, mode);
}

// Memory. Sanitizers bring their own functions, which then precede these. The names are those of the C library.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t number, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

static const HowRow* memoryVerdict() {
  return onDuty() ? verdict(Malloc) : nullptr;
}

void* malloc(size_t size) {
  return fails(memoryVerdict()) ? nullptr : __libc_malloc(size);
}

void* calloc(size_t number, size_t size) {
  return fails(memoryVerdict()) ? nullptr : __libc_calloc(number, size);
}

void* realloc(void* memory, size_t size) {
  return fails(memoryVerdict()) ? nullptr : __libc_realloc(memory, size);
}

void* memalign(size_t alignment, size_t size) {
  return fails(memoryVerdict()) ? nullptr : __libc_memalign(alignment, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}

int posix_memalign(void** memory, size_t alignment, size_t size) {
  *memory = memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}

// NOLINTEND(readability-inconsistent-declaration-parameter-name)

}  // extern "C"

namespace sinew::test {

Faults::Faults(const std::string& plan, const std::string& path) {
  if (sinewFaultsBegin(plan.c_str(), path.c_str()) == 0) throw std::invalid_argument("no plan of faults: " + plan);
}

}  // namespace sinew::test
