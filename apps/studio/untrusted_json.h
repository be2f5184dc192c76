// Untrusted JSON: commands of a page, and the studio's own files, which may have been damaged since.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

namespace sinew::studio {

/// Levels of nesting that are read. The page's commands have three or four, the studio's own files less than ten; much
/// deeper ones would exhaust the stack when they are copied or printed.
inline constexpr std::size_t kDeepestJson = 32;

/// A command of a page. Discarded (is_discarded()) if it is not JSON, nests deeper, or has more members than an
/// untrusted file may have.
nlohmann::json parseCommand(std::string_view text);

/// For what the studio wrote itself: of any size. Discarded if it is not JSON, or nests deeper.
nlohmann::json keptFromText(std::string_view text);
nlohmann::json keptFromCbor(std::span<const std::uint8_t> bytes);

}  // namespace sinew::studio
