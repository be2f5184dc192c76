// Charts as SVG without a view box: positions are percentages and texts have a size in pixels, so a chart is readable
// on a phone and on a wide screen.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/page.h"
#include "sinew/base/check.h"

namespace sinew::cli {
namespace {

constexpr int kName = 20;     // pixels for a name over its bars
constexpr int kBar = 13;      // of a bar
constexpr int kPitch = 16;    // from bar to bar
constexpr int kGap = 10;      // between names
constexpr double kRoom = 80;  // percent of the width for the longest bar: the rest is for its number
constexpr double kRoomBesideNotes = 70;

std::string number(double value) {
  if (value == 0) return "0";
  return std::abs(value) >= 1e-3 && std::abs(value) < 1e5 ? fmt::format("{:.3g}", value) : fmt::format("{:.1e}", value);
}

/// Percent of the width for a value.
struct BarScale {
  double low = 0;
  double high = 1;
  bool log = false;
  double room = kRoom;

  [[nodiscard]] double percent(double value) const {
    if (!(value > 0)) return 0;
    if (!log) return room * value / high;
    return value <= low ? 0 : room * std::log(value / low) / std::log(high / low);
  }
};

BarScale scaleFor(const PageBarChart& chart) {
  double least = 0;
  double most = 0;
  std::vector<double> sums(chart.names.size(), 0);
  for (const PageBars& bars : chart.series) {
    SINEW_CHECK(bars.values.size() == chart.names.size(), "chart",
                fmt::format("'{}' has {} values for {} names", bars.name, bars.values.size(), chart.names.size()));
    for (std::size_t n = 0; n < bars.values.size(); ++n) {
      const double value = bars.values[n];
      if (!(value > 0) || !std::isfinite(value)) continue;
      sums[n] += value;
      most = std::max(most, chart.stacked ? sums[n] : value);
      least = least == 0 ? value : std::min(least, value);
    }
  }
  BarScale scale{0, most > 0 ? most : 1, chart.log, chart.notes.empty() ? kRoom : kRoomBesideNotes};
  // A decade below the least, so that it has a bar too; never more than nine in all.
  if (chart.log)
    scale.low = std::max(std::pow(10.0, std::floor(std::log10(std::max(least, 1e-300)))) / 10, scale.high * 1e-9);
  return scale;
}

/// One stacked bar of all series, and its text.
std::string stackedBar(const PageBarChart& chart, std::size_t n, const BarScale& scale, int y) {
  std::string svg;
  double sum = 0;
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    const double value = chart.series[s].values[n];
    if (!(value > 0) || !std::isfinite(value)) continue;
    svg += fmt::format("<rect x=\"{:.3f}%\" y=\"{}\" width=\"{:.3f}%\" height=\"{}\" fill=\"{}\"/>", scale.percent(sum),
                       y, scale.percent(value), kBar, seriesColour(chart, s));
    sum += value;
  }
  const std::string note = chart.notes.empty() ? number(sum) + chart.unit : chart.notes[n];
  return svg + fmt::format("<text class=\"pale\" x=\"{:.3f}%\" dx=\"6\" y=\"{}\">{}</text>", scale.percent(sum), y + 11,
                           escapeHtml(note));
}

/// Where values are in a line chart: percent of the width, pixels of the height.
struct LineFrame {
  static constexpr int kTop = 8;
  double gutter = 11;  ///< percent of the width for the numbers at the left
  int bottom = 150;    ///< of the plot; below are position names and numbers of the x axis
  int height = 190;
  double left = 0;
  double right = 0;
  double low = 0;
  double high = 0;

  explicit LineFrame(const PageLineChart& chart) : high(chart.leastTop) {
    if (chart.wide) {
      gutter = 7;
      bottom = 220;
      height = 262;
    }
    if (!chart.xLabel.empty()) height += 18;
    bool first = true;
    for (const PageLine& line : chart.lines) {
      SINEW_CHECK(line.x.size() == line.y.size(), "chart",
                  fmt::format("'{}' has {} x values and {} y values", line.name, line.x.size(), line.y.size()));
      for (std::size_t i = 0; i < line.x.size(); ++i) {
        if (!std::isfinite(line.x[i]) || !std::isfinite(line.y[i])) continue;
        left = first ? line.x[i] : std::min(left, line.x[i]);
        right = first ? line.x[i] : std::max(right, line.x[i]);
        first = false;
        low = std::min(low, line.y[i]);
        high = std::max(high, line.y[i]);
      }
    }
    if (!(right > left)) right = left + 1;
    if (!(high > low)) high = low + 1;
    const double margin = 0.04 * (high - low);
    if (low < 0) low -= margin;
    if (high > chart.leastTop) high += margin;
  }

  [[nodiscard]] double x(double value) const { return 100 * (value - left) / (right - left); }
  [[nodiscard]] double place(double value) const { return gutter + (100 - gutter) * x(value) / 100; }
  [[nodiscard]] double y(double value) const { return kTop + (bottom - kTop) * (high - value) / (high - low); }

  /// Names near an edge do not run over it.
  static const char* anchor(double at) { return at < 20 ? "start" : at > 85 ? "end" : "middle"; }

  /// Numbers of the axes, and lines through those of the y axis.
  [[nodiscard]] std::string grid(const PageLineChart& chart) const {
    std::string svg;
    for (const double tick : picture::niceTicks(low, high, 4)) {
      svg +=
          fmt::format("<line class=\"grid\" x1=\"{1}%\" x2=\"100%\" y1=\"{0:.1f}\" y2=\"{0:.1f}\"/>", y(tick), gutter);
      svg += fmt::format("<text class=\"pale\" x=\"{}%\" dx=\"-5\" y=\"{:.1f}\" text-anchor=\"end\">{}{}</text>",
                         gutter, y(tick) + 4, number(tick), escapeHtml(chart.unit));
    }
    if (chart.xLabel.empty()) return svg;
    for (const double tick : picture::niceTicks(left, right, 8)) {
      if (tick != std::round(tick)) continue;
      const double at = place(tick);
      svg +=
          fmt::format("<text class=\"pale\" x=\"{:.2f}%\" y=\"{}\" text-anchor=\"{}\">{}{:g}</text>", at, bottom + 38,
                      at > 98 ? "end" : "middle", tick == left ? escapeHtml(chart.xLabel) + " " : "", tick);
    }
    return svg;
  }
};

}  // namespace

std::string pageColour(int colour) {
  if (colour == kPageInk) return "var(--ink)";
  return colour < 0 ? "var(--pale)" : fmt::format("var(--c{})", colour % kPageColours);
}

std::string seriesColour(const PageBarChart& chart, std::size_t series) {
  return pageColour(chart.series[series].colour.value_or(static_cast<int>(series)));
}

std::string barChartSvg(const PageBarChart& chart) {
  const BarScale scale = scaleFor(chart);
  SINEW_CHECK(!chart.stacked || !chart.log, "chart", "stacked bars cannot have a log scale");
  SINEW_CHECK(chart.notes.empty() || chart.notes.size() == chart.names.size(), "chart",
              fmt::format("{} notes for {} names", chart.notes.size(), chart.names.size()));
  const auto group = (chart.stacked ? 1 : static_cast<int>(chart.series.size())) * kPitch + kName + kGap;
  const int height = std::max(1, group * static_cast<int>(chart.names.size()));
  std::string svg = fmt::format("<svg class=\"chart\" role=\"img\" aria-label=\"{}\" height=\"{}\">",
                                escapeHtml(chart.description), height);
  for (std::size_t n = 0; n < chart.names.size(); ++n) {
    const int top = group * static_cast<int>(n);
    svg += fmt::format("<text x=\"0\" y=\"{}\">{}</text>", top + 14, escapeHtml(chart.names[n]));
    if (chart.stacked) {
      svg += stackedBar(chart, n, scale, top + kName);
      continue;
    }
    for (std::size_t s = 0; s < chart.series.size(); ++s) {
      const double value = chart.series[s].values[n];
      const int y = top + kName + kPitch * static_cast<int>(s);
      if (!std::isfinite(value)) continue;
      const double percent = scale.percent(value);
      svg += fmt::format("<rect x=\"0\" y=\"{}\" width=\"{:.3f}%\" height=\"{}\" rx=\"2\" fill=\"{}\"/>", y,
                         std::max(percent, value > 0 ? 0.4 : 0.0), kBar, seriesColour(chart, s));
      svg += fmt::format("<text class=\"pale\" x=\"{:.3f}%\" dx=\"6\" y=\"{}\">{}{}</text>", percent, y + 11,
                         number(value), escapeHtml(chart.unit));
    }
  }
  return svg + "</svg>";
}

std::string lineChartSvg(const PageLineChart& chart) {
  const LineFrame frame(chart);
  std::string svg = fmt::format("<svg class=\"chart\" role=\"img\" aria-label=\"{}\" height=\"{}\">",
                                escapeHtml(chart.description), frame.height);
  svg += frame.grid(chart);
  for (const PageLineChart::Mark& mark : chart.marks) {
    const double at = frame.place(mark.x);
    svg += fmt::format("<line class=\"grid\" x1=\"{0:.2f}%\" x2=\"{0:.2f}%\" y1=\"{1}\" y2=\"{2}\"/>", at,
                       LineFrame::kTop, frame.bottom + 6);
    svg += fmt::format("<text class=\"pale\" x=\"{:.2f}%\" y=\"{}\" text-anchor=\"{}\">{}</text>", at,
                       frame.bottom + 20, LineFrame::anchor(at), escapeHtml(mark.name));
  }
  // The lines alone are stretched with the width; their strokes are not.
  svg += fmt::format(
      "<svg x=\"{1}%\" y=\"0\" width=\"{2}%\" height=\"{0}\" viewBox=\"0 0 100 {0}\" preserveAspectRatio=\"none\">",
      frame.height, frame.gutter, 100 - frame.gutter);
  for (const PageLine& line : chart.lines) {
    if (line.dots) continue;
    std::string points;
    for (std::size_t i = 0; i < line.x.size(); ++i) {
      if (std::isfinite(line.x[i]) && std::isfinite(line.y[i]))
        points += fmt::format("{:.2f},{:.2f} ", frame.x(line.x[i]), frame.y(line.y[i]));
    }
    svg += fmt::format("<polyline class=\"line{}\" stroke=\"{}\" points=\"{}\"/>", line.dashed ? " dashed" : "",
                       pageColour(line.colour), points);
  }
  svg += "</svg>";
  for (const PageLine& line : chart.lines) {
    for (std::size_t i = 0; line.dots && i < line.x.size(); ++i) {
      if (!std::isfinite(line.x[i]) || !std::isfinite(line.y[i])) continue;
      svg += fmt::format("<circle cx=\"{:.2f}%\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/>", frame.place(line.x[i]),
                         frame.y(line.y[i]), pageColour(line.colour));
    }
  }
  return svg + "</svg>";
}

}  // namespace sinew::cli
