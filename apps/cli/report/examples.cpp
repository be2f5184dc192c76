#include "report/examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "report/words.h"
#include "sinew/base/check.h"
#include "sinew/base/text.h"

namespace sinew::cli {

namespace {

/// Neighbouring frames of a long sequence look similar: one of several in a row is enough.
std::size_t gapOfShown(std::size_t rows, std::size_t most) {
  return rows > std::max(kMostRows, most) ? rows / (4 * std::max<std::size_t>(most, 1)) : 0;
}

}  // namespace

std::vector<std::size_t> shownRows(std::span<const double> values, std::size_t most) {
  std::vector<std::size_t> rows(values.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (rows.size() <= most) return rows;
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  const std::size_t gap = gapOfShown(rows.size(), most);
  std::vector<std::size_t> shown;
  for (const std::size_t row : rows) {
    const bool apart = std::all_of(shown.begin(), shown.end(),
                                   [&](std::size_t other) { return (row > other ? row - other : other - row) > gap; });
    if (apart && shown.size() < most) shown.push_back(row);
  }
  std::sort(shown.begin(), shown.end());
  return shown;
}

std::vector<const Example*> examplesNamed(const ExampleSet& set, std::span<const std::string> names) {
  std::vector<const Example*> examples;
  std::size_t at = 0;
  for (const std::string& name : names) {
    while (at < set.examples.size() && set.examples[at].name != name) ++at;
    SINEW_CHECK(at < set.examples.size(), "report", fmt::format("there is no example '{}'", name));
    examples.push_back(&set.examples[at++]);
  }
  return examples;
}

std::string largestParts(std::vector<std::pair<double, std::string>> parts) {
  constexpr std::size_t kMost = 4;
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, parts.size()); ++i) text += (i > 0 ? ", " : "") + parts[i].second;
  if (parts.size() > kMost) text += fmt::format(" and {} more", parts.size() - kMost);
  return text;
}

std::string turnedJoints(const Character& character, const Pose& pose) {
  std::vector<std::pair<double, std::string>> parts;
  for (int j = 0; j < character.skeleton.size(); ++j) {
    const Joint& joint = character.skeleton[j];
    const Quat& turned = pose.local[toSize(j)].rotation;
    const double angle = 180 / std::numbers::pi * turned.normalized().angularDistance(joint.rest.rotation.normalized());
    if (angle >= 0.5) parts.emplace_back(angle, fmt::format("{} {:.0f}°", joint.name, angle));
  }
  return largestParts(std::move(parts));
}

void tellShown(Page& page, std::size_t shown, std::size_t all, const std::string& which) {
  if (shown >= all) return;
  const std::string thinned = gapOfShown(all, shown) > 0 ? ", and only the first of neighbouring frames" : "";
  page.paragraph(fmt::format("{} of {} examples are shown: {}{}. {} {} not shown.", shown, all, which, thinned,
                             all - shown, all - shown == 1 ? "is" : "are"));
}

namespace {

constexpr std::size_t kNamed = 3;       // in the chart, where names would cover each other
constexpr std::size_t kWorstRows = 10;  // in the table

/// Rows by falling value; NaN last.
std::vector<std::size_t> worstFirst(std::span<const double> values) {
  std::vector<std::size_t> rows(values.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const auto size = [&](std::size_t row) { return std::isfinite(values[row]) ? values[row] : -1; };
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
  return rows;
}

/// The worst, but none so near to one that is already named that their names would overlap.
std::vector<std::size_t> namedRows(std::span<const std::size_t> worst) {
  std::vector<std::size_t> named;
  for (const std::size_t row : worst) {
    const bool clear = std::all_of(named.begin(), named.end(), [&](std::size_t other) {
      return 6 * (row > other ? row - other : other - row) > worst.size();
    });
    if (clear) named.push_back(row);
    if (named.size() == kNamed) break;
  }
  std::sort(named.begin(), named.end());
  return named;
}

}  // namespace

void tellErrors(Page& page, const PageBarChart& chart, const PageTable& table, const std::string& what) {
  SINEW_CHECK(!chart.series.empty() && table.rows.size() == chart.names.size(), "report",
              fmt::format("{} rows for {} names", table.rows.size(), chart.names.size()));
  if (chart.names.size() <= kMostRows) {
    page.bars(chart);
    page.table(table);
    return;
  }
  PageLineChart curve;
  curve.description = chart.description;
  curve.leastTop = 0;
  curve.unit = chart.unit;
  curve.xLabel = what;
  curve.wide = true;
  std::vector<double> numbers(chart.names.size());
  std::iota(numbers.begin(), numbers.end(), 0.0);
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    const PageBars& bars = chart.series[s];
    curve.lines.push_back({bars.name, numbers, bars.values, bars.colour.value_or(static_cast<int>(s)), false});
  }
  const std::vector<std::size_t> worst = worstFirst(chart.series.back().values);
  for (const std::size_t row : namedRows(worst))
    curve.marks.push_back({static_cast<double>(row), shortened(chart.names[row], 16)});
  page.lines({{curve}});

  PageTable few;
  few.columns = table.columns;
  for (std::size_t i = 0; i < kWorstRows; ++i) {
    const bool marked = std::find(table.marked.begin(), table.marked.end(), worst[i]) != table.marked.end();
    if (marked) few.marked.push_back(i);
    few.rows.push_back(table.rows[worst[i]]);
  }
  page.paragraph(
      fmt::format("The {} worst of {} {}s ({}):", kWorstRows, chart.names.size(), what, chart.series.back().name));
  page.table(few);
}

}  // namespace sinew::cli
