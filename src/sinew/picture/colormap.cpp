#include "sinew/picture/colormap.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "sinew/base/check.h"
#include "sinew/base/text.h"

namespace sinew::picture {
namespace {

struct Knot {
  double at;
  double chroma;
  double hue;  ///< degrees
};

/// Lightness runs straight from first to last; chroma and hue go through the knots, straight in Oklab's a and b.
template <std::size_t N>
Rgba ramp(double value, double first, double last, const std::array<Knot, N>& knots) {
  const double t = std::clamp(value, 0.0, 1.0);
  std::size_t k = 1;
  while (k + 1 < N && t > knots[k].at) ++k;
  const Knot& p = knots[k - 1];
  const Knot& q = knots[k];
  const double s = std::clamp((t - p.at) / (q.at - p.at), 0.0, 1.0);
  const auto radians = [](double degrees) { return degrees * std::numbers::pi / 180; };
  const double a = (1 - s) * p.chroma * std::cos(radians(p.hue)) + s * q.chroma * std::cos(radians(q.hue));
  const double b = (1 - s) * p.chroma * std::sin(radians(p.hue)) + s * q.chroma * std::sin(radians(q.hue));
  return perceptualColour((1 - t) * first + t * last, std::hypot(a, b), std::atan2(b, a) * 180 / std::numbers::pi);
}

Rgba heat(double value) {
  // Nothing wrong is pale clay, so that shading still shows the form; the worst is a deep wine red.
  static constexpr std::array<Knot, 6> kKnots{
      {{0, 0.01, 95}, {0.12, 0.13, 98}, {0.35, 0.16, 70}, {0.58, 0.19, 42}, {0.78, 0.18, 22}, {1, 0.13, 345}}};
  return ramp(value, 0.94, 0.32, kKnots);
}

Rgba ember(double value) {
  static constexpr std::array<Knot, 6> kKnots{
      {{0, 0.05, 285}, {0.2, 0.13, 300}, {0.45, 0.19, 5}, {0.68, 0.19, 40}, {0.85, 0.16, 75}, {1, 0.10, 105}}};
  return ramp(value, 0.18, 0.96, kKnots);
}

Rgba weight(double value) {
  static constexpr std::array<Knot, 6> kKnots{
      {{0, 0.11, 285}, {0.25, 0.12, 250}, {0.45, 0.11, 205}, {0.65, 0.15, 155}, {0.84, 0.19, 122}, {1, 0.17, 102}}};
  return ramp(value, 0.34, 0.93, kKnots);
}

Rgba diverging(double value) {
  static constexpr std::array<Knot, 4> kCold{{{0, 0, 240}, {0.4, 0.09, 238}, {0.75, 0.15, 250}, {1, 0.14, 265}}};
  static constexpr std::array<Knot, 4> kWarm{{{0, 0, 60}, {0.4, 0.11, 46}, {0.75, 0.18, 30}, {1, 0.15, 18}}};
  const double side = 2 * std::clamp(value, 0.0, 1.0) - 1;
  return side < 0 ? ramp(-side, 0.94, 0.38, kCold) : ramp(side, 0.94, 0.38, kWarm);
}

Rgba grey(double value) {
  static constexpr std::array<Knot, 2> kKnots{{{0, 0, 0}, {1, 0, 0}}};
  return ramp(value, 0.15, 0.97, kKnots);
}

constexpr std::array<Colormap, 5> kColormaps{{
    {"heat", "errors: pale for none, then yellow, red and dark red", heat},
    {"ember", "errors on dark backgrounds: from dark blue over red to pale yellow", ember},
    {"diverging", "signed values: blue below the middle, red above", diverging},
    {"weight", "weights from 0 (blue) to 1 (yellow)", weight},
    {"grey", "from dark to light", grey},
}};

/// The largest 1, 2, 2.5 or 5 times a power of ten that is not above the step.
double roundStep(double step) {
  const double power = std::pow(10.0, std::floor(std::log10(step)));
  const double ratio = step / power;
  for (const double nice : {10.0, 5.0, 2.5, 2.0}) {
    if (ratio >= nice * (1 - 1e-9)) return nice * power;
  }
  return power;
}

/// Decimals that distinguish the value from its neighbours: as many as restore it to within 1e-6.
int decimalsOf(double value) {
  for (int decimals = 0; decimals < 6; ++decimals) {
    const double scaled = value * std::pow(10.0, decimals);
    if (std::abs(scaled - std::round(scaled)) <= 1e-6 * std::max(1.0, std::abs(scaled))) return decimals;
  }
  return 6;
}

}  // namespace

std::span<const Colormap> colormaps() {
  return kColormaps;
}

const Colormap& colormap(std::string_view name) {
  std::vector<std::string> names;
  for (const Colormap& row : kColormaps) {
    if (row.name == name) return row;
    names.emplace_back(row.name);
  }
  const std::string nearest = nearestName(name, names);
  throw Error(ErrorCode::NotFound,
              nearest.empty() ? fmt::format("unknown colormap '{}'; the choices are {}", name, fmt::join(names, ", "))
                              : fmt::format("unknown colormap '{}'; did you mean '{}'?", name, nearest),
              "colormap");
}

void checkScale(const ScalarScale& scale, const char* where) {
  SINEW_CHECK(
      std::isfinite(scale.low) && std::isfinite(scale.high) && scale.low < scale.high, where,
      fmt::format("a colour scale from {} to {}; the limits must be finite and in order", scale.low, scale.high));
  static_cast<void>(colormap(scale.colormap));
}

Rgba scalarColour(const ScalarScale& scale, double value) {
  checkScale(scale, "scalarColour");
  return colormap(scale.colormap).colour((value - scale.low) / (scale.high - scale.low));
}

ScalarScale scaleOf(std::span<const double> values, std::string colormap, bool startAtZero) {
  ScalarScale scale;
  scale.colormap = std::move(colormap);
  if (values.empty()) return scale;
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  SINEW_CHECK(std::isfinite(*least) && std::isfinite(*greatest), "scaleOf", "a value of the scale is not finite");
  scale.low = startAtZero ? std::min(0.0, *least) : *least;
  scale.high = startAtZero ? std::max(0.0, *greatest) : *greatest;
  const double range = scale.high - scale.low;
  if (range <= 1e-12 * std::max(std::abs(scale.low), std::abs(scale.high)) || range < 1e-300) {
    scale.high = scale.low + (scale.low == 0 ? 1 : std::abs(scale.low));
    return scale;
  }
  const double step = roundStep(range / 10);
  scale.low = step * std::floor(scale.low / step + 1e-9);
  scale.high = step * std::ceil(scale.high / step - 1e-9);
  return scale;
}

ScalarScale errorScale(std::span<const double> distances, double diagonal) {
  std::vector<double> values(distances.begin(), distances.end());
  if (diagonal > 0) values.push_back(kErrorFloor * diagonal);
  return scaleOf(values, "heat", true);
}

std::vector<double> niceTicks(double low, double high, int count) {
  SINEW_CHECK(std::isfinite(low) && std::isfinite(high) && low < high && count >= 1, "niceTicks",
              fmt::format("{} ticks from {} to {}; the limits must be finite and in order", count, low, high));
  // Of the round steps, the one whose number of ticks is nearest to the requested one.
  const double ideal = (high - low) / count;
  double step = roundStep(ideal);
  const double coarser = roundStep(2.5 * step);
  const auto ticksOf = [&](double s) { return std::floor(high / s + 1e-9) - std::ceil(low / s - 1e-9) + 1; };
  if (std::abs(ticksOf(coarser) - count) < std::abs(ticksOf(step) - count)) step = coarser;
  std::vector<double> ticks;
  const double first = std::ceil(low / step - 1e-9);
  const double last = std::floor(high / step + 1e-9);
  for (double i = first; i <= last && ticks.size() < 1000; ++i) ticks.push_back(i == 0 ? 0 : i * step);
  return ticks;
}

std::vector<std::string> tickLabels(std::span<const double> ticks) {
  double largest = 0;
  for (const double tick : ticks) largest = std::max(largest, std::abs(tick));
  double smallestStep = largest;
  for (std::size_t i = 1; i < ticks.size(); ++i)
    smallestStep = std::min(smallestStep, std::abs(ticks[i] - ticks[i - 1]));
  const bool powers = largest >= 1e6 || (largest > 0 && smallestStep < 1e-4);
  int decimals = 0;
  for (const double tick : ticks) decimals = std::max(decimals, decimalsOf(tick));
  std::vector<std::string> labels;
  for (const double tick : ticks) {
    labels.push_back(powers ? fmt::format("{:.3g}", tick) : fmt::format("{:.{}f}", tick, decimals));
  }
  return labels;
}

Rgba categoryColour(int category) {
  if (category < 0) return perceptualColour(0.75, 0, 0);
  // Hues a golden angle apart stay different for long; three levels of lightness separate those that come close.
  static constexpr std::array<double, 3> kLightness{0.70, 0.56, 0.83};
  static constexpr std::array<double, 3> kChroma{0.15, 0.14, 0.12};
  const double hue = std::fmod(250 + 137.50776405 * category, 360.0);
  const auto row = toSize(category) % 3;
  return perceptualColour(kLightness[row], kChroma[row], hue);
}

}  // namespace sinew::picture
