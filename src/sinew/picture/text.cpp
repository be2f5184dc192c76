#include "sinew/picture/text.h"

#include <algorithm>
#include <cmath>

#include "sinew/picture/text/stroke_font.h"

namespace sinew::picture {
namespace {

/// Characters of UTF-8; an invalid byte counts as one unknown character.
std::vector<char32_t> characters(std::string_view text) {
  std::vector<char32_t> result;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80 ? 1 : (lead >= 0xf0 ? 4 : (lead >= 0xe0 ? 3 : (lead >= 0xc0 ? 2 : 1)));
    char32_t value = length == 1 ? lead : lead & (0x7fU >> length);
    std::size_t used = 1;
    while (used < length && i + used < text.size() && (static_cast<unsigned char>(text[i + used]) & 0xc0U) == 0x80U) {
      value = (value << 6U) | (static_cast<unsigned char>(text[i + used]) & 0x3fU);
      ++used;
    }
    result.push_back(used == length && !(length == 1 && lead >= 0x80) ? value : U'\ufffd');
    i += used;
  }
  return result;
}

double unitOf(const TextStyle& style) {
  return 0.7 * style.size / kCapHeight;
}

double strokeWidth(const TextStyle& style) {
  return std::max(0.9, (style.bold ? 0.135 : 0.088) * style.size);
}

/// Heights that letters share fall on whole pixels, so that small text is sharp; between them heights are stretched.
double hintedHeight(double y, double unit) {
  const double cap = std::round(kCapHeight * unit);
  const double x = std::round(kXHeight * unit);
  if (y <= 0) return y * unit;
  if (y <= kXHeight) return y * x / kXHeight;
  return x + (y - kXHeight) * (cap - x) / (kCapHeight - kXHeight);
}

/// The strokes with the text's left edge at x = 0 and the baseline at y = 0, y down.
std::vector<Polyline> layOut(std::string_view text, const TextStyle& style) {
  const double unit = unitOf(style);
  const double border = 0.5 * strokeWidth(style);
  std::vector<Polyline> lines;
  double x = border;
  for (const char32_t c : characters(text)) {
    const Glyph& glyph = glyphOf(c);
    for (const Polyline& stroke : glyph.strokes) {
      Polyline& line = lines.emplace_back();
      for (const Place& p : stroke) line.emplace_back(x + unit * p.x(), -border - hintedHeight(p.y(), unit));
    }
    x += unit * (glyph.width + kGlyphGap);
  }
  return lines;
}

}  // namespace

double textWidth(std::string_view text, const TextStyle& style) {
  double units = 0;
  const std::vector<char32_t> all = characters(text);
  for (const char32_t c : all) units += glyphOf(c).width + kGlyphGap;
  return all.empty() ? 0 : unitOf(style) * (units - kGlyphGap) + strokeWidth(style);
}

double capHeight(const TextStyle& style) {
  return std::round(kCapHeight * unitOf(style)) + strokeWidth(style);
}

void drawText(Image& image, std::string_view text, const Place& baseline, const TextStyle& style, TextAlign align) {
  const double width = textWidth(text, style);
  const double shift = align == TextAlign::Left ? 0 : (align == TextAlign::Right ? width : width / 2);
  const Place origin(std::round(baseline.x() - shift), std::round(baseline.y()));
  std::vector<Polyline> lines = layOut(text, style);
  for (Polyline& line : lines) {
    for (Place& p : line) p += origin;
  }
  drawLines(image, lines, strokeWidth(style), style.colour);
}

void drawTextUpwards(Image& image, std::string_view text, const Place& baseline, const TextStyle& style) {
  const double width = textWidth(text, style);
  const Place origin(std::round(baseline.x()), std::round(baseline.y() + width / 2));
  std::vector<Polyline> lines = layOut(text, style);
  for (Polyline& line : lines) {
    for (Place& p : line) p = origin + Place(p.y(), -p.x());
  }
  drawLines(image, lines, strokeWidth(style), style.colour);
}

std::string shortened(std::string_view text, double width, const TextStyle& style) {
  if (textWidth(text, style) <= width) return std::string(text);
  std::size_t keep = text.size();
  while (keep > 0) {
    --keep;
    // Not in the middle of a UTF-8 character.
    if ((static_cast<unsigned char>(text[keep]) & 0xc0U) == 0x80U) continue;
    std::string candidate = std::string(text.substr(0, keep)) + "...";
    if (textWidth(candidate, style) <= width) return candidate;
  }
  return {};
}

}  // namespace sinew::picture
