#include "report/psd.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "learning.h"
#include "report/examples.h"
#include "report/page.h"
#include "report/pictures.h"
#include "report/words.h"
#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/base/text.h"
#include "sinew/deform/deformers.h"
#include "sinew/deform/pose_space.h"
#include "sinew/deform/posing.h"
#include "sinew/io/poses.h"
#include "sinew/math/rotation.h"

namespace sinew::cli {
namespace {

constexpr double kDegrees = 180 / std::numbers::pi;

struct SpaceRow {
  DeltaSpace space;
  const char* words;
};
constexpr SpaceRow kSpaces[] = {
    {DeltaSpace::Frame, "in the rotating frame of each vertex, added after skinning"},
    {DeltaSpace::Inverse, "in the rest pose, added before skinning"},
    {DeltaSpace::Forward, "in the frame of the root, added after skinning"},
    {DeltaSpace::Layered, "partly before skinning, the remainder after it"},
};

/// The shapes of one example.
struct ShownSculpt {
  std::size_t row = 0;  ///< of the report; the model's example is one more
  Example example;
  Points plain;
  Points model;
  Points without;
};

class PsdReport {
 public:
  PsdReport(const PsdReportInput& input, const Progress& progress)
      : input_(input),
        model_(*input.result.model),
        report_(input.result.report),
        progress_(progress),
        painter_(input.character, input.up, input.pictureSize),
        page_(titleOf(input), subtitleOf(input)) {
    SINEW_CHECK(
        report_.examples.size() + 1 >= model_.exampleCount(), "report",
        fmt::format("the report has {} examples, the model {}", report_.examples.size(), model_.exampleCount()));
  }

  std::string make() {
    summary();
    examples();
    errors();
    activations();
    next();
    exported();
    facts();
    origin();
    return page_.html();
  }

 private:
  static std::string titleOf(const PsdReportInput& input) {
    return input.characterFile.empty() ? "Pose-space deformation"
                                       : "Pose-space deformation of " + fileName(input.characterFile);
  }
  static std::string subtitleOf(const PsdReportInput& input) { return input.result.report.sentence(); }

  void summary() {
    std::vector<Page::Figure> figures = {
        {percentText(report_.before.rmsPercent), "plain skinning, rms of the diagonal"},
        {percentText(report_.after.rmsPercent), "with the model"},
        {percentText(report_.leaveOneOut.rmsPercent), "leave-one-out: an estimate for new poses"},
        {counted(report_.examples.size(), "example", "examples"),
         fmt::format("{} of {} vertices corrected", report_.touched, input_.character.mesh.vertexCount())}};
    if (input_.heldOut != nullptr) {
      const HeldOut& heldOut = *input_.heldOut;
      figures.insert(figures.begin(), {percentText(heldOut.learned.total.rmsPercent),
                                       fmt::format("at {} held out (plain skinning {})",
                                                   counted(heldOut.names.size(), "example", "examples"),
                                                   percentText(heldOut.plain.total.rmsPercent))});
    }
    page_.figures(figures);
    std::vector<std::string> warnings = report_.warnings;
    if (input_.exported != nullptr)
      warnings.insert(warnings.end(), input_.exported->warnings.begin(), input_.exported->warnings.end());
    warnings.insert(warnings.end(), input_.warnings.begin(), input_.warnings.end());
    if (const std::string lonely = lonelyExamples(); !lonely.empty()) warnings.push_back(lonely);
    if (report_.coverage < 0.5) {
      warnings.push_back(
          fmt::format("only {:.0f} % of the poses between the extremes are near an example; elsewhere the correction "
                      "fades out: sculpt the poses below, or use fewer drivers",
                      100 * report_.coverage));
    }
    page_.warnings(warnings);
  }

  /// One sentence on all examples that the others foresee worse than plain skinning does.
  [[nodiscard]] std::string lonelyExamples() const {
    constexpr std::size_t kMost = 6;
    std::string names;
    std::size_t count = 0;
    for (const PoseSpaceExample& row : report_.examples) {
      if (row.leaveOneOut.rms <= 1.5 * row.before.rms || report_.examples.size() < 2) continue;
      if (count++ < kMost) names += fmt::format("{}'{}'", names.empty() ? "" : ", ", row.name);
    }
    if (count == 0) return {};
    if (count > kMost) names += fmt::format(" and {} more", count - kMost);
    return fmt::format(
        "the leave-one-out error of {} is above that of plain skinning: the other examples do not predict {}. Keep {}, "
        "and sculpt poses in between before you rely on them{}",
        names, count == 1 ? "this pose" : "these poses", count == 1 ? "it" : "them",
        input_.options.kernel == "auto" ? "" : "; --kernel auto changes less");
  }

  /// Rows with pictures: all, or those that the others predict worst.
  [[nodiscard]] std::vector<std::size_t> pictured() const {
    std::vector<double> leftOut;
    for (const PoseSpaceExample& row : report_.examples) leftOut.push_back(row.leaveOneOut.rms);
    return shownRows(leftOut, input_.mostExamples);
  }

  [[nodiscard]] std::vector<ShownSculpt> poseShown() const {
    const Character& character = input_.character;
    CharacterPoser plain(character, makeSkinDeformer(model_.base, character.skin));
    CharacterPoser learned(character, std::make_shared<PoseSpaceDeformer>(character, input_.result.model));
    std::vector<std::string> names;
    for (const PoseSpaceExample& row : report_.examples) names.push_back(row.name);
    const ExampleSet& outline = input_.examples.outline();
    const std::vector<const Example*> examples = examplesNamed(outline, names);
    std::vector<ShownSculpt> shown;
    for (const std::size_t row : pictured()) {
      const Pose& pose = examples[row]->pose;
      shown.push_back({row, {}, plain.pose(pose), learned.pose(pose), {}});
      input_.examples.read(toSize(examples[row] - outline.examples.data()), shown.back().example);
    }
    // Each needs a model of its own, which is what takes time where vertices measure distances in groups.
    parallelFor(static_cast<Index>(shown.size()), 1, [&](Index i) {
      ShownSculpt& one = shown[toSize(i)];
      one.without = one.plain;
      if (model_.exampleCount() <= 2 || approximates()) return;
      const auto less = std::make_shared<PoseSpaceModel>(withoutExample(model_, one.row + 1));
      one.without = posePoints(character, one.example.pose, std::make_shared<PoseSpaceDeformer>(character, less));
    });
    return shown;
  }

  /// Whether the model has fewer centres than examples.
  [[nodiscard]] bool approximates() const { return model_.exampleCount() < report_.examples.size() + 1; }

  void examples() {
    page_.heading("Examples");
    const std::vector<ShownSculpt> shown = poseShown();
    std::vector<double> values;
    for (const ShownSculpt& one : shown) {
      const Eigen::VectorXd distances = vertexDistances(one.example.points, one.plain);
      values.insert(values.end(), distances.data(), distances.data() + distances.size());
    }
    const picture::ScalarScale scale = errorScale(std::move(values), report_.diagonal);
    page_.paragraph(
        std::string("Colours show the distance to the sculpt, with one scale for all pictures.") +
        (approximates() ? "" : " The last picture of each row shows the model learned without this example."));
    tellShown(page_, shown.size(), report_.examples.size(), "those with the largest leave-one-out error");
    page_.colourScale(scale, "distance to the sculpt, scene units");
    for (std::size_t i = 0; i < shown.size(); ++i) {
      report(progress_, {0.4 * static_cast<double>(i) / static_cast<double>(shown.size()), "drawing the report"});
      showExample(shown[i], scale);
    }
  }

  void showExample(const ShownSculpt& shown, const picture::ScalarScale& scale) {
    const Points& sculpt = shown.example.points;
    const PoseSpaceExample& row = report_.examples[shown.row];
    const Eigen::VectorXd before = vertexDistances(sculpt, shown.plain);
    const picture::Camera camera = painter_.cameraForDistances(sculpt, before);
    page_.subheading(row.name, drivenBy(shown.example.pose));
    const auto picture = [&](const Points& points, const char* caption, const ShapeError& error) {
      return PagePicture{painter_.coloured(points, vertexDistances(sculpt, points), scale, camera), caption,
                         fmt::format("rms {}, max {:.3g}", percentText(error.rmsPercent), error.max)};
    };
    std::vector<PagePicture> pictures = {picture(shown.plain, "plain skinning", row.before),
                                         {painter_.clay(sculpt, camera), "the sculpt"},
                                         picture(shown.model, "with the model", row.after)};
    if (!approximates()) pictures.push_back(picture(shown.without, "without this example", row.leaveOneOut));
    page_.pictures(pictures);
  }

  /// "elbow 90°, wrist 12°": the drivers that a pose rotates most.
  [[nodiscard]] std::string drivenBy(const Pose& pose) const {
    std::vector<std::pair<double, std::string>> parts;
    for (const PoseDriver& driver : model_.poseSpace.drivers) {
      if (driver.kind == DriverKind::Channel) {
        const double weight = pose.morphWeights[toSize(driver.source)];
        if (weight != 0) parts.emplace_back(90 * std::abs(weight), fmt::format("{} {:.2g}", driver.name, weight));
        continue;
      }
      const LocalTransform& rest = input_.character.skeleton[driver.source].rest;
      const LocalTransform& local = pose.local[toSize(driver.source)];
      if (driver.kind == DriverKind::Translation) {
        const double moved = (local.translation - rest.translation).norm();
        if (moved > 0) parts.emplace_back(moved, fmt::format("{} moved by {:.3g}", driver.name, moved));
        continue;
      }
      const double angle = kDegrees * local.rotation.normalized().angularDistance(rest.rotation.normalized());
      if (angle >= 0.5) parts.emplace_back(angle, fmt::format("{} {:.0f}°", driver.name, angle));
    }
    return largestParts(std::move(parts));
  }

  void errors() {
    page_.heading("Errors");
    page_.paragraph(
        "Root mean square distance to the sculpt in percent of the diagonal of the rest shape. The third bar shows how "
        "well the other examples predict this one: if it is long, the examples around it are too far apart.");
    PageBarChart chart;
    chart.unit = " %";
    chart.description = "rms error of each example before, after, and leave-one-out";
    chart.series = {{"plain skinning", {}}, {"with the model", {}}, {"without this example", {}}};
    PageTable table;
    table.columns = {{"example"},
                     {"plain", Align::Right},
                     {"model", Align::Right},
                     {"leave-one-out", Align::Right},
                     {"largest", Align::Right},
                     {"at vertex", Align::Right},
                     {"nearest example"},
                     {"distance", Align::Right}};
    for (const PoseSpaceExample& row : report_.examples) {
      chart.names.push_back(row.name);
      chart.series[0].values.push_back(row.before.rmsPercent);
      chart.series[1].values.push_back(row.after.rmsPercent);
      chart.series[2].values.push_back(row.leaveOneOut.rmsPercent);
      table.rows.push_back({row.name, percentText(row.before.rmsPercent), percentText(row.after.rmsPercent),
                            percentText(row.leaveOneOut.rmsPercent), fmt::format("{:.3g}", row.after.max),
                            fmt::format("{}", row.after.maxVertex), row.nearestName,
                            fmt::format("{:.3g}", row.nearest)});
    }
    tellErrors(page_, chart, table, "example");
  }

  void activations() {
    page_.heading("Activation");
    page_.paragraph(
        "The weight of each example along the path from rest to an example and on to the next one. Each curve should "
        "be 1 at its own example and 0 at the others, without large swings in between. Fade is 1 near the examples and "
        "falls to 0 far from all of them.");
    if (model_.weighted())
      page_.paragraph("Groups of vertices weight the drivers differently. The charts show the largest group.");
    std::vector<std::size_t> examples;
    for (const std::size_t row : pictured()) {
      const auto found = std::find(model_.names.begin() + 1, model_.names.end(), report_.examples[row].name);
      if (!approximates())
        examples.push_back(row + 1);  // the model's first is the rest pose
      else if (found != model_.names.end())
        examples.push_back(toSize(found - model_.names.begin()));
    }
    for (std::size_t k = 1; examples.size() < 2 && k < model_.exampleCount(); ++k) {
      if (std::find(examples.begin(), examples.end(), k) == examples.end()) examples.push_back(k);
    }
    page_.lines(activationCharts(model_, examples, partProgress(progress_, 0.4, 0.95)));
  }

  void next() {
    if (report_.next.empty()) return;
    page_.heading("Sculpt here next");
    page_.paragraph(
        "Poses at which the leave-one-out models disagree most: a sculpt there helps most. The pictures show the "
        "current model.");
    CharacterPoser learned(input_.character,
                           std::make_shared<PoseSpaceDeformer>(input_.character, input_.result.model));
    CharacterPoser plain(input_.character, makeSkinDeformer(model_.base, input_.character.skin));
    std::vector<PagePicture> pictures;
    for (const SculptHint& hint : report_.next) {
      report(progress_, {0.95, "drawing the report"});
      const Points points = learned.pose(hint.pose);
      const picture::Camera camera =
          painter_.cameraForDistances(points, vertexDistances(points, plain.pose(hint.pose)));
      pictures.push_back({painter_.clay(points, camera),
                          fmt::format("{}. between {}", pictures.size() + 1, hint.between),
                          fmt::format("predicted error {} ({:.3g})",
                                      percentText(100 * hint.predictedError / report_.diagonal), hint.predictedError)});
    }
    page_.pictures(pictures);
    for (std::size_t i = 0; i < report_.next.size(); ++i) {
      page_.code(poseToText(input_.character, report_.next[i].pose), fmt::format("Pose {} as a pose file", i + 1));
    }
  }

  void exported() {
    if (input_.exported == nullptr) return;
    const PoseSpaceExportReport& exported = *input_.exported;
    const ShapeError& error = exported.error.total;
    const ShapeError& model = exported.model.total;
    page_.heading("In other viewers");
    page_.paragraph(
        fmt::format("A viewer that supports only morph targets and skins plays {} ({}). Its error is {} rms, at most "
                    "{:.3g}, against the sculpts, and {} rms, at most {:.3g}, against the model over the baked frames.",
                    counted(toSize(exported.morphs), "morph target", "morph targets"), bytesText(exported.bytes),
                    percentText(error.rmsPercent), error.max, percentText(model.rmsPercent), model.max));
    if (exported.trade.empty()) return;
    tradeCurve(exported);
    PageTable table;
    table.columns = {{"method"},
                     {"morph targets", Align::Right},
                     {"size", Align::Right},
                     {"against the model", Align::Right},
                     {"at other poses", Align::Right},
                     {""}};
    for (const PoseSpaceTrade& row : exported.trade) {
      const bool chosen = row.morphs == exported.morphs && row.method == exported.method;
      if (chosen) table.marked.push_back(table.rows.size());
      table.rows.push_back({std::string(nameOf(row.method)), fmt::format("{}", row.morphs), bytesText(row.bytes),
                            percentText(100 * row.rms / report_.diagonal),
                            percentText(100 * row.heldOut / report_.diagonal), chosen ? "written" : ""});
    }
    page_.table(table);
  }

  /// The number of morph targets against what they leave at poses that were not fitted.
  void tradeCurve(const PoseSpaceExportReport& exported) {
    PageLineChart chart;
    chart.title = "Error by number of morph targets";
    chart.description = "Error of morph targets against the model, at poses that were not fitted, by their number";
    chart.unit = " %";
    chart.leastTop = 0;
    chart.xLabel = "morph targets";
    for (const auto& [method, name] : kChoices<MorphMethod>) {
      PageLine line;
      line.name = name;
      line.colour = static_cast<int>(chart.lines.size());
      for (const PoseSpaceTrade& row : exported.trade) {
        if (row.method != method) continue;
        line.x.push_back(row.morphs);
        line.y.push_back(100 * row.heldOut / report_.diagonal);
      }
      if (line.x.size() > 1) chart.lines.push_back(std::move(line));
    }
    if (!chart.lines.empty()) page_.lines(std::span(&chart, 1));
  }

  /// What was tried to interpolate with.
  void tried() {
    if (report_.trials.empty()) return;
    page_.paragraph(
        "The interpolations tried, with the leave-one-out error of each alone, and their shares in the mixture with "
        "the lowest leave-one-out error.");
    PageTable table;
    table.columns = {{"interpolation"}, {"leave-one-out", Align::Right}, {"share", Align::Right}};
    for (const PoseSpaceTrial& trial : report_.trials) {
      if (trial.share > 0.005) table.marked.push_back(table.rows.size());
      table.rows.push_back({trial.name, percentText(100 * trial.leaveOneOut / report_.diagonal),
                            trial.share > 0.005 ? fmt::format("{:.0f} %", 100 * trial.share) : ""});
    }
    page_.table(table);
  }

  /// What --tune tried, and what it took.
  void tuned() {
    if (input_.tuning == nullptr || input_.tuning->trials.empty()) return;
    page_.paragraph("Options tried one after the other; each is kept if it lowers the leave-one-out error.");
    PageTable table;
    table.columns = {{"tried"}, {"leave-one-out", Align::Right}, {"shapes", Align::Right}, {"centres", Align::Right}};
    for (const PoseSpaceTuningTrial& trial : input_.tuning->trials) {
      if (trial.chosen) table.marked.push_back(table.rows.size());
      table.rows.push_back({trial.name, percentText(trial.leaveOneOutPercent), fmt::format("{}", trial.rank),
                            fmt::format("{}", trial.centres)});
    }
    page_.table(table);
  }

  void facts() {
    page_.heading("The pose space");
    const char* words = "";
    for (const SpaceRow& row : kSpaces) {
      if (row.space == model_.space) words = row.words;
    }
    PageTable table;
    table.columns = {{""}, {""}};
    table.rows = {
        {"corrections", fmt::format("{}: {}", nameOf(model_.space), words)},
        {"base operator", model_.base},
        {"kernel", report_.kernel},
        {"radius", report_.radius > 0
                       ? fmt::format("{:.4g}{}", report_.radius, input_.options.radius > 0 ? "" : " (automatic)")
                       : std::string("the kernel has none")},
        {"ridge", fmt::format("{:g}", input_.options.ridge)},
        {"condition", fmt::format("{:.3g}", report_.condition)},
        {"coverage",
         fmt::format("{:.0f} % of the poses between the extremes are near an example", 100 * report_.coverage)},
        {"far from the examples", model_.fade ? "corrections fade out" : "corrections are not faded"},
        {"corrected vertices", fmt::format("{} of {}", report_.touched, input_.character.mesh.vertexCount())},
        {"measures of distance", model_.weighted()
                                     ? counted(toSize(report_.groups), "group of vertices", "groups of vertices")
                                     : "one for all"},
        {"coordinates", counted(toSize(model_.poseSpace.dimensions()), "number", "numbers")},
        {"time", fmt::format("{:.3g} s", report_.seconds)}};
    page_.table(table);
    tuned();
    tried();
    PageTable drivers;
    drivers.columns = {{"driver"}, {"coordinates"}, {"weight", Align::Right}, {"range over the examples"}};
    for (std::size_t d = 0; d < model_.poseSpace.drivers.size(); ++d) {
      const PoseDriver& driver = model_.poseSpace.drivers[d];
      const auto rows = model_.poses.middleRows(model_.poseSpace.firstRow(d), driver.dimensions());
      const bool angles = driver.kind == DriverKind::RotationVector || driver.kind == DriverKind::SwingTwist;
      const auto number = [&](double value) {
        if (angles) return fmt::format("{:.0f}°", std::round(kDegrees * value) + 0.0);
        return fmt::format("{:.3g}", std::abs(value) < 1e-9 ? 0 : value);
      };
      drivers.rows.push_back({driver.name, std::string(nameOf(driver.kind)), fmt::format("{:.3g}", driver.weight),
                              fmt::format("{} to {}", number(rows.minCoeff()), number(rows.maxCoeff()))});
    }
    page_.table(drivers);
  }

  void origin() {
    const std::vector<std::pair<std::string, std::string>> files = {
        {"character", input_.characterFile}, {"examples", input_.examplesFile}, {"output", input_.outputFile}};
    tellOrigin(page_, input_.commandLine, files, input_.notes);
  }

  const PsdReportInput& input_;
  const PoseSpaceModel& model_;
  const PoseSpaceReport& report_;
  const Progress& progress_;
  SkinPainter painter_;
  Page page_;
};

}  // namespace

std::string psdReportPage(const PsdReportInput& input, const Progress& progress) {
  SINEW_CHECK(input.result.model != nullptr, "report", "there is no model to report on");
  return PsdReport(input, progress).make();
}

}  // namespace sinew::cli
