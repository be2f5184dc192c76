// The sentences that report a match. Internal to character/correspondence.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sinew/character/correspondence.h"

namespace sinew {

/// A ratio of two units of length, and its name.
struct UnitRatio {
  double ratio;
  std::string_view words;  ///< "centimetres to metres"
};

/// The known ratio within 0.5 % of `scale`, or null.
const UnitRatio* knownUnitRatio(double scale);

/// All of them.
std::span<const UnitRatio> unitRatios();

/// The sentence of a finished match. `tolerance` is in diagonals of the character.
std::string matchSentence(const MatchResult& match, Index sculptCount, double tolerance);

}  // namespace sinew
