// Words for messages: the nearest name, the natural order of names.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace sinew {

/// The candidate with the least edit distance (letter case counts half), or empty if none is near: half of the letters
/// differ, and `wanted` is not a part of it. Two exchanged neighbours are one edit.
std::string nearestName(std::string_view wanted, std::span<const std::string> candidates);

/// Number of things with the right word: "1 joint", "2 joints".
std::string counted(std::size_t number, std::string_view one, std::string_view many);

/// The first names in quotes, and how many more there are: "'a', 'b' and 3 more".
std::string quotedNames(std::span<const std::string> names);

/// Orders digit runs by value: "pose2" before "pose10". Ties by plain comparison, so it is a strict weak order.
bool naturalLess(std::string_view a, std::string_view b);

/// Untrusted text (names in files, paths) made safe for a terminal: bytes that are not UTF-8 and control characters
/// (escape sequences, line breaks, changes of direction) become '?'. `keepLines` keeps line breaks and tabs.
std::string tamed(std::string_view text, bool keepLines = false);

/// At most `most` characters of UTF-8; the excess is replaced by "…", in the middle or, with `keepEnd`, at the
/// beginning.
std::string shortened(std::string_view text, std::size_t most, bool keepEnd = false);

}  // namespace sinew
