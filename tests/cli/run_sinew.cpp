#include "run_sinew.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

#include "support/start_process.h"

namespace sinew::test {
namespace fs = std::filesystem;

std::string readText(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

namespace {

/// Whether a process has a handler for a signal, or has ended. Before that it is still loading and has written nothing.
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
  return startProcess({.words = words, .out = out, .err = err});
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
  // No process has a handler for SIGKILL: it is sent once the command handles Ctrl-C.
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

}  // namespace sinew::test
