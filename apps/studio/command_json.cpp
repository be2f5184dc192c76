#include "command_json.h"

#include "sinew/base/error.h"
#include "sinew/io/nesting.h"

namespace sinew::studio {
namespace {

/// The page's own commands nest three or four levels.
constexpr NestingLimits kCommands{.depth = 32};

}  // namespace

nlohmann::json parseCommand(std::string_view text) {
  try {
    checkNesting(text, Notation::Json, "", kCommands);
  } catch (const Error&) {
    return {nlohmann::json::value_t::discarded};
  }
  return nlohmann::json::parse(text, nullptr, false);
}

}  // namespace sinew::studio
