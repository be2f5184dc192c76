// The sentences that report a match.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sinew/character/correspondence.h"

namespace sinew::correspondence {

/// The sentence of a finished match. `tolerance` is in diagonals of the character.
std::string matchSentence(const MatchResult& match, Index sculptCount, double tolerance);

}  // namespace sinew::correspondence
