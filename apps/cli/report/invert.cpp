#include "report/invert.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/page.h"
#include "report/pictures.h"
#include "report/words.h"
#include "sinew/base/check.h"
#include "sinew/base/text.h"

namespace sinew::cli {
namespace {

/// The value that a share of all stays at or below (nearest rank).
double quantile(const Eigen::VectorXd& values, double share) {
  if (values.size() == 0) return 0;
  std::vector<double> sorted(values.begin(), values.end());
  const auto rank = static_cast<std::ptrdiff_t>(share * static_cast<double>(sorted.size() - 1));
  std::nth_element(sorted.begin(), sorted.begin() + rank, sorted.end());
  return sorted[toSize(rank)];
}

class InvertPage {
 public:
  explicit InvertPage(const InvertReportInput& input)
      : input_(input),
        report_(input.result.report),
        diagonal_(boundingBox(input.rest).diagonal()),
        painter_(input.character, input.up, input.pictureSize),
        page_(input.sculptFile.empty() ? "Inverse skinning" : "Inverse skinning of " + fileName(input.sculptFile),
              report_.sentence()) {
    deltas_ = input.result.deltas.colwise().norm().transpose();
    layer_ = input.result.layer.colwise().norm().transpose();
  }

  std::string make() {
    const std::vector<Page::Figure> figures = {
        {percentText(report_.before.rmsPercent), "deformer alone, rms distance to the sculpt"},
        {percentText(report_.residual.rmsPercent), "with the corrected rest shape"},
        {fmt::format("{:.3g}", report_.largestDelta), "largest rest displacement, scene units"},
        {counted(toSize(report_.evaluations), "call", "calls"), "of the deformer on the whole mesh"}};
    page_.figures(figures);
    page_.warnings(warnings());
    shapes();
    numbers();
    facts();
    origin();
    return page_.html();
  }

 private:
  [[nodiscard]] std::vector<std::string> warnings() const {
    std::vector<std::string> sentences;
    if (!report_.converged) {
      sentences.push_back(
          fmt::format("the solver stopped early ({}); raise --max-calls, or accept a "
                      "larger --tolerance",
                      report_.stopped));
    }
    if (report_.unreachable > 0) {
      sentences.push_back(
          fmt::format("{} cannot reach the sculpt by moving the rest shape; the remainder is added after the deformer, "
                      "which only Sinew plays. Sculpt these regions less, or change their weights",
                      counted(toSize(report_.unreachable), "vertex", "vertices")));
    }
    if (report_.singular > 0) {
      sentences.push_back(fmt::format(
          "the deformer is singular at {} in this pose (weights cancel near 180 degrees); displacements there "
          "are damped",
          counted(toSize(report_.singular), "vertex", "vertices")));
    }
    if (report_.nonLocal > 1) {
      sentences.push_back(
          fmt::format("the deformer is not point-wise: moving one vertex also moves {} others, so all vertices were "
                      "solved together",
                      report_.nonLocal - 1));
    }
    if (report_.largestDelta > 0.25 * diagonal_) {
      sentences.push_back(
          fmt::format("the largest displacement is {:.0f} % of the diagonal and may distort other poses; raise "
                      "--regularisation",
                      100 * report_.largestDelta / diagonal_));
    }
    return sentences;
  }

  void shapes() {
    page_.heading("Shapes");
    const Points corrected = input_.rest + input_.result.deltas;
    std::vector<PagePicture> posed;
    Eigen::VectorXd importance = deltas_;
    if (input_.before != nullptr) importance = vertexDistances(input_.sculpt, *input_.before);
    const picture::Camera camera = painter_.cameraForDistances(input_.sculpt, importance);
    std::vector<double> distances(report_.vertexResidual.begin(), report_.vertexResidual.end());
    if (input_.before != nullptr) distances.assign(importance.begin(), importance.end());
    const picture::ScalarScale scale = errorScale(std::move(distances), diagonal_);
    if (input_.before != nullptr) {
      posed.push_back({painter_.coloured(*input_.before, importance, scale, camera), "deformer alone",
                       fmt::format("rms {}, max {:.3g}", percentText(report_.before.rmsPercent), report_.before.max)});
    }
    posed.push_back({painter_.clay(input_.sculpt, camera), "sculpt"});
    posed.push_back(
        {painter_.coloured(input_.sculpt, report_.vertexResidual, scale, camera), "residual",
         fmt::format("rms {}, max {:.3g}", percentText(report_.residual.rmsPercent), report_.residual.max)});
    page_.paragraph("Posed, coloured by distance to the sculpt.");
    page_.colourScale(scale, "distance, scene units");
    page_.pictures(posed);

    const picture::Camera restCamera = painter_.cameraForDistances(input_.rest, deltas_);
    const picture::ScalarScale length = errorScale({deltas_.begin(), deltas_.end()}, diagonal_);
    page_.paragraph("At rest, coloured by displacement.");
    page_.colourScale(length, "displacement, scene units");
    std::vector<PagePicture> rest = {{painter_.clay(input_.rest, restCamera), "rest"},
                                     {painter_.coloured(corrected, deltas_, length, restCamera), "corrected rest shape",
                                      fmt::format("largest {:.3g}", report_.largestDelta)}};
    if (report_.conditioning.size() == input_.rest.cols()) {
      rest.push_back({painter_.coloured(input_.rest, (1 - report_.conditioning.array()).max(0).matrix(), {0, 1, "heat"},
                                        restCamera),
                      "singularity", "pale: none; dark: one direction cannot be reached"});
    }
    page_.pictures(rest);
  }

  void numbers() {
    page_.heading("Numbers");
    PageTable table;
    table.columns = {
        {"per vertex, scene units"}, {"median", Align::Right}, {"95 %", Align::Right}, {"largest", Align::Right}};
    const auto row = [&](const char* name, const Eigen::VectorXd& values) {
      table.rows.push_back({name, fmt::format("{:.3g}", quantile(values, 0.5)),
                            fmt::format("{:.3g}", quantile(values, 0.95)), fmt::format("{:.3g}", quantile(values, 1))});
    };
    if (input_.before != nullptr) row("distance before", vertexDistances(input_.sculpt, *input_.before));
    row("displacement at rest", deltas_);
    row("added after the deformer", layer_);
    row("residual distance", report_.vertexResidual);
    page_.table(table);
  }

  void facts() {
    page_.heading("How it was solved");
    PageTable table;
    table.columns = {{""}, {""}};
    if (!input_.operatorName.empty()) table.rows.push_back({"deformer", input_.operatorName});
    table.rows.insert(table.rows.end(),
                      {{"method", std::string(nameOf(report_.method))},
                       {"stopped", report_.stopped},
                       {"whole-mesh calls", fmt::format("{}", report_.evaluations)},
                       {"tolerance", fmt::format("{:.3g}", report_.tolerance)},
                       {"precision of the deformer", fmt::format("{} bits", report_.bits)},
                       {"vertices moved by one vertex", fmt::format("{}", report_.nonLocal)},
                       {"singular vertices", fmt::format("{} of {}", report_.singular, input_.rest.cols())},
                       {"unreachable vertices", fmt::format("{} of {}", report_.unreachable, input_.rest.cols())},
                       {"layer after the deformer", fmt::format("rms {:.3g}", report_.layerRms)},
                       {"without that layer", fmt::format("rms {}", percentText(report_.withoutLayer.rmsPercent))},
                       {"time", fmt::format("{:.3g} s", report_.seconds)}});
    page_.table(table);
  }

  void origin() {
    const std::vector<std::pair<std::string, std::string>> files = {{"character", input_.characterFile},
                                                                    {"pose", input_.poseFile},
                                                                    {"sculpt", input_.sculptFile},
                                                                    {"output", input_.outputFile}};
    tellOrigin(page_, input_.commandLine, files, input_.notes);
  }

  const InvertReportInput& input_;
  const InvertReport& report_;
  double diagonal_;
  SkinPainter painter_;
  Page page_;
  Eigen::VectorXd deltas_;
  Eigen::VectorXd layer_;
};

void checkColumns(Index wanted, Index given, const char* what) {
  SINEW_CHECK(wanted == given, "report", fmt::format("{} has {} vertices, the character {}", what, given, wanted));
}

}  // namespace

std::string invertReportPage(const InvertReportInput& input) {
  const Index count = input.character.mesh.vertexCount();
  checkColumns(count, input.rest.cols(), "the rest shape");
  checkColumns(count, input.sculpt.cols(), "the sculpt");
  checkColumns(count, input.result.deltas.cols(), "the displacement");
  checkColumns(count, input.result.layer.cols(), "the layer");
  checkColumns(count, input.result.report.vertexResidual.size(), "the residual");
  if (input.before != nullptr) checkColumns(count, input.before->cols(), "the posed shape");
  return InvertPage(input).make();
}

}  // namespace sinew::cli
