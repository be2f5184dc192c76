// Charts for reports and docs: lines over numbers, bars over names, bars made of parts.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sinew/picture/image.h"

namespace sinew::picture {

struct ChartOptions {
  int width = 720;  ///< pixels, at least 160
  int height = 420;
  std::string title = {};
  std::string xLabel = {};
  std::string yLabel = {};
  bool logX = false;  ///< for lines only; all values must then be positive
  bool logY = false;
  std::optional<double> yLow = {};  ///< none: from the values; bars always start at 0 unless on a log axis
  std::optional<double> yHigh = {};
};

struct Line {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
  std::optional<Rgba> colour = {};  ///< none: the category colour of its index in the list
  bool markers = true;              ///< a disc at every value
  bool connected = true;            ///< false: markers only
};

/// Lines with axes, ticks at round numbers, a grid and, for more than one line, a legend. Throws for no values, lists
/// of different lengths, values that are not finite, and values a log axis cannot show.
Image lineChart(std::span<const Line> lines, const ChartOptions& options = {});

/// One colour of bars: a value for each name.
struct Bars {
  std::string name;
  std::vector<double> values;
  std::optional<Rgba> colour = {};
};

/// For each name a group with one bar of each series, its value written over it if there is space.
Image barChart(std::span<const std::string> names, std::span<const Bars> series, const ChartOptions& options = {});

/// For each name a stacked bar from left to right with the values of all series, and a note after it (default: their
/// sum). The height follows from the rows, not from options.height; options.xLabel is under the numbers. Values must
/// not be negative.
Image stackedBarChart(std::span<const std::string> names, std::span<const Bars> series,
                      std::span<const std::string> notes = {}, const ChartOptions& options = {});

}  // namespace sinew::picture
