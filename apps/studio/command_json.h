// JSON of strangers.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace sinew::studio {

/// Discarded where it is no JSON, or where it nests so deep that copying or printing it would exhaust the stack.
nlohmann::json parseCommand(std::string_view text);

}  // namespace sinew::studio
