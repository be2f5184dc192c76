// Other programs, started by tests.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace sinew::test {

struct ProcessStart {
  std::vector<std::string> words;  ///< the path of the program, and its arguments
  /// Files that get its output; created, or emptied. Empty: the stream of this process.
  std::filesystem::path out = "/dev/null";
  std::filesystem::path err = "/dev/null";
  /// NAME=VALUE; empty: the environment of this process.
  std::vector<std::string> environment = {};
};

/// The environment of this process with some variables set.
std::vector<std::string> environmentWith(const std::map<std::string, std::string>& variables);

/// Standard input is empty. SIGINT and SIGTERM end it, which test runners in the background may have ignored. Throws if
/// it cannot be started.
pid_t startProcess(const ProcessStart& start);

}  // namespace sinew::test
