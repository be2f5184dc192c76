#include "sinew/io/files/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to the program

namespace sinew::files {
namespace {

class FileActions {
 public:
  explicit FileActions(const ChildStart& settings) {
    posix_spawn_file_actions_init(&actions_);
    // First: a pipe that has the number 0, 1 or 2 must not be covered by /dev/null.
    for (const auto& [here, there] : settings.inherited) posix_spawn_file_actions_adddup2(&actions_, here, there);
    if (!settings.isolated) return;
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
      posix_spawn_file_actions_addopen(&actions_, stream, "/dev/null", O_WRONLY, 0);
    const int last = settings.inherited.empty() ? STDERR_FILENO : settings.inherited.back().there;
    posix_spawn_file_actions_addclosefrom_np(&actions_, last + 1);
  }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

class Attributes {
 public:
  explicit Attributes(const ChildStart& settings) {
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setsigmask(&attributes_, &settings.blocked);
    posix_spawnattr_setsigdefault(&attributes_, &settings.restored);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

}  // namespace

sigset_t noSignals() {
  sigset_t set;
  sigemptyset(&set);
  return set;
}

sigset_t allSignals() {
  sigset_t set;
  sigfillset(&set);
  return set;
}

sigset_t onlySignals(std::initializer_list<int> signals) {
  sigset_t set = noSignals();
  for (const int signal : signals) sigaddset(&set, signal);
  return set;
}

ChildProcess::~ChildProcess() {
  if (running()) kill();
}

int ChildProcess::start(const ChildStart& settings) {
  std::vector<std::string> words = settings.words;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const FileActions actions(settings);
  const Attributes attributes(settings);
  const int failed = posix_spawn(&id_, arguments.front(), actions.get(), attributes.get(), arguments.data(), environ);
  if (failed != 0) id_ = -1;
  return failed;
}

bool ChildProcess::ended() const {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == id_;
}

int ChildProcess::wait() {
  int status = 0;
  while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) continue;
  id_ = -1;
  return status;
}

int ChildProcess::kill() {
  ::kill(id_, SIGKILL);
  return wait();
}

int ChildProcess::killGroup() {
  ::kill(-id_, SIGKILL);
  return wait();
}

}  // namespace sinew::files
