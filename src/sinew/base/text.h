// Words for messages: the nearest name, the natural order of names.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sinew {

/// The candidate with the least edit distance (letter case counts half), or empty where none is near (more than half
/// its letters).
std::string nearestName(std::string_view wanted, std::span<const std::string> candidates);

/// Orders digit runs by value: "pose2" before "pose10". Ties by plain comparison, so it is a strict weak order.
bool naturalLess(std::string_view a, std::string_view b);

/// Words of strangers (names in files, paths) for a terminal: bytes that are no UTF-8 and characters that steer instead
/// of being seen (escape sequences, breaks, changes of direction) become '?'. `keepLines`: but for line breaks and
/// tabs.
std::string tamed(std::string_view text, bool keepLines = false);

/// At most `most` characters of UTF-8; what is too much gives way to "…", in the middle or, with `keepEnd`, at the
/// beginning.
std::string shortened(std::string_view text, std::size_t most, bool keepEnd = false);

}  // namespace sinew
