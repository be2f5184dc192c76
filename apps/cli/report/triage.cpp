#include "report/triage.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/words.h"
#include "sinew/base/text.h"
#include "sinew/picture/plot.h"

namespace sinew::cli {
namespace {

constexpr std::size_t kMostBars = 30;  // of more examples only the worst are drawn

/// The colours of a page in its light form, for pictures: of what is left, and of the stages from the last to the
/// first.
constexpr int kLeft = kPageInk;
constexpr int kStageColours[] = {4, 0, 2, 1, 3, 8};
constexpr picture::Rgba kLeftColour{44, 49, 59};
constexpr picture::Rgba kPictureColours[] = {{122, 92, 181}, {31, 119, 180}, {42, 138, 87},
                                             {209, 115, 26}, {194, 64, 61},  {19, 138, 156}};

/// The error after each stage, for one row of the chart.
std::vector<double> errorsOf(const FitExplanation& explanation, std::size_t row) {
  std::vector<double> errors;
  for (const FitStage& stage : explanation.stages) {
    errors.push_back(row == 0 ? stage.total.rmsPercent : stage.examples[row - 1].rmsPercent);
  }
  return errors;
}

/// The original error, and that of the best plain skin: corrections always match their own examples.
std::string noteOf(const FitExplanation& explanation, std::span<const double> errors) {
  std::size_t skin = errors.size() - 1;
  while (skin > 0 && explanation.stages[skin].morphs > 0) --skin;
  return fmt::format("{:.2g} to {:.2g} %", errors.front(), errors[skin]);
}

/// Row 0 is all examples together, then the examples: all, or the worst of them.
std::vector<std::size_t> rowsOf(const FitExplanation& explanation) {
  std::vector<std::size_t> rows(explanation.examples.size());
  std::iota(rows.begin(), rows.end(), std::size_t{1});
  if (rows.size() > kMostBars) {
    const std::vector<ShapeError>& before = explanation.stages.front().examples;
    std::stable_sort(rows.begin(), rows.end(),
                     [&](std::size_t a, std::size_t b) { return before[a - 1].rms > before[b - 1].rms; });
    rows.resize(kMostBars);
    std::sort(rows.begin(), rows.end());
  }
  rows.insert(rows.begin(), 0);
  return rows;
}

std::string textRow(const std::string& name, std::span<const std::string> cells, std::span<const std::size_t> widths) {
  std::string line = fmt::format("  {:<22}", shortened(name, 22));
  for (std::size_t i = 0; i < cells.size(); ++i) line += fmt::format("  {:>{}}", cells[i], widths[i]);
  return line + "\n";
}

/// A length in percent of the diagonal.
double inPercent(const FitExplanation& explanation, double length) {
  for (const FitStage& stage : explanation.stages) {
    if (stage.total.rms > 0) return length * stage.total.rmsPercent / stage.total.rms;
  }
  return 0;
}

/// All stages, and multi-weight enveloping after them.
std::vector<const FitStage*> columnsOf(const FitExplanation& explanation) {
  std::vector<const FitStage*> columns;
  for (const FitStage& stage : explanation.stages) columns.push_back(&stage);
  if (!explanation.multiWeight.name.empty()) columns.push_back(&explanation.multiWeight);
  return columns;
}

}  // namespace

std::string triageText(const FitExplanation& explanation) {
  const std::vector<const FitStage*> columns = columnsOf(explanation);
  std::vector<std::string> heads;
  std::vector<std::size_t> widths;
  for (const FitStage* stage : columns) {
    heads.push_back(stage->name);
    widths.push_back(std::max<std::size_t>(9, stage->name.size()));
  }
  const auto row = [&](const std::string& name, auto&& cell) {
    std::vector<std::string> cells;
    for (const FitStage* stage : columns) cells.push_back(cell(*stage));
    return textRow(name, cells, widths);
  };
  std::string text = "rms error after each stage, in % of the diagonal (each stage adds to the ones before):\n";
  text += textRow("", heads, widths);
  for (std::size_t k = 0; k < explanation.examples.size(); ++k) {
    text += row(explanation.examples[k], [&](const FitStage& stage) {
      return k < stage.examples.size() ? fmt::format("{:.4f}", stage.examples[k].rmsPercent) : std::string("-");
    });
  }
  text += row("all", [](const FitStage& stage) { return fmt::format("{:.4f}", stage.total.rmsPercent); });
  text += row("leave-one-out", [&](const FitStage& stage) {
    return stage.leaveOneOut > 0 ? fmt::format("{:.4f}", inPercent(explanation, stage.leaveOneOut)) : std::string("-");
  });
  text += row("joints added", [](const FitStage& stage) { return fmt::format("{}", stage.joints); });
  text += row("morph targets added", [](const FitStage& stage) { return fmt::format("{}", stage.morphs); });
  text += row("size added", [](const FitStage& stage) { return bytesText(stage.bytes); });
  return text + "\n" + explanation.advice + "\n";
}

PageBarChart triageBars(const FitExplanation& explanation) {
  PageBarChart chart;
  chart.unit = " %";
  chart.stacked = true;
  chart.description = "error of each example that each stage removes";
  const std::size_t stages = explanation.stages.size();
  chart.series.push_back({"left", {}, kLeft});
  for (std::size_t s = stages; s-- > 1;) {
    chart.series.push_back({explanation.stages[s].name, {}, kStageColours[(s - 1) % std::size(kStageColours)]});
  }
  for (const std::size_t row : rowsOf(explanation)) {
    const std::vector<double> errors = errorsOf(explanation, row);
    chart.names.push_back(row == 0 ? "all examples" : explanation.examples[row - 1]);
    chart.notes.push_back(noteOf(explanation, errors));
    const double left = errors.back();
    double least = errors.front();
    double before = std::max(left, least);
    chart.series[0].values.push_back(left);
    for (std::size_t s = 1; s < stages; ++s) {
      least = std::min(least, errors[s]);
      const double after = std::max(left, least);
      chart.series[stages - s].values.push_back(before - after);
      before = after;
    }
  }
  return chart;
}

picture::Image triageChart(const FitExplanation& explanation, const std::string& title) {
  const PageBarChart chart = triageBars(explanation);
  std::vector<picture::Bars> series;
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    const std::size_t stage = chart.series.size() - s - 1;
    series.push_back({(s == 0 ? "" : "removed by ") + chart.series[s].name, chart.series[s].values,
                      s == 0 ? kLeftColour : kPictureColours[stage % std::size(kPictureColours)]});
  }
  return picture::stackedBarChart(
      chart.names, series, chart.notes,
      {.width = 960,
       .title = title,
       .xLabel = "rms error in % of the diagonal; numbers: the original skin, and the best plain skin"});
}

void tellTriage(Page& page, const FitExplanation& explanation) {
  page.heading("What would help");
  page.paragraph(
      "The error of the skin at each sculpt, and how much of it each technique removes on top of the ones before: new "
      "weights, helper joints, a new rest shape, and correctives. The numbers are the errors of the original skin and "
      "of the best plain skin. Correctives always reproduce their own examples, so judge them by the leave-one-out "
      "error in the table.");
  page.bars(triageBars(explanation));
  PageTable table;
  table.columns = {{"up to and including"},     {"rms", Align::Right},          {"leave-one-out", Align::Right},
                   {"largest", Align::Right},   {"joints added", Align::Right}, {"morph targets", Align::Right},
                   {"size added", Align::Right}};
  const auto add = [&](const FitStage& stage, const std::string& name) {
    table.rows.push_back({name, percentText(stage.total.rmsPercent),
                          stage.leaveOneOut > 0 ? percentText(inPercent(explanation, stage.leaveOneOut)) : "",
                          fmt::format("{:.3g}", stage.total.max), fmt::format("{}", stage.joints),
                          fmt::format("{}", stage.morphs), bytesText(stage.bytes)});
  };
  for (const FitStage& stage : explanation.stages) add(stage, stage.name);
  if (!explanation.multiWeight.name.empty())
    add(explanation.multiWeight, explanation.multiWeight.name + " (for comparison; engines do not play it)");
  page.table(table);
  page.paragraph(explanation.advice);
}

}  // namespace sinew::cli
