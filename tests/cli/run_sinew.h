// Runs the real command as a user would, and captures its output.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace sinew::test {

struct CommandResult {
  int exitCode = -1;
  std::string out;
  std::string err;

  /// stdout as exactly one JSON object; throws if it is not.
  [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(out); }
};

/// Arguments are passed as they are: spaces and UTF-8 need no quoting.
CommandResult runSinew(const std::vector<std::string>& arguments);

struct InterruptedResult : CommandResult {
  double seconds = 0;  ///< from the signal to the end of the process
};

/// Starts the command and sends it a signal `after` seconds after it has installed its handler.
InterruptedResult interruptSinew(const std::vector<std::string>& arguments, double after, int signal);

std::string readText(const std::filesystem::path& path);

}  // namespace sinew::test
