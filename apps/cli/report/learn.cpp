#include "report/learn.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/examples.h"
#include "report/page.h"
#include "report/pictures.h"
#include "report/words.h"
#include "sinew/deform/example_errors.h"
#include "sinew/deform/morph_driven_skin.h"
#include "sinew/deform/posing.h"

namespace sinew::cli {
namespace {

/// Of the work: reading the examples.
constexpr double kReadShare = 0.5;

/// One example, as the character and the learned skin show it.
struct PlayedExample {
  Example example;
  Points before;
  Points after;
};

class LearnPage {
 public:
  LearnPage(const LearnReportInput& input, const Progress& progress)
      : input_(input),
        report_(input.result.report),
        progress_(progress),
        painter_(input.before, input.up, input.pictureSize),
        page_(input.characterFile.empty() ? "A skin within a budget"
                                          : "A skin within a budget for " + fileName(input.characterFile),
              report_.sentence()) {}

  std::string make() {
    summary();
    budget();
    front();
    choices();
    pictures();
    const std::vector<std::pair<std::string, std::string>> files = {
        {"character", input_.characterFile}, {"examples", input_.examplesFile}, {"output", input_.outputFile}};
    tellOrigin(page_, input_.commandLine, files, input_.notes);
    return page_.html();
  }

 private:
  void summary() {
    const SkinCost& used = report_.used;
    page_.figures(std::vector<Page::Figure>{
        {percentText(report_.before.rmsPercent), "the skin as it was, rms of the diagonal at held-out examples"},
        {percentText(report_.after.rmsPercent),
         "the chosen skin at these, learned without them, as any viewer plays it"},
        {fmt::format("{:.3g} ns", used.nanoseconds), "per vertex and frame, estimated"},
        {bytesText(used.bytes), "added to the file"}});
    std::vector<std::string> warnings = report_.warnings;
    warnings.insert(warnings.end(), input_.warnings.begin(), input_.warnings.end());
    page_.warnings(warnings);
    page_.paragraph(
        report_.learnedAll
            ? fmt::format("Errors are measured at examples that were not learned ({}). The skin in the file "
                          "is learned from all examples.",
                          report_.heldOutBy)
            : "Errors are measured at the examples that were set aside; the skin in the file is learned from the "
              "others.");
    page_.list(report_.notes);
  }

  void budget() {
    page_.heading("The budget");
    PageTable table;
    table.columns = {{""}, {"allowed", Align::Right}, {"used", Align::Right}};
    const SkinBudget& named = input_.budget;
    const SkinBudget& allowed = report_.limits;
    const SkinCost& used = report_.used;
    const auto row = [&](const char* name, const std::string& limit, const std::string& value) {
      table.rows.push_back({name, limit.empty() ? "no limit" : limit, value});
    };
    const auto count = [](const std::optional<int>& limit, const std::optional<int>& asked) {
      return limit ? fmt::format("{}{}", *limit, asked ? "" : " (default)") : std::string();
    };
    row("influences (joints per vertex)", count(allowed.influences, named.influences),
        fmt::format("{}", used.influences));
    row("helper joints", count(allowed.helpers, named.helpers), fmt::format("{}", used.helpers));
    row("morph targets per mesh", count(allowed.morphs, named.morphs), fmt::format("{}", used.morphs));
    row("bytes added to the file", allowed.bytes ? fmt::format("{}", *allowed.bytes) : "",
        fmt::format("{}", used.bytes));
    row("nanoseconds per vertex", allowed.nanoseconds ? fmt::format("{:g}", *allowed.nanoseconds) : "",
        fmt::format("{:.3g}", used.nanoseconds));
    page_.table(table);
  }

  /// Error over one cost: every choice as a dot, the front as a line.
  [[nodiscard]] PageLineChart chartOf(const std::string& title, const std::string& label, double unit,
                                      double (*cost)(const SkinCost&)) const {
    PageLineChart chart{.title = title, .lines = {}};
    chart.unit = " %";
    chart.leastTop = 0;
    chart.xLabel = label;
    chart.description = "error of every choice over its cost";
    PageLine all{.name = "choice", .x = {}, .y = {}, .colour = kPageGrey, .dots = true};
    PageLine best{.name = "front: nothing cheaper is as good", .x = {}, .y = {}, .colour = 0};
    PageLine chosen{.name = "chosen", .x = {}, .y = {}, .colour = kPageInk, .dots = true};
    std::vector<const SkinChoice*> byCost;
    for (const SkinChoice& choice : report_.choices) byCost.push_back(&choice);
    std::stable_sort(byCost.begin(), byCost.end(),
                     [&](const auto* a, const auto* b) { return cost(a->cost) < cost(b->cost); });
    for (const SkinChoice* choice : byCost) {
      PageLine& line = choice->chosen ? chosen : all;
      line.x.push_back(cost(choice->cost) / unit);
      line.y.push_back(choice->errorPercent);
      if (!best.y.empty() && choice->errorPercent >= best.y.back()) continue;
      best.x.push_back(cost(choice->cost) / unit);
      best.y.push_back(choice->errorPercent);
    }
    chart.lines = {best, all, chosen};
    return chart;
  }

  void front() {
    page_.heading("Error against cost");
    page_.lines(std::vector<PageLineChart>{
        chartOf("kilobytes added to the file", "kB", 1e3,
                [](const SkinCost& cost) { return static_cast<double>(cost.bytes); }),
        chartOf("picoseconds per vertex and frame", "ps", 1e-3, [](const SkinCost& cost) { return cost.nanoseconds; }),
        chartOf("morph targets", "targets", 1, [](const SkinCost& cost) { return static_cast<double>(cost.morphs); })});
  }

  void choices() {
    page_.subheading("Choices", "errors at held-out examples; bytes are estimates, but for the chosen one");
    PageTable table;
    table.columns = {{"choice"},
                     {"error", Align::Right},
                     {"joints", Align::Right},
                     {"helper joints", Align::Right},
                     {"morph targets", Align::Right},
                     {"bytes", Align::Right},
                     {"ns per vertex", Align::Right},
                     {""}};
    for (const SkinChoice& choice : report_.choices) {
      std::string remark = choice.chosen ? "chosen" : !choice.fits ? "outside the budget" : "";
      if (choice.examples < report_.heldOut.size())
        remark += fmt::format("{}measured at {} of {} examples", remark.empty() ? "" : ", ", choice.examples,
                              report_.heldOut.size());
      if (choice.chosen) table.marked.push_back(table.rows.size());
      table.rows.push_back({choice.name, percentText(choice.errorPercent), fmt::format("{}", choice.cost.influences),
                            fmt::format("{}", choice.cost.helpers), fmt::format("{}", choice.cost.morphs),
                            bytesText(choice.cost.bytes), fmt::format("{:.3g}", choice.cost.nanoseconds), remark});
    }
    page_.table(table);
  }

  /// The examples that the old skin plays worst.
  [[nodiscard]] std::vector<PlayedExample> played() const {
    const CorrectedCharacter& skin = input_.result.skin.corrected;
    CharacterPoser before(input_.before);
    CharacterPoser after(skin.character, playedByMorphs(skin));
    std::vector<double> errors;
    Example example;
    const auto count = static_cast<double>(input_.examples.size());
    for (std::size_t k = 0; k < input_.examples.size(); ++k) {
      report(progress_, {kReadShare * static_cast<double>(k) / count, "drawing the report"});
      input_.examples.read(k, example);
      errors.push_back((before.pose(example.pose) - example.points).norm());
    }
    std::vector<PlayedExample> shown;
    for (const std::size_t k : shownRows(errors, input_.mostExamples)) {
      input_.examples.read(k, example);
      shown.push_back({example, before.pose(example.pose), after.pose(poseOn(skin.character, example.pose))});
    }
    return shown;
  }

  void pictures() {
    page_.heading(report_.learnedAll ? "Examples, learned" : "Examples that were set aside");
    const std::vector<PlayedExample> shown = played();
    std::vector<double> values;
    for (const PlayedExample& one : shown) {
      const Eigen::VectorXd distances = vertexDistances(one.example.points, one.before);
      values.insert(values.end(), distances.begin(), distances.end());
    }
    const picture::ScalarScale scale = errorScale(std::move(values), report_.diagonal);
    page_.paragraph("Colours show the distance to the example, with one scale for all pictures.");
    tellShown(page_, shown.size(), input_.examples.size(), "those with the largest error of the old skin");
    page_.colourScale(scale, "distance to the example, scene units");
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const double drawn = static_cast<double>(i) / static_cast<double>(shown.size() + 1);
      report(progress_, {kReadShare + (1 - kReadShare) * drawn, "drawing the report"});
      show(shown[i], scale);
    }
  }

  void show(const PlayedExample& one, const picture::ScalarScale& scale) {
    const Points& truth = one.example.points;
    const Eigen::VectorXd before = vertexDistances(truth, one.before);
    const Eigen::VectorXd after = vertexDistances(truth, one.after);
    const picture::Camera camera = painter_.cameraForDistances(truth, before);
    const auto note = [&](const Points& points) {
      return "rms " + percentText(compareShapes(truth, points, report_.diagonal).rmsPercent);
    };
    page_.subheading(one.example.name, turnedJoints(input_.before, one.example.pose));
    page_.pictures(
        std::vector<PagePicture>{{painter_.clay(truth, camera), "the example"},
                                 {painter_.coloured(one.before, before, scale, camera), "before", note(one.before)},
                                 {painter_.coloured(one.after, after, scale, camera), "after", note(one.after)}});
  }

  const LearnReportInput& input_;
  const BudgetedSkinReport& report_;
  const Progress& progress_;
  SkinPainter painter_;
  Page page_;
};

}  // namespace

std::string learnReportPage(const LearnReportInput& input, const Progress& progress) {
  return LearnPage(input, progress).make();
}

}  // namespace sinew::cli
