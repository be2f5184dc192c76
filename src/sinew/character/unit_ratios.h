// Units of length that tools confuse, by their ratio.
#pragma once

#include <span>
#include <string_view>

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

}  // namespace sinew
