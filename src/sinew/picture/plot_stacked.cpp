// Horizontal bars, so that names and notes fit beside them for any number of rows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/picture/canvas.h"
#include "sinew/picture/colormap.h"
#include "sinew/picture/plot.h"
#include "sinew/picture/text.h"

namespace sinew::picture {
namespace {

constexpr Rgba kPlotStackedPaper{255, 255, 255};
constexpr Rgba kPlotStackedGrid{228, 231, 236};
constexpr double kMargin = 18;
constexpr double kRow = 26;                // from bar to bar
constexpr double kBar = 17;                // of a bar
constexpr double kPlotStackedSwatch = 12;  // of the legend
constexpr double kEntry = 22;              // between entries of the legend
constexpr double kMostName = 220;

const TextStyle kPlotStackedTitle{.size = 17, .bold = true};
const TextStyle kText{.size = 13};
const TextStyle kPale{.size = 12, .colour = kPaleInk};

/// The layout.
struct Layout {
  double legend = 0;  ///< baseline of its first line
  double top = 0;     ///< of the first row
  double bottom = 0;  ///< of the last row
  double left = 0;    ///< of the bars
  double right = 0;
};

double widestOf(std::span<const std::string> texts, const TextStyle& style) {
  double widest = 0;
  for (const std::string& text : texts) widest = std::max(widest, textWidth(text, style));
  return widest;
}

class StackedChart {
 public:
  StackedChart(std::span<const std::string> names, std::span<const Bars> series, std::span<const std::string> notes,
               const ChartOptions& options)
      : names_(names), series_(series), options_(options), notes_(notes.begin(), notes.end()) {
    addUp();
    place();
    image_ =
        Image(options.width, static_cast<int>(layout_.bottom) + (options.xLabel.empty() ? 34 : 56), kPlotStackedPaper);
  }

  Image draw() {
    drawText(image_, shortened(options_.title, options_.width - 2 * kMargin, kPlotStackedTitle), {kMargin, 28},
             kPlotStackedTitle);
    drawLegendLines(true);
    drawAxis();
    for (std::size_t n = 0; n < names_.size(); ++n) drawRow(n);
    fillRectangle(image_, {layout_.left - 1, layout_.top}, {layout_.left, layout_.bottom}, kPaleInk);
    return std::move(image_);
  }

 private:
  void addUp() {
    sums_.assign(names_.size(), 0);
    for (const Bars& bars : series_) {
      SINEW_CHECK(bars.values.size() == names_.size(), "stackedBarChart",
                  fmt::format("'{}' has {} values for {} names", bars.name, bars.values.size(), names_.size()));
      for (std::size_t n = 0; n < names_.size(); ++n) {
        SINEW_CHECK(std::isfinite(bars.values[n]) && bars.values[n] >= 0, "stackedBarChart",
                    fmt::format("'{}' has the value {}; parts of a whole are finite and not negative", bars.name,
                                bars.values[n]));
        sums_[n] += bars.values[n];
      }
    }
    scale_ = scaleOf(sums_, "grey", true);
    if (!(scale_.high > 0)) scale_.high = 1;
    for (std::size_t n = notes_.size(); n < names_.size(); ++n) notes_.push_back(fmt::format("{:.3g}", sums_[n]));
  }

  void place() {
    layout_.legend = options_.title.empty() ? 24 : 56;
    layout_.top = layout_.legend + 16 + kEntry * (drawLegendLines(false) - 1);
    layout_.bottom = layout_.top + kRow * static_cast<double>(names_.size());
    layout_.left = std::ceil(kMargin + std::min(kMostName, widestOf(names_, kText)) + 10);
    layout_.right = std::max(layout_.left + 60, options_.width - kMargin - widestOf(notes_, kPale) - 10);
  }

  /// The number of lines that the legend takes.
  int drawLegendLines(bool visible) {
    double x = kMargin;
    double y = layout_.legend;
    int lines = 1;
    for (std::size_t s = 0; s < series_.size(); ++s) {
      const double wide = kPlotStackedSwatch + 7 + textWidth(series_[s].name, kText);
      if (x > kMargin && x + wide > options_.width - kMargin) {
        x = kMargin;
        y += kEntry;
        ++lines;
      }
      if (visible) {
        fillRectangle(image_, {x, y - kPlotStackedSwatch + 1}, {x + kPlotStackedSwatch, y + 1}, colourOf(s));
        drawText(image_, series_[s].name, {x + kPlotStackedSwatch + 7, y}, kText);
      }
      x += wide + kEntry;
    }
    return lines;
  }

  void drawAxis() {
    const std::vector<double> ticks = niceTicks(scale_.low, scale_.high, std::max(2, options_.width / 140));
    const std::vector<std::string> labels = tickLabels(ticks);
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      const double x = std::floor(xOf(ticks[i]));
      fillRectangle(image_, {x, layout_.top}, {x + 1, layout_.bottom}, kPlotStackedGrid);
      drawText(image_, labels[i], {x, layout_.bottom + 8 + capHeight(kPale)}, kPale, TextAlign::Centre);
    }
    drawText(image_, shortened(options_.xLabel, options_.width - 2 * kMargin, kText),
             {0.5 * (layout_.left + layout_.right), layout_.bottom + 44}, kText, TextAlign::Centre);
  }

  void drawRow(std::size_t n) {
    const double top = std::round(layout_.top + kRow * static_cast<double>(n) + 0.5 * (kRow - kBar));
    const double baseline = std::round(top + 0.5 * (kBar + capHeight(kText)));
    drawText(image_, shortened(names_[n], kMostName, kText), {layout_.left - 10, baseline}, kText, TextAlign::Right);
    double sum = 0;
    for (std::size_t s = 0; s < series_.size(); ++s) {
      const double value = series_[s].values[n];
      if (value > 0) fillRectangle(image_, {xOf(sum), top}, {xOf(sum + value), top + kBar}, colourOf(s));
      sum += value;
    }
    drawText(image_, notes_[n], {xOf(sum) + 8, baseline}, kPale);
  }

  [[nodiscard]] double xOf(double value) const {
    return layout_.left + (layout_.right - layout_.left) * value / scale_.high;
  }
  [[nodiscard]] Rgba colourOf(std::size_t place) const {
    return series_[place].colour.value_or(categoryColour(static_cast<int>(place)));
  }

  std::span<const std::string> names_;
  std::span<const Bars> series_;
  const ChartOptions& options_;
  std::vector<std::string> notes_;
  std::vector<double> sums_;
  ScalarScale scale_;
  Layout layout_;
  Image image_;
};

}  // namespace

Image stackedBarChart(std::span<const std::string> names, std::span<const Bars> series,
                      std::span<const std::string> notes, const ChartOptions& options) {
  SINEW_CHECK(!names.empty() && !series.empty(), "stackedBarChart", "a chart needs at least one bar");
  SINEW_CHECK(notes.empty() || notes.size() == names.size(), "stackedBarChart",
              fmt::format("{} notes for {} names", notes.size(), names.size()));
  SINEW_CHECK(options.width >= 320, "stackedBarChart",
              fmt::format("a chart of {} pixels' width; make it at least 320", options.width));
  return StackedChart(names, series, notes, options).draw();
}

}  // namespace sinew::picture
