#include "sinew/picture/legend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/picture/text.h"

namespace sinew::picture {
namespace {

constexpr int kBarWidth = 16;
constexpr int kTickLength = 5;
constexpr int kGap = 6;
constexpr int kEntryHeight = 20;
constexpr int kLegendSwatch = 12;
constexpr int kBorder = 12;               // around a legend beside or below a picture
constexpr double kMostOfTheImage = 0.45;  // for such a legend
constexpr Rgba kPanel{250, 250, 251};

const TextStyle kLegendTitle{.size = 13, .bold = true};
const TextStyle kLegendLabel{.size = 13};
const TextStyle kLegendNote{.size = 13, .colour = kPaleInk};

struct BarTicks {
  std::vector<double> at;
  std::vector<std::string> labels;
  double widest = 0;
};

BarTicks barTicks(const Legend& legend, int barLength) {
  BarTicks ticks;
  const ScalarScale& scale = legend.scale;
  ticks.at = niceTicks(scale.low, scale.high, std::clamp(barLength / 40, 2, 8));
  // The top is always named: it is what the darkest colour means.
  const double near = 1.5 * capHeight(kLegendLabel) / barLength * (scale.high - scale.low);
  const bool named = !ticks.at.empty() && scale.high - ticks.at.back() <= 1e-9 * (scale.high - scale.low);
  while (!named && !ticks.at.empty() && scale.high - ticks.at.back() < near) ticks.at.pop_back();
  ticks.labels = tickLabels(ticks.at);
  if (!named) {
    ticks.at.push_back(scale.high);
    ticks.labels.push_back(fmt::format("{:.3g}", scale.high));
  }
  if (legend.exceeded) ticks.labels.back() = "> " + ticks.labels.back();
  for (const std::string& label : ticks.labels) ticks.widest = std::max(ticks.widest, textWidth(label, kLegendLabel));
  return ticks;
}

int titleHeight(const Legend& legend) {
  return legend.title.empty() ? 0 : static_cast<int>(capHeight(kLegendTitle)) + 2 * kGap;
}

/// Half a label sticks out above and below the bar.
int labelOverhang() {
  return static_cast<int>(std::ceil(capHeight(kLegendLabel) / 2)) + 1;
}

void drawBar(Image& image, const Legend& legend, const Place& corner, int barLength) {
  const double x = corner.x();
  const double top = corner.y() + labelOverhang();
  const Colormap& map = colormap(legend.scale.colormap);
  for (int row = 0; row < barLength; ++row) {
    const Rgba colour = map.colour(1 - (row + 0.5) / barLength);
    fillRectangle(image, {x, top + row}, {x + kBarWidth, top + row + 1}, colour);
  }
  const BarTicks ticks = barTicks(legend, barLength);
  for (std::size_t i = 0; i < ticks.at.size(); ++i) {
    const double part = (ticks.at[i] - legend.scale.low) / (legend.scale.high - legend.scale.low);
    const double y = std::clamp(std::floor(top + (1 - part) * barLength), top, top + barLength - 1);
    fillRectangle(image, {x + kBarWidth, y}, {x + kBarWidth + kTickLength, y + 1}, kPaleInk);
    const double baseline = std::round(y + 0.5 + capHeight(kLegendLabel) / 2);
    drawText(image, ticks.labels[i], {x + kBarWidth + kTickLength + kGap, baseline}, kLegendLabel);
  }
}

constexpr int kBarBelow = 72;
int barBeside(int height) {
  return std::clamp(height * 3 / 10, 60, 240);
}

/// The legend with texts and as many entries as fit; a last one says how many more there are.
Legend cutTo(const Legend& legend, int barLength, int height, int width) {
  Legend cut = legend;
  cut.title = shortened(legend.title, width, kLegendTitle);
  for (std::string& note : cut.notes) note = shortened(note, width, kLegendNote);
  for (Legend::Entry& entry : cut.entries)
    entry.name = shortened(entry.name, width - kLegendSwatch - kGap, kLegendLabel);
  const int tooHigh = legendSize(legend, barLength).height - height;
  const int drop = tooHigh <= 0 ? 0 : (tooHigh + kEntryHeight - 1) / kEntryHeight + 1;
  const int keep = static_cast<int>(legend.entries.size()) - drop;
  if (drop == 0 || keep < 1) return cut;
  cut.entries.resize(toSize(keep));
  cut.entries.push_back({{0, 0, 0, 0}, fmt::format("and {} more", drop)});
  return cut;
}

}  // namespace

LegendSize legendSize(const Legend& legend, int barLength) {
  double width = textWidth(legend.title, kLegendTitle);
  int height = titleHeight(legend);
  if (legend.bar) {
    checkScale(legend.scale, "Legend");
    width = std::max(width, kBarWidth + kTickLength + kGap + barTicks(legend, barLength).widest);
    height += barLength + 2 * labelOverhang();
  }
  for (const std::string& note : legend.notes) {
    width = std::max(width, textWidth(note, kLegendNote));
    height += kEntryHeight;
  }
  for (const Legend::Entry& entry : legend.entries) {
    width = std::max(width, kLegendSwatch + kGap + textWidth(entry.name, kLegendLabel));
    height += kEntryHeight;
  }
  return {static_cast<int>(std::ceil(width)) + 1, height};
}

void drawLegend(Image& image, const Legend& legend, const Place& corner, int barLength) {
  Place at = corner;
  if (!legend.title.empty()) {
    drawText(image, legend.title, {at.x(), at.y() + std::ceil(capHeight(kLegendTitle))}, kLegendTitle);
    at.y() += titleHeight(legend);
  }
  if (legend.bar) {
    checkScale(legend.scale, "Legend");
    drawBar(image, legend, at, barLength);
    at.y() += barLength + 2 * labelOverhang();
  }
  for (const std::string& note : legend.notes) {
    drawText(image, note, {at.x(), std::round(at.y() + 0.5 * (kEntryHeight + capHeight(kLegendNote)))}, kLegendNote);
    at.y() += kEntryHeight;
  }
  for (const Legend::Entry& entry : legend.entries) {
    const double top = at.y() + 0.5 * (kEntryHeight - kLegendSwatch);
    fillRectangle(image, {at.x(), top}, {at.x() + kLegendSwatch, top + kLegendSwatch}, entry.colour);
    drawText(image, entry.name,
             {at.x() + kLegendSwatch + kGap, std::round(at.y() + 0.5 * (kEntryHeight + capHeight(kLegendLabel)))},
             kLegendLabel);
    at.y() += kEntryHeight;
  }
}

LegendLayout layOutLegend(const Legend& legend, int width, int height) {
  const int beside =
      std::min(legendSize(legend, barBeside(height)).width + 2 * kBorder, static_cast<int>(kMostOfTheImage * width));
  const int below =
      std::min(legendSize(legend, kBarBelow).height + 2 * kBorder, static_cast<int>(kMostOfTheImage * height));
  const bool goesBelow = static_cast<double>(below) / height < static_cast<double>(beside) / width;
  return goesBelow ? LegendLayout{width, height - below, true} : LegendLayout{width - beside, height, false};
}

Image withLegend(const Image& picture, const Legend& legend, int width, int height) {
  const LegendLayout layout = layOutLegend(legend, width, height);
  SINEW_CHECK(picture.width == layout.pictureWidth && picture.height == layout.pictureHeight, "withLegend",
              fmt::format("a picture of {} x {}; the layout asks for {} x {}", picture.width, picture.height,
                          layout.pictureWidth, layout.pictureHeight));
  Image image(width, height, kPanel);
  paste(image, picture, 0, 0);
  // A strip of its own, so that a legend that is too large is clipped at the picture.
  const int left = layout.below ? 0 : layout.pictureWidth;
  const int top = layout.below ? layout.pictureHeight : 0;
  if (width == left || height == top) return image;
  Image strip(width - left, height - top, kPanel);
  const int barLength = layout.below ? kBarBelow : barBeside(height);
  const Legend fitting = cutTo(legend, barLength, strip.height - 2 * kBorder, strip.width - 2 * kBorder);
  drawLegend(strip, fitting, {kBorder, kBorder}, barLength);
  paste(image, strip, left, top);
  return image;
}

}  // namespace sinew::picture
