#include "run_sinew.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

namespace sinew::test {
namespace fs = std::filesystem;

std::string readText(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

namespace {

/// Whether a process has a handler for a signal, or is over. Before that it is being loaded and has written nothing.
bool catches(pid_t process, int signal) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("State:") && line.find('Z') != std::string::npos) return true;
    if (!line.starts_with("SigCgt:")) continue;
    return (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1) != 0;
  }
  return true;
}

pid_t startSinew(const std::vector<std::string>& arguments, const std::string& out, const std::string& err) {
  std::vector<std::string> words{SINEW_COMMAND};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);
  // Test runners in the background may have SIGINT ignored, which would be inherited.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGINT);
  sigaddset(&usual, SIGTERM);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int fault = posix_spawn(&child, SINEW_COMMAND, &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (fault != 0) throw std::runtime_error("cannot start " SINEW_COMMAND);
  return child;
}

int codeOf(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

CommandResult runSinew(const std::vector<std::string>& arguments) {
  const TemporaryFolder folder;
  const std::string out = folder.file("out");
  const std::string err = folder.file("err");
  const pid_t child = startSinew(arguments, out, err);
  int status = 0;
  waitpid(child, &status, 0);
  return {codeOf(status), readText(out), readText(err)};
}

InterruptedResult interruptSinew(const std::vector<std::string>& arguments, double after, int signal) {
  using Clock = std::chrono::steady_clock;
  const TemporaryFolder folder;
  const std::string out = folder.file("out");
  const std::string err = folder.file("err");
  const pid_t child = startSinew(arguments, out, err);
  // No process has a handler for SIGKILL: it is sent when the command would hear Ctrl-C.
  while (!catches(child, signal == SIGKILL ? SIGINT : signal))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::duration<double>(after));
  const auto sent = Clock::now();
  kill(child, signal);
  int status = 0;
  waitpid(child, &status, 0);
  const double seconds = std::chrono::duration<double>(Clock::now() - sent).count();
  return {{codeOf(status), readText(out), readText(err)}, seconds};
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "sinew test XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& content) const {
  std::ofstream(path_ / name, std::ios::binary) << content;
  return file(name);
}

std::vector<std::string> TemporaryFolder::names() const {
  std::vector<std::string> all;
  for (const auto& entry : fs::directory_iterator(path_)) all.push_back(entry.path().filename().string());
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace sinew::test
