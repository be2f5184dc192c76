#include "sinew/picture/legend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/picture/text.h"

namespace sinew::picture {
namespace {

constexpr int kBarWidth = 16;
constexpr int kTickLength = 5;
constexpr int kGap = 6;
constexpr int kEntryHeight = 20;
constexpr int kSwatch = 12;
constexpr Rgba kPanel{255, 255, 255, 205};

const TextStyle kTitle{.size = 13, .bold = true};
const TextStyle kLabel{.size = 13};

struct BarTicks {
  std::vector<double> at;
  std::vector<std::string> labels;
  double widest = 0;
};

BarTicks barTicks(const Legend& legend, int barLength) {
  BarTicks ticks;
  ticks.at = niceTicks(legend.scale.low, legend.scale.high, std::clamp(barLength / 40, 2, 8));
  ticks.labels = tickLabels(ticks.at);
  for (const std::string& label : ticks.labels) ticks.widest = std::max(ticks.widest, textWidth(label, kLabel));
  return ticks;
}

int titleHeight(const Legend& legend) {
  return legend.title.empty() ? 0 : static_cast<int>(capHeight(kTitle)) + 2 * kGap;
}

/// Half a label sticks out above and below the bar.
int labelOverhang() {
  return static_cast<int>(std::ceil(capHeight(kLabel) / 2)) + 1;
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
    const double baseline = std::round(y + 0.5 + capHeight(kLabel) / 2);
    drawText(image, ticks.labels[i], {x + kBarWidth + kTickLength + kGap, baseline}, kLabel);
  }
}

/// The legend with as many entries as fit the height; a last one tells how many more there are.
Legend cutTo(const Legend& legend, int barLength, int height) {
  const int tooHigh = legendSize(legend, barLength).height - height;
  const int drop = tooHigh <= 0 ? 0 : (tooHigh + kEntryHeight - 1) / kEntryHeight + 1;
  const int keep = static_cast<int>(legend.entries.size()) - drop;
  if (drop == 0 || keep < 1) return legend;
  Legend cut = legend;
  cut.entries.resize(static_cast<std::size_t>(keep));
  cut.entries.push_back({{0, 0, 0, 0}, fmt::format("and {} more", drop)});
  return cut;
}

}  // namespace

LegendSize legendSize(const Legend& legend, int barLength) {
  double width = textWidth(legend.title, kTitle);
  int height = titleHeight(legend);
  if (legend.bar) {
    checkScale(legend.scale, "Legend");
    width = std::max(width, kBarWidth + kTickLength + kGap + barTicks(legend, barLength).widest);
    height += barLength + 2 * labelOverhang();
  }
  for (const Legend::Entry& entry : legend.entries) {
    width = std::max(width, kSwatch + kGap + textWidth(entry.name, kLabel));
    height += kEntryHeight;
  }
  return {static_cast<int>(std::ceil(width)) + 1, height};
}

void drawLegend(Image& image, const Legend& legend, const Place& corner, int barLength) {
  Place at = corner;
  if (!legend.title.empty()) {
    drawText(image, legend.title, {at.x(), at.y() + std::ceil(capHeight(kTitle))}, kTitle);
    at.y() += titleHeight(legend);
  }
  if (legend.bar) {
    checkScale(legend.scale, "Legend");
    drawBar(image, legend, at, barLength);
    at.y() += barLength + 2 * labelOverhang();
  }
  for (const Legend::Entry& entry : legend.entries) {
    const double top = at.y() + 0.5 * (kEntryHeight - kSwatch);
    fillRectangle(image, {at.x(), top}, {at.x() + kSwatch, top + kSwatch}, entry.colour);
    drawText(image, entry.name,
             {at.x() + kSwatch + kGap, std::round(at.y() + 0.5 * (kEntryHeight + capHeight(kLabel)))}, kLabel);
    at.y() += kEntryHeight;
  }
}

void addLegend(Image& image, const Legend& legend) {
  constexpr int kBorder = 12;
  const int barLength = std::clamp(image.height * 3 / 10, 60, 240);
  const Legend fitting = cutTo(legend, barLength, image.height - 2 * kBorder);
  const LegendSize size = legendSize(fitting, barLength);
  const Place corner(std::max(0, image.width - size.width - 2 * kBorder),
                     std::max(0, image.height - size.height - 2 * kBorder));
  const Place inner = corner + Place::Constant(kBorder);
  constexpr double kPanelBorder = kBorder / 3.0;
  const Place panel = corner + Place::Constant(kPanelBorder);
  fillRectangle(image, panel, {image.width - kPanelBorder, image.height - kPanelBorder}, kPanel);
  drawLegend(image, fitting, inner, barLength);
}

}  // namespace sinew::picture
