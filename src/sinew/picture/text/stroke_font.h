// The glyphs of the stroke font, as strokes over a baseline.
#pragma once

#include <vector>

#include "sinew/picture/canvas.h"

namespace sinew::picture {

/// Font units: the baseline is y = 0 (up is positive), small letters are kXHeight high and capitals kCapHeight.
inline constexpr double kXHeight = 7;
inline constexpr double kCapHeight = 10;
inline constexpr double kDescent = 3;
inline constexpr double kGlyphGap = 2.5;  ///< between the strokes of neighbours

struct Glyph {
  double width = 0;  ///< from the leftmost to the rightmost stroke
  std::vector<Polyline> strokes;
};

/// The glyph of a Unicode character: printable ASCII and the degree sign; an empty box for all others.
const Glyph& glyphOf(char32_t character);

}  // namespace sinew::picture
