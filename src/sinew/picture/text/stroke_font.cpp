// Each glyph is a line of strokes:
//   M x y                  begins a stroke          L x y   a straight line
//   Q cx cy x y            a quadratic curve        D x y   a dot
//   A cx cy rx ry a0 a1    an arc from angle a0 to a1 in degrees (rising angles turn anticlockwise), joined to the
//                          stroke before it, if one is open
//   |                      ends a stroke
#include "sinew/picture/text/stroke_font.h"

#include <array>
#include <cmath>
#include <numbers>
#include <sstream>
#include <string>
#include <string_view>

namespace sinew::picture {
namespace {

struct GlyphRow {
  char32_t character;
  double width;
  std::string_view strokes;
};

constexpr std::array<GlyphRow, 97> kGlyphs{{
    {U' ', 2.2, ""},
    {U'!', 0, "M 0 10 L 0 3.2 | D 0 0.2"},
    {U'"', 2.4, "M 0 10 L 0 7 | M 2.4 10 L 2.4 7"},
    {U'#', 6.6, "M 2.4 10 L 1 0 | M 5.6 10 L 4.2 0 | M 0.4 6.6 L 6.6 6.6 | M 0 3.4 L 6.2 3.4"},
    {U'$', 5.6, "A 2.8 7 2.5 1.9 25 270 A 2.8 2.95 2.8 2.15 90 -155 | M 2.8 10.4 L 2.8 -0.8"},
    {U'%', 8.2, "A 1.8 7.9 1.8 2.1 0 360 | A 6.4 2.1 1.8 2.1 0 360 | M 6.8 10 L 1.4 0"},
    {U'&', 7.2,
     "M 7.2 4.4 Q 6.4 0 3 0 A 2.6 2.5 2.6 2.5 270 120 L 3.8 6.6 Q 4.7 7.3 4.7 8.2 A 3.05 8.3 1.65 1.7 0 195 "
     "Q 1.7 6.6 7.2 0"},
    {U'\'', 0, "M 0 10 L 0 7"},
    {U'(', 2.2, "M 2.2 11 Q -2.2 4.6 2.2 -1.8"},
    {U')', 2.2, "M 0 11 Q 4.4 4.6 0 -1.8"},
    {U'*', 4.4, "M 2.2 10 L 2.2 5.2 | M 0.1 8.8 L 4.3 6.4 | M 4.3 8.8 L 0.1 6.4"},
    {U'+', 5.6, "M 2.8 7 L 2.8 1.4 | M 0 4.2 L 5.6 4.2"},
    {U',', 0.8, "M 0.8 0.5 Q 0.8 -1.2 0 -2"},
    {U'-', 3.2, "M 0 4 L 3.2 4"},
    {U'.', 0, "D 0 0.2"},
    {U'/', 4, "M 4 10.6 L 0 -1"},
    {U'0', 5.6, "A 2.8 5 2.8 5 0 360"},
    {U'1', 5.6, "M 0.9 8 L 3.2 10 L 3.2 0"},
    {U'2', 5.6, "A 2.8 7.2 2.6 2.8 165 -38 L 0.1 0 L 5.6 0"},
    {U'3', 5.6, "A 2.7 7.6 2.4 2.4 150 -90 A 2.7 2.6 2.9 2.6 90 -152 | M 1.7 5.2 L 2.7 5.2"},
    {U'4', 5.6, "M 4.3 0 L 4.3 10 L 0 2.9 L 5.8 2.9"},
    {U'5', 5.6, "M 5.1 10 L 1.1 10 L 0.74 5.65 A 2.6 3.2 2.9 3.2 130 -150"},
    {U'6', 5.6, "A 2.8 3.1 2.8 3.1 0 360 | M 4.5 10 Q 0 7.4 0 3.1"},
    {U'7', 5.6, "M 0 10 L 5.6 10 L 1.8 0"},
    {U'8', 5.6, "A 2.8 7.6 2.4 2.4 0 360 | A 2.8 2.6 2.8 2.6 0 360"},
    {U'9', 5.6, "A 2.8 6.9 2.8 3.1 0 360 | M 1.1 0 Q 5.6 2.6 5.6 6.9"},
    {U':', 0, "D 0 6 | D 0 0.4"},
    {U';', 0.8, "D 0.6 6 | M 0.8 0.5 Q 0.8 -1.2 0 -2"},
    {U'<', 5, "M 5 7 L 0 4.1 L 5 1.2"},
    {U'=', 5.6, "M 0 5.6 L 5.6 5.6 | M 0 2.8 L 5.6 2.8"},
    {U'>', 5, "M 0 7 L 5 4.1 L 0 1.2"},
    {U'?', 4.8, "A 2.4 7.6 2.4 2.4 165 -40 Q 2.3 4.8 2.3 3.2 | D 2.3 0.2"},
    {U'@', 9, "A 4.7 3.9 1.9 2.3 0 360 | M 6.6 6.2 L 6.6 3 A 7.8 3 1.2 1.3 180 360 L 9 4 A 4.5 4.2 4.5 5.4 0 300"},
    {U'A', 7.2, "M 0 0 L 3.6 10 L 7.2 0 | M 1.25 3.4 L 5.95 3.4"},
    {U'B', 6,
     "M 0 0 L 0 10 L 3.2 10 A 3.2 7.65 2.4 2.35 90 -90 L 0 5.3 | M 3.2 5.3 A 3.3 2.65 2.7 2.65 90 -90 L 0 0 "
     "L 0 5.3"},
    {U'C', 6.6, "A 3.9 5 3.9 5 46 314"},
    {U'D', 6.8, "M 0 0 L 0 10 L 2.3 10 A 2.3 5 4.5 5 90 -90 L 0 0 L 0 1"},
    {U'E', 5.2, "M 5.2 10 L 0 10 L 0 0 L 5.2 0 | M 0 5.2 L 4.6 5.2"},
    {U'F', 5.2, "M 5.2 10 L 0 10 L 0 0 | M 0 5.1 L 4.6 5.1"},
    {U'G', 7.4, "A 3.9 5 3.9 5 46 354.5 L 4.4 4.5"},
    {U'H', 6.8, "M 0 0 L 0 10 | M 6.8 0 L 6.8 10 | M 0 5.2 L 6.8 5.2"},
    {U'I', 0, "M 0 0 L 0 10"},
    {U'J', 4.4, "M 4.4 10 L 4.4 2.6 A 2.2 2.6 2.2 2.6 0 -170"},
    {U'K', 6.4, "M 0 0 L 0 10 | M 6 10 L 0 3.6 | M 2.1 5.8 L 6.4 0"},
    {U'L', 5, "M 0 10 L 0 0 L 5 0"},
    {U'M', 8.2, "M 0 0 L 0 10 L 4.1 2.8 L 8.2 10 L 8.2 0"},
    {U'N', 7, "M 0 0 L 0 10 L 7 0 L 7 10"},
    {U'O', 8, "A 4 5 4 5 0 360"},
    {U'P', 5.8, "M 0 0 L 0 10 L 3.1 10 A 3.1 7.25 2.7 2.75 90 -90 L 0 4.5"},
    {U'Q', 8, "A 4 5 4 5 0 360 | M 4.8 2.6 L 7.8 -0.9"},
    {U'R', 6.2, "M 0 0 L 0 10 L 3.1 10 A 3.1 7.25 2.7 2.75 90 -90 L 0 4.5 | M 3 4.5 L 6.2 0"},
    {U'S', 6, "A 3 7.6 2.75 2.4 28 270 A 3 2.6 3 2.6 90 -152"},
    {U'T', 7, "M 0 10 L 7 10 | M 3.5 10 L 3.5 0"},
    {U'U', 6.8, "M 0 10 L 0 3.4 A 3.4 3.4 3.4 3.4 180 360 L 6.8 10"},
    {U'V', 7, "M 0 10 L 3.5 0 L 7 10"},
    {U'W', 10, "M 0 10 L 2.5 0 L 5 9 L 7.5 0 L 10 10"},
    {U'X', 6.6, "M 0.2 10 L 6.6 0 | M 6.4 10 L 0 0"},
    {U'Y', 6.8, "M 0 10 L 3.4 4.8 L 6.8 10 | M 3.4 4.8 L 3.4 0"},
    {U'Z', 6.2, "M 0.2 10 L 6 10 L 0 0 L 6.2 0"},
    {U'[', 2, "M 2 11 L 0 11 L 0 -1.8 L 2 -1.8"},
    {U'\\', 4, "M 0 10.6 L 4 -1"},
    {U']', 2, "M 0 11 L 2 11 L 2 -1.8 L 0 -1.8"},
    {U'^', 4.6, "M 0 6.6 L 2.3 10 L 4.6 6.6"},
    {U'_', 5.6, "M 0 -1.6 L 5.6 -1.6"},
    {U'`', 1.6, "M 0 10.4 L 1.6 8.6"},
    {U'a', 4.8, "A 2.5 4.9 2.3 2.1 150 0 L 4.8 0 | M 4.8 4.1 L 2.1 4.1 A 2.1 2.05 2.1 2.05 90 270 Q 4.1 0 4.8 1.9"},
    {U'b', 5.4, "M 0 10 L 0 0 | A 2.7 3.5 2.7 3.5 0 360"},
    {U'c', 4.8, "A 2.8 3.5 2.8 3.5 46 314"},
    {U'd', 5.4, "M 5.4 10 L 5.4 0 | A 2.7 3.5 2.7 3.5 0 360"},
    {U'e', 5.4, "M 0 3.7 L 5.4 3.7 A 2.7 3.5 2.7 3.5 3 316"},
    {U'f', 3.6, "M 3.6 9.9 Q 1.4 10.5 1.4 7.8 L 1.4 0 | M 0 7 L 3.2 7"},
    {U'g', 5.4, "A 2.7 3.5 2.7 3.5 0 360 | M 5.4 7 L 5.4 -0.5 A 2.7 -0.5 2.7 2.5 0 -150"},
    {U'h', 5, "M 0 0 L 0 10 | M 0 4.4 A 2.5 4.4 2.5 2.6 180 0 L 5 0"},
    {U'i', 0, "M 0 0 L 0 7 | D 0 9.6"},
    {U'j', 1.8, "M 1.8 7 L 1.8 -1.2 Q 1.8 -3 0 -3 | D 1.8 9.6"},
    {U'k', 4.8, "M 0 0 L 0 10 | M 4.5 7 L 0 2.6 | M 1.6 4.1 L 4.8 0"},
    {U'l', 1.2, "M 0 10 L 0 1.4 Q 0 0 1.3 0"},
    {U'm', 8, "M 0 0 L 0 7 | M 0 4.7 A 2 4.7 2 2.3 180 0 L 4 0 | M 4 4.7 A 6 4.7 2 2.3 180 0 L 8 0"},
    {U'n', 5, "M 0 0 L 0 7 | M 0 4.4 A 2.5 4.4 2.5 2.6 180 0 L 5 0"},
    {U'o', 5.6, "A 2.8 3.5 2.8 3.5 0 360"},
    {U'p', 5.4, "M 0 7 L 0 -3 | A 2.7 3.5 2.7 3.5 0 360"},
    {U'q', 5.4, "M 5.4 7 L 5.4 -3 | A 2.7 3.5 2.7 3.5 0 360"},
    {U'r', 3.2, "M 0 0 L 0 7 | M 0 4.2 Q 0.5 7 3.2 6.9"},
    {U's', 4.6, "A 2.3 5.3 2.05 1.7 25 270 A 2.3 1.8 2.3 1.8 90 -155"},
    {U't', 3.4, "M 1.3 9.2 L 1.3 1.8 Q 1.3 0 3.4 0.1 | M 0 7 L 3.2 7"},
    {U'u', 5, "M 0 7 L 0 2.6 A 2.5 2.6 2.5 2.6 180 360 | M 5 7 L 5 0"},
    {U'v', 5.2, "M 0 7 L 2.6 0 L 5.2 7"},
    {U'w', 7.6, "M 0 7 L 1.9 0 L 3.8 6.2 L 5.7 0 L 7.6 7"},
    {U'x', 5, "M 0.1 7 L 5 0 | M 4.9 7 L 0 0"},
    {U'y', 5.2, "M 0 7 L 2.6 0.2 | M 5.2 7 L 2.2 -1.4 Q 1.6 -3 0.2 -3"},
    {U'z', 4.6, "M 0.2 7 L 4.5 7 L 0 0 L 4.6 0"},
    {U'{', 2.6, "M 2.6 11 Q 1.2 11 1.2 9.4 L 1.2 6 Q 1.2 4.6 0 4.6 Q 1.2 4.6 1.2 3.2 L 1.2 -0.2 Q 1.2 -1.8 2.6 -1.8"},
    {U'|', 0, "M 0 11 L 0 -1.8"},
    {U'}', 2.6, "M 0 11 Q 1.4 11 1.4 9.4 L 1.4 6 Q 1.4 4.6 2.6 4.6 Q 1.4 4.6 1.4 3.2 L 1.4 -0.2 Q 1.4 -1.8 0 -1.8"},
    {U'~', 5.6, "M 0 3.4 Q 1.4 6 2.8 4.2 Q 4.2 2.4 5.6 5"},
    {U'\u00b0', 3, "A 1.5 8.5 1.5 1.5 0 360"},
    {U'\0', 5, "M 0 0 L 5 0 L 5 9 L 0 9 L 0 0"},  // the box for everything else
}};

/// Reads the little language above.
class GlyphReader {
 public:
  explicit GlyphReader(std::string_view strokes) : in_(std::string(strokes)) {}

  std::vector<Polyline> read() {
    std::string command;
    while (in_ >> command) {
      switch (command[0]) {
        case 'M':
        case 'D':
          close();
          stroke_.push_back(place());
          break;
        case 'L':
          stroke_.push_back(place());
          break;
        case 'Q':
          curve();
          break;
        case 'A':
          arc();
          break;
        default:
          close();
      }
    }
    close();
    return std::move(strokes_);
  }

 private:
  double number() {
    double value = 0;
    in_ >> value;
    return value;
  }
  Place place() {
    const double x = number();
    return {x, number()};
  }
  void close() {
    if (!stroke_.empty()) strokes_.push_back(std::move(stroke_));
    stroke_.clear();
  }
  void curve() {
    const Place from = stroke_.back();
    const Place control = place();
    const Place to = place();
    constexpr int kSteps = 10;
    for (int i = 1; i <= kSteps; ++i) {
      const double t = static_cast<double>(i) / kSteps;
      stroke_.emplace_back((1 - t) * (1 - t) * from + 2 * t * (1 - t) * control + t * t * to);
    }
  }
  void arc() {
    const Place centre = place();
    const Place radii = place();
    const double from = number() * std::numbers::pi / 180;
    const double to = number() * std::numbers::pi / 180;
    const int steps = static_cast<int>(std::ceil(std::abs(to - from) / 0.2));
    for (int i = 0; i <= steps; ++i) {
      const double angle = from + (to - from) * i / steps;
      stroke_.emplace_back(centre.x() + radii.x() * std::cos(angle), centre.y() + radii.y() * std::sin(angle));
    }
  }

  std::istringstream in_;
  Polyline stroke_;
  std::vector<Polyline> strokes_;
};

std::vector<Glyph> readFont() {
  std::vector<Glyph> font;
  font.reserve(kGlyphs.size());
  for (const GlyphRow& row : kGlyphs) font.push_back({row.width, GlyphReader(row.strokes).read()});
  return font;
}

}  // namespace

const Glyph& glyphOf(char32_t character) {
  static const std::vector<Glyph> kFont = readFont();
  // The rows are in the order of ASCII, then the degree sign, then the box.
  if (character >= U' ' && character <= U'~') return kFont[character - U' '];
  return character == U'\u00b0' ? kFont[kFont.size() - 2] : kFont.back();
}

}  // namespace sinew::picture
