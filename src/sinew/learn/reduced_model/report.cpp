#include "sinew/learn/reduced_model/report.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "sinew/base/check.h"
#include "sinew/base/text.h"
#include "sinew/learn/reduced_model/rest.h"
#include "sinew/learn/reduced_proxies.h"
#include "sinew/math/rigid_fit.h"

namespace sinew::reduced_model {
namespace {

const double kFarCosine = std::cos(150 * std::numbers::pi / 180);

/// Columns of vertices that a face uses.
Points usedPoints(const ReducedSurface& surface, const Points& points) {
  if (surface.usedCount == points.cols()) return points;
  Points used(3, surface.usedCount);
  Index next = 0;
  for (Index v = 0; v < points.cols(); ++v)
    if (surface.used[toSize(v)] != 0) used.col(next++) = points.col(v);
  return used;
}

void addWarnings(const PreparedExamples& prepared, const ReducedModel& model, ReducedReport& report) {
  const auto warn = [&](std::string sentence) { report.warnings.push_back(std::move(sentence)); };
  if (report.droppedFaces > 0)
    warn(fmt::format("dropped {} with a repeated vertex",
                     counted(toSize(report.droppedFaces), "triangle", "triangles")));
  if (report.unusedVertices > 0)
    warn(fmt::format("errors ignore {} without a face", counted(toSize(report.unusedVertices), "vertex", "vertices")));
  if (model.controlCount() == 1 && prepared.aligned.size() == 1 && prepared.restExample == 0)
    warn("a single mesh shows no motion; the model can only move as a whole");
  if (report.farTurns > 0)
    warn(fmt::format(
        "{} of {} controls rotate by more than 150 degrees in some example; blends may rotate the other way",
        report.farTurns, report.controls));
  if (model.proxies.count() > 0 && report.zeroSingularValues > 1) {
    warn(fmt::format(
        "the controls are not all coupled ({} free directions besides translation); parts may drift when posed",
        report.zeroSingularValues - 1));
  }
}

void countFarTurns(const ReducedModel& model, ReducedReport& report) {
  for (std::size_t b = 0; b < toSize(model.controlCount()); ++b) {
    bool far = false;
    for (const std::vector<Affine>& controls : model.controls) {
      const Mat3 linear = controls[b].linear();
      report.leastDeterminant = std::min(report.leastDeterminant, linear.determinant());
      far = far || 0.5 * (nearestRotation(linear).trace() - 1) < kFarCosine;
    }
    report.farTurns += far ? 1 : 0;
  }
}

}  // namespace

void StageClock::lap(std::string name) {
  const Clock::time_point now = Clock::now();
  stages_.push_back({std::move(name), std::chrono::duration<double>(now - last_).count()});
  last_ = now;
}

double StageClock::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

PreparedExamples prepareExamples(const Mesh& topology, std::span<const Points> examples,
                                 std::span<const std::string> names, const std::optional<Points>& rest, int restIndex,
                                 int seed, StageClock& clock) {
  checkReducedExamples(topology, examples, names, rest);
  PreparedExamples prepared;
  for (std::size_t e = 0; e < examples.size(); ++e)
    prepared.names.push_back(names.empty() ? fmt::format("example {}", e) : names[e]);
  prepared.surface = reducedSurface(topology);
  clock.lap("checks");
  if (rest) {
    prepared.rest = *rest;
    const auto same = std::find(examples.begin(), examples.end(), *rest);
    if (same != examples.end()) prepared.restExample = static_cast<int>(same - examples.begin());
  } else {
    prepared.restExample =
        restIndex >= 0 ? restIndex : static_cast<int>(medoidExample(prepared.surface, examples, seed));
    prepared.rest = examples[toSize(prepared.restExample)];
  }
  SINEW_CHECK(boundingBox(prepared.rest).diagonal() > 0, "reduced model", "all vertices of the rest are at one point");
  prepared.graph = triangleGraph(prepared.surface, prepared.rest, examples);
  checkNotMirrored(prepared.surface, prepared.graph, prepared.rest, examples, prepared.names);
  AlignedExamples aligned = alignExamples(prepared.surface, prepared.rest, examples);
  prepared.aligned = std::move(aligned.points);
  prepared.inputFromAligned = std::move(aligned.inputFromAligned);
  clock.lap("rest and alignment");
  return prepared;
}

void fillModel(const PreparedExamples& prepared, ReducedModel& model) {
  model.rest = prepared.rest;
  model.names = prepared.names;
  model.inputFromAligned = prepared.inputFromAligned;
  model.restExample = prepared.restExample;
}

std::vector<std::uint32_t> labelsOfSource(const PreparedExamples& prepared, std::span<const std::uint32_t> labels) {
  constexpr std::uint32_t kOpen = 0xffffffffu;
  std::vector<std::uint32_t> all(prepared.surface.sourceCount, kOpen);
  for (std::size_t t = 0; t < labels.size(); ++t) all[prepared.surface.source[t]] = labels[t];
  // A dropped triangle is a line or a point: it shows no colour of its own, so it takes that of the one before.
  std::uint32_t last = labels.empty() ? 0 : labels.front();
  for (std::uint32_t& label : all) last = label = label == kOpen ? last : label;
  return all;
}

namespace {

/// Proxies of the model's weights, and their numbers for the report.
void addProxies(const PreparedExamples& prepared, ReducedResult& result) {
  ProxyResult made =
      makeProxies(result.model.rest, prepared.surface.triangles, result.model.weights, result.model.exampleCount());
  result.model.proxies = std::move(made.proxies);
  result.report.groups = made.groups;
  result.report.proxies = result.model.proxies.count();
  result.report.singularValues = std::move(made.singularValues);
  result.report.zeroSingularValues = made.zeros;
}

/// Errors, counts and warnings of a finished model.
void fillReport(const PreparedExamples& prepared, const ReducedModel& model, ReducedReport& report) {
  const ReducedSurface& surface = prepared.surface;
  report.vertices = model.rest.cols();
  report.examples = static_cast<Index>(prepared.aligned.size());
  report.controls = model.controlCount();
  report.maxInfluences = model.weights.maxInfluences();
  if (model.restExample >= 0) report.restName = model.names[toSize(model.restExample)];
  report.droppedFaces = static_cast<Index>(surface.sourceCount - surface.triangles.size());
  report.unusedVertices = model.rest.cols() - surface.usedCount;
  report.diagonal = boundingBox(usedPoints(surface, model.rest)).diagonal();
  countFarTurns(model, report);
  std::vector<Points> truths;
  std::vector<Points> shapes;
  Points moved(3, model.rest.cols());
  for (std::size_t e = 0; e < prepared.aligned.size(); ++e) {
    deformReduced(model, model.controls[e], moved);
    truths.push_back(usedPoints(surface, prepared.aligned[e]));
    shapes.push_back(usedPoints(surface, moved));
  }
  report.fit = compareSequences(truths, shapes, report.diagonal);
  addWarnings(prepared, model, report);
}

/// A warning if there are fewer controls than requested (0: no request).
void remarkCount(Index asked, ReducedReport& report) {
  if (asked <= report.controls) return;
  report.warnings.push_back(fmt::format("{} controls are requested and {} {} used: more would not improve the fit",
                                        asked, report.controls, report.controls == 1 ? "is" : "are"));
}

}  // namespace

void finish(const PreparedExamples& prepared, const Finish& wanted, StageClock& clock, const Progress& progress,
            ReducedResult& result) {
  if (wanted.proxies) {
    report(progress, {.fraction = wanted.proxiesBegin, .stage = "proxies"});
    addProxies(prepared, result);
    clock.lap("proxies");
  }
  report(progress, {.fraction = wanted.errorsBegin, .stage = "errors"});
  fillReport(prepared, result.model, result.report);
  remarkCount(wanted.requested, result.report);
  clock.lap("errors");
  result.report.stages = clock.stages();
  result.report.seconds = clock.seconds();
  report(progress, {.fraction = 1, .stage = "done", .value = result.report.fit.distortion});
}

}  // namespace sinew::reduced_model

namespace sinew {

std::string ReducedReport::sentence() const {
  const std::string proxy = proxies > 0 ? ", " + counted(toSize(proxies), "proxy", "proxies") : std::string();
  return fmt::format(
      "{}{} for {} vertices and {}, at most {} per vertex: distortion {:.3g} %, rms "
      "{:.3g} % of the diagonal",
      counted(toSize(controls), "control", "controls"), proxy, vertices,
      counted(toSize(examples), "example", "examples"), maxInfluences, fit.distortion, fit.total.rmsPercent);
}

}  // namespace sinew
