// Numbers and categories as colours.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/picture/image.h"

namespace sinew::picture {

/// A colour map of 0 to 1. Lightness is uniform (Oklab), so that equal steps look equal and order is preserved in grey.
struct Colormap {
  std::string_view name;
  std::string_view purpose;      ///< one line for help texts
  Rgba (*colour)(double value);  ///< values outside 0 to 1 are clamped
};

/// All of them: `heat` (errors), `ember` (errors, on dark), `diverging` (signed), `weight` (0 to 1), `grey`.
std::span<const Colormap> colormaps();

/// Throws NotFound with the nearest name.
const Colormap& colormap(std::string_view name);

/// Which number has which colour.
struct ScalarScale {
  double low = 0;
  double high = 1;
  std::string colormap = "heat";
};

/// Throws on an unknown colormap or limits that are not finite or not in order.
void checkScale(const ScalarScale& scale, const char* where);

/// The colour of a value; outside the limits, that of the nearer limit.
Rgba scalarColour(const ScalarScale& scale, double value);

/// From the least to the greatest value, rounded outwards to round numbers; 0 to 1 for no values. `startAtZero` keeps
/// the scale of distances and errors honest.
ScalarScale scaleOf(std::span<const double> values, std::string colormap = "heat", bool startAtZero = true);

/// The least top of an error scale, as a part of the diagonal: what is exact but for rounding is pale, not red.
inline constexpr double kErrorFloor = 1e-3;

/// The scale of distances: from 0 to a round number that no value exceeds, and never less than kErrorFloor of the
/// diagonal.
ScalarScale errorScale(std::span<const double> distances, double diagonal);

/// About `count` round numbers (1, 2, 2.5 or 5 times a power of ten) within the limits, in order.
std::vector<double> niceTicks(double low, double high, int count);

/// The numbers as short texts of the same number of decimals; very large and very small ones as 2e-05.
std::vector<std::string> tickLabels(std::span<const double> ticks);

/// Colours for controls, joints and other labels: any two of the first dozen are easy to distinguish. Negative: grey.
Rgba categoryColour(int category);

}  // namespace sinew::picture
