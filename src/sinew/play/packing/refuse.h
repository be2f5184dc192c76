// Refusals of this library: std::invalid_argument with a sentence that names the value and the rule.
#pragma once

#include <locale>
#include <sstream>
#include <stdexcept>

namespace sinew::play {

/// Throws "where: part part ..." unless the condition holds. The sentence is only built on failure.
template <class... Parts>
void require(bool condition, const char* where, const Parts&... parts) {
  if (condition) return;
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << where << ": ";
  (text << ... << parts);
  throw std::invalid_argument(text.str());
}

}  // namespace sinew::play
