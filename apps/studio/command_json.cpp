#include "studio/command_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sinew/base/text.h"

namespace sinew::studio {

std::string unknownFields(const nlohmann::json& args, std::span<const std::string_view> fields) {
  std::vector<std::string> unknown;
  for (const auto& [name, value] : args.items()) {
    if (std::find(fields.begin(), fields.end(), name) == fields.end()) unknown.push_back(name);
  }
  return quotedNames(unknown);
}

void refuseFields(std::string_view command, const std::string& what) {
  throw CommandFault("malformed", fmt::format("the command '{}' {}", command, what), "Reload the page.");
}

void requireWord(std::string_view command, std::string_view field, const std::string& word,
                 std::span<const std::string_view> words) {
  if (words.empty() || std::find(words.begin(), words.end(), word) != words.end()) return;
  refuseFields(command,
               fmt::format("has '{}' in the field '{}'; it must be {}", word, field, fmt::join(words, " or ")));
}

}  // namespace sinew::studio
