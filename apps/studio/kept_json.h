// What the studio kept on disk, read again: JSON and CBOR that may have been damaged since.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

namespace sinew::studio {

/// Levels of nesting that are read; the studio's own files have less than ten.
inline constexpr std::size_t kDeepestKept = 32;

/// Discarded (is_discarded()) where it is none, or nests deeper.
nlohmann::json keptFromText(std::string_view text);
nlohmann::json keptFromCbor(std::span<const std::uint8_t> bytes);

}  // namespace sinew::studio
