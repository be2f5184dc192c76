// Text in a stroke font of the project's own: no font file is needed, and any size is as sharp as pixels allow.
#pragma once

#include <string>
#include <string_view>

#include "sinew/picture/canvas.h"
#include "sinew/picture/image.h"

namespace sinew::picture {

inline constexpr Rgba kInk{44, 49, 59};
inline constexpr Rgba kPaleInk{104, 111, 124};

struct TextStyle {
  double size = 14;  ///< pixels from one line to the next would be about 1.3 of it; capitals are 0.7 of it high
  Rgba colour = kInk;
  bool bold = false;
};

enum class TextAlign { Left, Centre, Right };

/// Width in pixels, from the left edge of the first stroke to the right edge of the last.
double textWidth(std::string_view text, const TextStyle& style = {});

/// Height of capitals and digits in whole pixels.
double capHeight(const TextStyle& style = {});

/// `baseline.y` is the baseline; `baseline.x` the text's left, middle or right. Text is UTF-8: printable ASCII and the
/// degree sign are drawn, everything else as an empty box.
void drawText(Image& image, std::string_view text, const Place& baseline, const TextStyle& style = {},
              TextAlign align = TextAlign::Left);

/// As drawText, but reading upwards: for the axis of a chart. `baseline.y` is the text's middle.
void drawTextUpwards(Image& image, std::string_view text, const Place& baseline, const TextStyle& style = {});

/// The text, or as much of it as fits the width, followed by "...".
std::string shortened(std::string_view text, double width, const TextStyle& style = {});

}  // namespace sinew::picture
