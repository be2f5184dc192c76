#include "report/reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/examples.h"
#include "report/page.h"
#include "report/pictures.h"
#include "report/words.h"
#include "sinew/base/check.h"
#include "sinew/base/text.h"
#include "sinew/picture/render.h"

namespace sinew::cli {
namespace {

constexpr std::size_t kMostShown = 8;
constexpr double kMarkSize = 0.012;  ///< of the diagonal: half the height of a proxy's mark

/// An octahedron around each point.
struct Marks {
  Points points;
  std::vector<Triangle> triangles;

  Marks(const Points& centres, double size) {
    points.resize(3, 6 * centres.cols());
    for (Index i = 0; i < centres.cols(); ++i) {
      for (Index axis = 0; axis < 3; ++axis) {
        points.col(6 * i + 2 * axis) = centres.col(i) + size * Vec3::Unit(axis);
        points.col(6 * i + 2 * axis + 1) = centres.col(i) - size * Vec3::Unit(axis);
      }
      const auto first = static_cast<std::uint32_t>(6 * i);
      for (std::uint32_t side = 0; side < 8; ++side) {
        Triangle t{first + (side & 1u), first + 2 + (side >> 1 & 1u), first + 4 + (side >> 2 & 1u)};
        if (((side & 1u) + (side >> 1 & 1u) + (side >> 2 & 1u)) % 2 == 1) std::swap(t[1], t[2]);
        triangles.push_back(t);
      }
    }
  }
};

class ReducePage {
 public:
  ReducePage(const ReduceReportInput& input, const Progress& progress)
      : input_(input),
        progress_(progress),
        model_(input.result.model),
        report_(input.result.report),
        triangles_(triangulate(input.character.mesh)),
        painter_(input.character, input.up, input.pictureSize),
        page_(model_.rigid ? "Skinning decomposition" : "Reduced model", report_.sentence()) {
    for (std::size_t e = 0; e < model_.exampleCount(); ++e) {
      Points shape(3, model_.rest.cols());
      deformReduced(model_, model_.controls[e], shape);
      const Eigen::Isometry3d& back = model_.inputFromAligned[e];
      made_.push_back((back.linear() * shape).colwise() + back.translation());
    }
  }

  std::string make() {
    const std::vector<Page::Figure> figures = {
        {fmt::format("{}", report_.controls), model_.rigid ? "rigid bones" : "controls"},
        {fmt::format("{:.3g} %", report_.fit.distortion), "distortion of the examples"},
        {percentText(report_.fit.total.rmsPercent), "rms error, of the diagonal"},
        {fmt::format("{}", report_.proxies), "proxies for posing"},
        {fmt::format("{:.3g} s", report_.seconds), "learning time"}};
    page_.figures(figures);
    page_.warnings(report_.warnings);
    groups();
    examples();
    singularValues();
    facts();
    origin();
    return page_.html();
  }

 private:
  /// The rest in the colours of its control groups, and as a ghost around its proxies.
  void groups() {
    page_.heading("Controls");
    page_.paragraph(
        "Each colour is a control: the triangles that it influences most. Vertices near a border have several "
        "controls. Dots are proxies: posing compares deformations there instead of at every vertex.");
    std::vector<picture::Rgba> colours;
    for (const std::uint32_t label : model_.labels) colours.push_back(picture::categoryColour(static_cast<int>(label)));
    const picture::Camera camera = painter_.cameraFor(model_.rest, {});
    picture::Shape shape;
    shape.points = &model_.rest;
    shape.triangles = triangles_;
    if (colours.size() == triangles_.size()) shape.triangleColours = colours;
    std::vector<PagePicture> pictures = {
        {render({shape}, camera), "control groups", counted(toSize(report_.controls), "control", "controls")}};
    if (model_.proxies.count() > 0) {
      const Marks marks(model_.proxies.positions, kMarkSize * report_.diagonal);
      picture::Shape dots;
      dots.points = &marks.points;
      dots.triangles = marks.triangles;
      dots.colour = {200, 40, 40};
      shape.ghost = true;
      pictures.push_back(
          {render({dots, shape}, camera), "proxies", counted(toSize(report_.proxies), "proxy", "proxies")});
    }
    page_.pictures(pictures);
  }

  [[nodiscard]] picture::Image render(std::vector<picture::Shape> shapes, const picture::Camera& camera) const {
    picture::RenderOptions options;
    options.width = options.height = input_.pictureSize;
    return picture::renderScene({std::move(shapes), std::nullopt}, camera, options);
  }

  void examples() {
    page_.heading("Errors");
    std::vector<double> rms;
    std::vector<double> all;
    std::vector<Eigen::VectorXd> distances;
    for (std::size_t e = 0; e < made_.size(); ++e) {
      distances.push_back(vertexDistances(input_.shapes[e], made_[e]));
      all.insert(all.end(), distances.back().begin(), distances.back().end());
      rms.push_back(report_.fit.perFrame[e].rms);
    }
    const picture::ScalarScale scale = errorScale(all, report_.diagonal);
    const std::vector<std::size_t> shown = shownRows(rms, kMostShown);
    page_.paragraph("Examples as the model reproduces them, coloured by distance to the input mesh.");
    page_.colourScale(scale, "distance, scene units");
    std::vector<PagePicture> pictures;
    for (const std::size_t e : shown) {
      report(progress_,
             {static_cast<double>(pictures.size() + 1) / static_cast<double>(shown.size() + 1), "drawing the report"});
      const picture::Camera camera = painter_.cameraFor(input_.shapes[e], {});
      pictures.push_back(
          {painter_.coloured(made_[e], distances[e], scale, camera), model_.names[e],
           fmt::format("rms {}, max {:.3g} at vertex {}", percentText(report_.fit.perFrame[e].rmsPercent),
                       report_.fit.perFrame[e].max, report_.fit.perFrame[e].maxVertex)});
    }
    page_.pictures(pictures);
    tellShown(page_, shown.size(), made_.size(), "those with the largest errors");
    PageBarChart chart;
    chart.unit = " %";
    chart.description = "rms error of each example in percent of the diagonal";
    chart.series = {{"rms in percent of the diagonal", {}, 0}};
    PageTable table;
    table.columns = {{"example"}, {"rms", Align::Right}, {"95 %", Align::Right}, {"max", Align::Right}};
    for (std::size_t e = 0; e < made_.size(); ++e) {
      const ShapeError& error = report_.fit.perFrame[e];
      chart.names.push_back(model_.names[e]);
      chart.series[0].values.push_back(error.rmsPercent);
      table.rows.push_back({model_.names[e], percentText(error.rmsPercent), fmt::format("{:.3g}", error.p95),
                            fmt::format("{:.3g}", error.max)});
      if (static_cast<int>(e) == model_.restExample) table.marked.push_back(e);
    }
    tellErrors(page_, chart, table, "example");
  }

  void singularValues() {
    if (report_.singularValues.size() == 0) return;
    page_.heading("Singular values");
    page_.paragraph(fmt::format(
        "Singular values of the map from controls to the gradients at the proxies. {} zero: exactly one is correct, "
        "because a translation of the whole shape changes no gradient; more would mean disconnected parts.",
        report_.zeroSingularValues == 1 ? "One of them is"
                                        : fmt::format("{} of them are", report_.zeroSingularValues)));
    PageLineChart chart;
    chart.title = "log10 of the singular values, largest first";
    PageLine line;
    line.name = "singular value";
    line.colour = 0;
    for (Index i = 0; i < report_.singularValues.size(); ++i) {
      if (!(report_.singularValues[i] > 1e-8 * report_.singularValues[0])) continue;
      line.x.push_back(static_cast<double>(i + 1));
      line.y.push_back(std::log10(report_.singularValues[i]));
    }
    if (line.x.size() < 2) return;
    chart.lines = {line};
    chart.description = "Singular values of the proxies' gradient map, on a logarithmic scale";
    page_.lines({{chart}});
  }

  void facts() {
    page_.heading("How it was learned");
    PageTable table;
    table.columns = {{""}, {""}};
    const auto row = [&](const char* name, const std::string& value) { table.rows.push_back({name, value}); };
    row("vertices", fmt::format("{}", report_.vertices));
    row("examples", fmt::format("{}", report_.examples));
    row("rest", report_.restName.empty() ? "given" : report_.restName);
    if (report_.bandwidth > 0) row("bandwidth", fmt::format("{:.3g} degrees", report_.bandwidth));
    row("controls per vertex", fmt::format("at most {}", report_.maxInfluences));
    row("groups of vertices with the same controls", fmt::format("{}", report_.groups));
    row("least determinant of a control", fmt::format("{:.3g}", report_.leastDeterminant));
    row("turns beyond 150 degrees", fmt::format("{}", report_.farTurns));
    row("unused vertices", fmt::format("{}", report_.unusedVertices));
    row("dropped faces, slivers", fmt::format("{}, {}", report_.droppedFaces, report_.slivers));
    row("the file's clip against the model", fmt::format("rms {}", percentText(input_.exported.total.rmsPercent)));
    page_.table(table);
    PageBarChart chart;
    chart.unit = "s";
    PageBars bars{.name = "seconds", .values = {}, .colour = 0};
    for (const ReducedStage& stage : report_.stages) {
      chart.names.push_back(stage.name);
      bars.values.push_back(stage.seconds);
    }
    chart.series = {bars};
    chart.description = "Seconds of each step of learning";
    if (!chart.names.empty()) page_.bars(chart);
  }

  void origin() {
    std::vector<std::pair<std::string, std::string>> files;
    for (const std::string& name : input_.inputs) files.emplace_back("meshes", name);
    files.emplace_back("output", input_.outputFile);
    tellOrigin(page_, input_.commandLine, files, input_.notes);
  }

  const ReduceReportInput& input_;
  const Progress& progress_;
  const ReducedModel& model_;
  const ReducedReport& report_;
  std::vector<Triangle> triangles_;
  SkinPainter painter_;
  Page page_;
  std::vector<Points> made_;
};

}  // namespace

std::string reduceReportPage(const ReduceReportInput& input, const Progress& progress) {
  const ReducedModel& model = input.result.model;
  SINEW_CHECK(
      input.shapes.size() == model.exampleCount() && input.result.report.fit.perFrame.size() == model.exampleCount(),
      "report", fmt::format("{} meshes for a model of {} examples", input.shapes.size(), model.exampleCount()));
  SINEW_CHECK(input.character.mesh.vertexCount() == model.rest.cols(), "report",
              fmt::format("the character has {} vertices, the model {}", input.character.mesh.vertexCount(),
                          model.rest.cols()));
  return ReducePage(input, progress).make();
}

}  // namespace sinew::cli
