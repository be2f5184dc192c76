// Completion scripts made from the commands' own declarations.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.h"
#include "command.h"

namespace sinew::cli {

struct CompletionEntry {
  const CommandRow* row = nullptr;
  const std::vector<ArgumentInfo>* arguments = nullptr;
};

/// `shell` is "bash" or "zsh".
std::string completionScript(std::string_view shell, std::span<const CompletionEntry> entries);

}  // namespace sinew::cli
