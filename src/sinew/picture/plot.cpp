#include "sinew/picture/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/base/check.h"
#include "sinew/picture/canvas.h"
#include "sinew/picture/colormap.h"
#include "sinew/picture/legend.h"
#include "sinew/picture/text.h"

namespace sinew::picture {
namespace {

constexpr Rgba kPlotPaper{255, 255, 255};
constexpr Rgba kPlotGrid{228, 231, 236};
constexpr double kTickGap = 6;

const TextStyle kPlotTitle{.size = 17, .bold = true};
const TextStyle kAxis{.size = 13};
const TextStyle kTick{.size = 12, .colour = kPaleInk};

/// Numbers along one side of the chart.
struct Axis {
  double low = 0;
  double high = 1;
  bool log = false;

  [[nodiscard]] double part(double value) const {
    return log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  }
  [[nodiscard]] std::vector<double> ticks(int count) const {
    if (!log) return niceTicks(low, high, count);
    std::vector<double> powers;
    const double decades = std::log10(high / low);
    const double step = std::max(1.0, std::ceil(decades / (count + 1)));
    for (double e = std::ceil(std::log10(low) - 1e-9); e <= std::log10(high) + 1e-9; e += step) {
      powers.push_back(std::pow(10.0, e));
    }
    // With fewer than two powers of ten the ends are labelled too.
    return powers.size() >= 2 ? powers : std::vector<double>{low, high};
  }
};

/// Covers the values with round ends; `limit...` override.
Axis axisFor(std::span<const double> values, bool log, std::optional<double> limitLow,
             std::optional<double> limitHigh) {
  Axis axis{.log = log};
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  if (log) {
    const double low = limitLow.value_or(*least);
    const double high = limitHigh.value_or(*greatest);
    axis.low = limitLow ? low : std::pow(10.0, std::floor(std::log10(low) * 4 + 1e-9) / 4);
    axis.high = limitHigh ? high : std::pow(10.0, std::ceil(std::log10(high) * 4 - 1e-9) / 4);
    if (!(axis.high > axis.low)) axis.high = 10 * axis.low;
    return axis;
  }
  const ScalarScale scale = scaleOf(values, "grey", false);
  axis.low = limitLow.value_or(scale.low);
  axis.high = limitHigh.value_or(scale.high);
  if (!(axis.high > axis.low)) axis.high = axis.low + 1;
  return axis;
}

void checkValues(std::span<const double> values, bool log, std::string_view name) {
  for (const double value : values) {
    SINEW_CHECK(std::isfinite(value), "chart", fmt::format("'{}' has a value that is not finite", name));
    SINEW_CHECK(!log || value > 0, "chart",
                fmt::format("'{}' has the value {}, which a log axis cannot show; use a plain axis", name, value));
  }
}

/// The chart's rectangle, its axes, and everything around it.
class Frame {
 public:
  Frame(const ChartOptions& options, const Axis& y, const Legend& legend)
      : options_(options), y_(y), image_(options.width, options.height, kPlotPaper) {
    SINEW_CHECK(options.width >= 160 && options.height >= 120, "chart",
                fmt::format("a chart of {} x {} pixels; make it at least 160 x 120", options.width, options.height));
    yTicks_ = y.ticks(std::max(2, options.height / 70));
    yLabels_ = tickLabels(yTicks_);
    double widest = 0;
    for (const std::string& label : yLabels_) widest = std::max(widest, textWidth(label, kTick));
    left_ = std::round(18 + widest + kTickGap + (options.yLabel.empty() ? 0 : 22));
    top_ = options.title.empty() ? 18 : 46;
    bottom_ = options.height - (options.xLabel.empty() ? 30 : 52);
    const bool hasLegend = !legend.entries.empty();
    right_ = options.width - 22.0 - (hasLegend ? legendSize(legend).width + 16 : 0);
    if (hasLegend) drawLegend(image_, legend, {right_ + 18, top_});
    drawSides();
  }

  [[nodiscard]] Image& image() { return image_; }
  [[nodiscard]] double left() const { return left_; }
  [[nodiscard]] double right() const { return right_; }
  [[nodiscard]] double bottom() const { return bottom_; }
  [[nodiscard]] double yOf(double value) const { return bottom_ - (bottom_ - top_) * y_.part(value); }

  void drawXTick(double x, const std::string& label, double room, bool grid) {
    if (grid) fillRectangle(image_, {std::floor(x), top_}, {std::floor(x) + 1, bottom_}, kPlotGrid);
    drawText(image_, shortened(label, room, kTick), {x, bottom_ + kTickGap + std::ceil(capHeight(kTick))}, kTick,
             TextAlign::Centre);
  }
  void drawBaseline(double value) {
    const double y = std::floor(yOf(value));
    fillRectangle(image_, {left_, y}, {right_, y + 1}, kPaleInk);
  }

 private:
  void drawSides() {
    for (std::size_t i = 0; i < yTicks_.size(); ++i) {
      const double y = std::floor(yOf(yTicks_[i]));
      fillRectangle(image_, {left_, y}, {right_, y + 1}, kPlotGrid);
      drawText(image_, yLabels_[i], {left_ - kTickGap, std::round(y + 0.5 + capHeight(kTick) / 2)}, kTick,
               TextAlign::Right);
    }
    const double width = options_.width - 36;
    drawText(image_, shortened(options_.title, width, kPlotTitle), {18, 28}, kPlotTitle);
    drawText(image_, shortened(options_.xLabel, right_ - left_, kAxis),
             {0.5 * (left_ + right_), options_.height - 12.0}, kAxis, TextAlign::Centre);
    drawTextUpwards(image_, shortened(options_.yLabel, bottom_ - top_, kAxis), {24, 0.5 * (top_ + bottom_)}, kAxis);
  }

  const ChartOptions& options_;
  Axis y_;
  Image image_;
  std::vector<double> yTicks_;
  std::vector<std::string> yLabels_;
  double left_ = 0;
  double right_ = 0;
  double top_ = 0;
  double bottom_ = 0;
};

template <class Item>
Rgba colourOf(const Item& item, std::size_t place) {
  return item.colour.value_or(categoryColour(static_cast<int>(place)));
}

template <class Item>
Legend legendOf(std::span<const Item> items) {
  Legend legend;
  legend.bar = false;
  for (std::size_t i = 0; items.size() > 1 && i < items.size(); ++i) {
    legend.entries.push_back({colourOf(items[i], i), items[i].name});
  }
  return legend;
}

}  // namespace

Image lineChart(std::span<const Line> lines, const ChartOptions& options) {
  std::vector<double> xs;
  std::vector<double> ys;
  for (const Line& line : lines) {
    SINEW_CHECK(line.x.size() == line.y.size(), "lineChart",
                fmt::format("'{}' has {} x values for {} y values", line.name, line.x.size(), line.y.size()));
    checkValues(line.x, options.logX, line.name);
    checkValues(line.y, options.logY, line.name);
    xs.insert(xs.end(), line.x.begin(), line.x.end());
    ys.insert(ys.end(), line.y.begin(), line.y.end());
  }
  SINEW_CHECK(!ys.empty(), "lineChart", "a chart needs at least one value");

  const auto [first, last] = std::minmax_element(xs.begin(), xs.end());
  // From the first to the last value exactly: no empty sides.
  const Axis x = axisFor(xs, options.logX, *first, *last);
  const Axis y = axisFor(ys, options.logY, options.yLow, options.yHigh);
  Frame frame(options, y, legendOf(lines));
  const double inset = 10;
  const auto xOf = [&](double value) {
    return frame.left() + inset + (frame.right() - frame.left() - 2 * inset) * x.part(value);
  };
  const std::vector<double> ticks = x.ticks(std::max(2, options.width / 100));
  const std::vector<std::string> labels = tickLabels(ticks);
  for (std::size_t i = 0; i < ticks.size(); ++i) frame.drawXTick(xOf(ticks[i]), labels[i], 90, true);
  frame.drawBaseline(y.low);

  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::vector<Polyline> path(1);
    for (std::size_t k = 0; k < lines[i].x.size(); ++k) {
      path[0].emplace_back(xOf(lines[i].x[k]), frame.yOf(std::clamp(lines[i].y[k], y.low, y.high)));
    }
    const Rgba colour = colourOf(lines[i], i);
    if (lines[i].connected && path[0].size() > 1) drawLines(frame.image(), path, 2, colour);
    if (!lines[i].markers && lines[i].connected && path[0].size() > 1) continue;
    for (const Place& place : path[0]) {
      fillDisc(frame.image(), place, 4.5, kPlotPaper);
      fillDisc(frame.image(), place, 3.5, colour);
    }
  }
  return std::move(frame.image());
}

Image barChart(std::span<const std::string> names, std::span<const Bars> series, const ChartOptions& options) {
  SINEW_CHECK(!names.empty() && !series.empty(), "barChart", "a chart needs at least one bar");
  std::vector<double> all;
  for (const Bars& bars : series) {
    SINEW_CHECK(bars.values.size() == names.size(), "barChart",
                fmt::format("'{}' has {} values for {} names", bars.name, bars.values.size(), names.size()));
    checkValues(bars.values, options.logY, bars.name);
    all.insert(all.end(), bars.values.begin(), bars.values.end());
  }
  if (!options.logY) all.push_back(0);
  const Axis y = axisFor(all, options.logY, options.yLow, options.yHigh);
  const double base = y.log ? y.low : std::clamp(0.0, y.low, y.high);
  Frame frame(options, y, legendOf(series));
  const double group = (frame.right() - frame.left()) / static_cast<double>(names.size());
  const double bar = std::min(64.0, 0.72 * group / static_cast<double>(series.size()));
  for (std::size_t n = 0; n < names.size(); ++n) {
    const double middle = frame.left() + (static_cast<double>(n) + 0.5) * group;
    frame.drawXTick(middle, names[n], group - 4, false);
    for (std::size_t s = 0; s < series.size(); ++s) {
      const double left = middle + (static_cast<double>(s) - 0.5 * static_cast<double>(series.size())) * bar;
      const double value = series[s].values[n];
      const double end = frame.yOf(std::clamp(value, y.low, y.high));
      const double start = frame.yOf(base);
      fillRectangle(frame.image(), {std::round(left) + 1, std::min(start, end)},
                    {std::round(left + bar) - 1, std::max(start, end)}, colourOf(series[s], s));
      const std::string label = fmt::format("{:.3g}", value);
      const double over = value < base ? end + 4 + capHeight(kTick) : end - 4;
      if (textWidth(label, kTick) <= bar + 6) {
        drawText(frame.image(), label, {left + 0.5 * bar, over}, kTick, TextAlign::Centre);
      }
    }
  }
  frame.drawBaseline(base);
  return std::move(frame.image());
}

}  // namespace sinew::picture
