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

}  // namespace sinew
