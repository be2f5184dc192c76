#include "report/fit.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/examples.h"
#include "report/page.h"
#include "report/pictures.h"
#include "report/triage.h"
#include "report/words.h"
#include "sinew/base/check.h"
#include "sinew/base/text.h"
#include "sinew/deform/example_errors.h"
#include "sinew/deform/posing.h"

namespace sinew::cli {
namespace {

/// A weight that few of those that are there exceed: a single vertex does not make all else dark.
double usualWeight(const Eigen::VectorXd& weights) {
  std::vector<double> present(weights.begin(), weights.end());
  std::erase_if(present, [](double weight) { return weight < 1e-3; });
  if (present.empty()) return 1;
  const auto rank = static_cast<std::ptrdiff_t>(0.95 * static_cast<double>(present.size() - 1));
  std::nth_element(present.begin(), present.begin() + rank, present.end());
  return present[toSize(rank)];
}

/// The shapes of one example.
struct ShownPose {
  std::size_t row = 0;
  const Example* example = nullptr;
  Points before;
  Points after;
};

class FitPage {
 public:
  FitPage(const FitReportInput& input, const Progress& progress)
      : input_(input),
        progress_(progress),
        painter_(input.before, input.up, input.pictureSize),
        page_(titleOf(input), subtitleOf(input)) {}

  std::string make() {
    if (input_.result != nullptr) {
      summary(input_.result->report);
      examples(*input_.result);
      errors(input_.result->report);
      steps(input_.result->report);
      joints(*input_.result);
      tried(input_.result->report);
    }
    if (input_.explanation != nullptr) tellTriage(page_, *input_.explanation);
    if (input_.result != nullptr) {
      engines(*input_.result);
      facts(*input_.result);
    }
    const std::vector<std::pair<std::string, std::string>> files = {
        {"character", input_.characterFile}, {"examples", input_.examplesFile}, {"output", input_.outputFile}};
    tellOrigin(page_, input_.commandLine, files, input_.notes);
    return page_.html();
  }

 private:
  static std::string titleOf(const FitReportInput& input) {
    return input.characterFile.empty() ? "A skin from examples"
                                       : "A skin from examples for " + fileName(input.characterFile);
  }
  static std::string subtitleOf(const FitReportInput& input) {
    return input.result != nullptr ? input.result->report.sentence()
                                   : "what each technique would do; nothing was fitted";
  }

  static std::vector<const HelperTrial*> trials(const FitReport& report, bool kept) {
    std::vector<const HelperTrial*> rows;
    for (const HelperTrial& trial : report.helpers) {
      if (trial.kept == kept) rows.push_back(&trial);
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const HelperTrial* a, const HelperTrial* b) { return a->gain > b->gain; });
    return rows;
  }

  void summary(const FitReport& report) {
    std::vector<Page::Figure> figures = {
        {percentText(report.before.rmsPercent), "the original skin, rms of the diagonal"},
        {percentText(report.after.rmsPercent), "the fitted skin, as played from the file"},
        {report.leftOut ? percentText(report.leaveOneOut.rmsPercent) : "unknown",
         report.choiceLeftOut ? "leave-one-out error: each example with a fit to the others, including the choice of "
                                "helper joints and strengths"
                              : "leave-one-out error: each example with a fit to the others"},
        {counted(trials(report, true).size(), "new joint", "new joints"),
         fmt::format("at most {} joints per vertex", report.maxInfluences)}};
    if (report.capped.rms != report.before.rms) {
      figures.insert(figures.begin() + 1,
                     {percentText(report.capped.rmsPercent),
                      fmt::format("the original skin, limited to {} joints per vertex", input_.options.maxInfluences)});
    }
    if (input_.options.rest) figures.push_back({percentText(100 * report.drift), "largest movement of a rest vertex"});
    page_.figures(figures);
    std::vector<std::string> warnings = report.warnings;
    warnings.insert(warnings.end(), input_.warnings.begin(), input_.warnings.end());
    page_.warnings(warnings);
  }

  [[nodiscard]] std::vector<ShownPose> poseShown(const FitResult& result) const {
    std::vector<std::string> names;
    std::vector<double> sizes;
    for (const FitExample& row : result.report.examples) {
      names.push_back(row.name);
      sizes.push_back(row.before.rms);
    }
    const std::vector<const Example*> examples = examplesNamed(input_.set, names);
    CharacterPoser before(input_.before);
    CharacterPoser after(result.character);
    std::vector<ShownPose> shown;
    for (const std::size_t row : shownRows(sizes, input_.mostExamples)) {
      const Pose& pose = examples[row]->pose;
      shown.push_back({row, examples[row], before.pose(pose), after.pose(poseOn(result.character, pose))});
    }
    return shown;
  }

  void examples(const FitResult& result) {
    page_.heading("Examples");
    const std::vector<ShownPose> shown = poseShown(result);
    std::vector<double> values;
    for (const ShownPose& one : shown) {
      const Eigen::VectorXd distances = vertexDistances(one.example->points, one.before);
      values.insert(values.end(), distances.begin(), distances.end());
    }
    const picture::ScalarScale scale = errorScale(std::move(values), input_.result->report.diagonal);
    page_.paragraph("Colours show the distance to the sculpt, with one scale for all pictures.");
    tellShown(page_, shown.size(), result.report.examples.size(), "those with the largest error of the old skin");
    page_.colourScale(scale, "distance to the sculpt, scene units");
    for (std::size_t i = 0; i < shown.size(); ++i) {
      report(progress_, {static_cast<double>(i) / static_cast<double>(shown.size() + 1), "drawing the report"});
      showExample(shown[i], result.report.examples[shown[i].row], scale);
    }
  }

  void showExample(const ShownPose& shown, const FitExample& row, const picture::ScalarScale& scale) {
    const Points& sculpt = shown.example->points;
    const Eigen::VectorXd before = vertexDistances(sculpt, shown.before);
    const picture::Camera camera = painter_.cameraForDistances(sculpt, before);
    page_.subheading(row.name, turnedJoints(input_.before, shown.example->pose));
    const auto noteOf = [](const ShapeError& error) {
      return fmt::format("rms {}, max {:.3g}", percentText(error.rmsPercent), error.max);
    };
    const std::vector<PagePicture> pictures = {
        {painter_.coloured(shown.before, before, scale, camera), "the original skin", noteOf(row.before)},
        {painter_.clay(sculpt, camera), "the sculpt"},
        {painter_.coloured(shown.after, vertexDistances(sculpt, shown.after), scale, camera), "the fitted skin",
         noteOf(row.after)}};
    page_.pictures(pictures);
  }

  void errors(const FitReport& report) {
    page_.heading("Errors");
    page_.paragraph(
        "Root mean square distance to the sculpt in percent of the diagonal of the rest shape. Leave-one-out: with a "
        "fit to the other examples, which is what to expect at new poses of this kind.");
    PageBarChart chart;
    chart.unit = " %";
    chart.description = "rms error of each example before and after the fit, and leave-one-out";
    chart.series = {{"original", {}}, {"fitted", {}}};
    if (report.leftOut) chart.series.push_back({"leave-one-out", {}});
    PageTable table;
    table.columns = {{"example"},
                     {"original", Align::Right},
                     {"fitted", Align::Right},
                     {"leave-one-out", Align::Right},
                     {"95 % below", Align::Right},
                     {"largest", Align::Right},
                     {"at vertex", Align::Right}};
    for (const FitExample& row : report.examples) {
      chart.names.push_back(row.name);
      chart.series[0].values.push_back(row.before.rmsPercent);
      chart.series[1].values.push_back(row.after.rmsPercent);
      if (report.leftOut) chart.series[2].values.push_back(row.leaveOneOut.rmsPercent);
      if (row.after.rms > row.before.rms) table.marked.push_back(table.rows.size());
      table.rows.push_back({row.name, percentText(row.before.rmsPercent), percentText(row.after.rmsPercent),
                            report.leftOut ? percentText(row.leaveOneOut.rmsPercent) : "",
                            fmt::format("{:.3g}", row.after.p95), fmt::format("{:.3g}", row.after.max),
                            fmt::format("{}", row.after.maxVertex)});
    }
    tellErrors(page_, chart, table, "example");
    if (!table.marked.empty())
      page_.paragraph("Marked examples became worse in favour of others. Raise their confidence.");
  }

  void steps(const FitReport& report) {
    if (report.steps.empty()) return;
    page_.heading("Step by step");
    page_.paragraph(
        "Weights and rest vertices are solved in alternation; each step keeps the other fixed, so the error cannot "
        "rise (except for the rounding of weights, whose bar shows its cost). This is the error that the fit "
        "minimises: welded vertices count once, the rest pose is one more example, and examples are weighted so that "
        "none becomes worse. The figures at the top weight all vertices and examples equally, so they differ.");
    PageBarChart chart;
    chart.unit = " %";
    chart.description = "rms error after each step";
    chart.series = {{"rms as weighted by the fit", {}}};
    for (std::size_t i = 0; i < report.steps.size(); ++i) {
      chart.names.push_back(fmt::format("{}. {}", i + 1, report.steps[i].what));
      chart.series[0].values.push_back(report.diagonal > 0 ? 100 * report.steps[i].rms / report.diagonal : 0);
    }
    page_.bars(chart);
  }

  void joints(const FitResult& result) {
    const std::vector<const HelperTrial*> kept = trials(result.report, true);
    if (kept.empty()) return;
    page_.heading("New joints");
    page_.paragraph(
        "The weight of each new joint on the rest shape, the most useful first; the colour scale ends at a weight that "
        "few vertices exceed. Joints with a large scale need little weight. The percentage is what the joint "
        "is worth: how much higher the leave-one-out squared error of an example is without it, relative to the "
        "error of the original skin there (above 100 %: worse than the original).");
    const Points rest = posePoints(result.character, restPose(result.character));
    std::vector<PagePicture> pictures;
    for (const HelperTrial* trial : kept) {
      if (pictures.size() == input_.mostJoints) break;
      const Eigen::VectorXd weights = jointWeights(result.character, trial->helper.joint);
      const double most = weights.maxCoeff();
      const picture::ScalarScale scale{0, usualWeight(weights), "weight"};
      pictures.push_back({painter_.coloured(rest, weights, scale, painter_.cameraFor(rest, weights)), trial->name,
                          fmt::format("{}; worth {}; weight up to {:.2g}", trial->rule, gainText(trial->gain), most)});
      report(progress_, {1, "drawing the report"});
    }
    page_.pictures(pictures);
    if (pictures.size() == kept.size()) return;
    std::vector<std::string> more;
    for (std::size_t i = pictures.size(); i < kept.size(); ++i)
      more.push_back(fmt::format("{}: {}; {}", kept[i]->name, kept[i]->rule, gainText(kept[i]->gain)));
    page_.list(more);
  }

  void tried(const FitReport& report) {
    const std::vector<const HelperTrial*> dropped = trials(report, false);
    if (dropped.empty()) return;
    page_.subheading(
        "Tried but not kept",
        fmt::format("they remove less than {:.3g} % of the leave-one-out error of every example, or others cost less",
                    100 * input_.options.leastGain));
    PageTable table;
    table.columns = {{"joint"}, {"rule"}, {"part of a leave-one-out squared error", Align::Right}};
    for (const HelperTrial* trial : dropped) table.rows.push_back({trial->name, trial->rule, gainText(trial->gain)});
    page_.table(table);
  }

  void engines(const FitResult& result) {
    page_.heading("In engines");
    std::vector<std::string> items = {fmt::format(
        "the file is plain glTF: a skin with at most {} joints per vertex, weights as {}; any viewer plays it",
        result.report.maxInfluences,
        input_.options.quantize == WeightFormat::Bits8    ? "8-bit integers that sum to 255"
        : input_.options.quantize == WeightFormat::Bits16 ? "16-bit integers that sum to 65535"
                                                          : "32-bit floats")};
    if (!trials(result.report, true).empty()) {
      items.emplace_back(
          "the motion of new joints is baked into every clip, so three.js, Blender and any engine play them directly");
      items.emplace_back(
          "for motion generated at run time, the engine must move them itself: the block SINEW_helper_joints contains "
          "their rules; a half joint is a rotation constraint of weight one half towards its source joint, a bulge "
          "joint a scale along its x axis of 1 + gain (1 - cos(bend)) / 2");
    }
    page_.list(items);
  }

  void facts(const FitResult& result) {
    const FitReport& report = result.report;
    const FitOptions& options = input_.options;
    page_.heading("The fit");
    PageTable table;
    table.columns = {{""}, {""}};
    table.rows = {
        {"joints per vertex", fmt::format("{} (requested: {})", report.maxInfluences, options.maxInfluences)},
        {"helper joints", std::string(nameOf(options.helpers))},
        {"pull towards the old weights",
         options.prior == "auto" ? "chosen by leave-one-out error, region by region" : options.prior},
        {"smoothness", fmt::format("{:g}", options.smoothness)},
        {"normals",
         options.normals > 0 ? fmt::format("weighted by {:g} diagonals per radian", options.normals) : "do not count"},
        {"weights in the file", std::string(nameOf(options.quantize))},
        {"half-steps", fmt::format("{}", report.iterations)}};
    if (options.rest) {
      table.rows.push_back({"drift of the rest shape",
                            fmt::format("{} rms, {} maximum (limit {})", percentText(100 * report.rmsDrift),
                                        percentText(100 * report.drift), percentText(100 * options.restDrift))});
    } else {
      table.rows.push_back({"rest shape", "unchanged"});
    }
    if (!options.locks.empty()) {
      std::string names;
      for (const std::string& name : options.locks) names += (names.empty() ? "" : ", ") + name;
      table.rows.push_back({"locked joints", names});
    }
    if (!options.lockedVertices.empty())
      table.rows.push_back({"locked vertices", fmt::format("{}", options.lockedVertices.size())});
    table.rows.push_back({"time", fmt::format("{:.3g} s", report.seconds)});
    page_.table(table);
  }

  const FitReportInput& input_;
  const Progress& progress_;
  SkinPainter painter_;
  Page page_;
};

}  // namespace

std::string gainText(double gain) {
  return gain < 0.1 ? fmt::format("{:.2g} %", 100 * gain) : fmt::format("{:.0f} %", 100 * gain);
}

std::string fitReportPage(const FitReportInput& input, const Progress& progress) {
  SINEW_CHECK(input.result != nullptr || input.explanation != nullptr, "report", "there is nothing to report on");
  return FitPage(input, progress).make();
}

}  // namespace sinew::cli
