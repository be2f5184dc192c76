// Xian, Seah, Tian, Lewis and Fong 2006, "A Powell Optimization Approach for Example-Based Skinning in a Production
// Animation Environment", sections 4 and 5: find d such that F(v + d) is the sculpt t, F the operator at the pose.
// Departures: batched Gauss-Newton is the default, Powell's method an option (invert_newton, invert_powell); the closed
// form where F is a linear blend; a fixed-point iteration where F is not point-wise (invert_fixed_point). For singular
// poses (section 5.3) the objective is
//   |t - F(v + d)|^2 + mu |d|^2,  then  w = t - F(v + d),  and what plays is F(v + d) + w:
// the paper's |t + w - F|^2 + lambda |w|^2 + epsilon |d|^2 has the wrong sign of w, and with w eliminated it is this
// one with mu = epsilon (1 + lambda) / lambda; its lambda = epsilon = 1e-4 is mu = 1, which halves every correction.
#include "sinew/learn/invert.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/character/mesh.h"
#include "sinew/deform/linear_blend.h"
#include "sinew/learn/invert/methods.h"
#include "sinew/math/batched_newton.h"
#include "sinew/math/decompositions.h"
#include "sinew/math/powell.h"

namespace sinew::invert {
namespace {

constexpr const char* kWhere = "invert";

double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void checkInputs(const ConstPointsRef& rest, const ConstPointsRef& sculpt, const InvertOptions& options) {
  SINEW_CHECK(rest.cols() > 0, kWhere, "the mesh has no vertices");
  SINEW_CHECK(rest.cols() == sculpt.cols(), kWhere,
              fmt::format("the sculpt has {} vertices, the mesh {}; match them first", sculpt.cols(), rest.cols()));
  checkFinite(rest, kWhere, "the rest shape");
  checkFinite(sculpt, kWhere, "the sculpt");
  checkChoice(options.method, "method", kWhere);
  checkChoice(options.lineSearch, "line search", kWhere);
  SINEW_CHECK(options.regularisation >= 0 && std::isfinite(options.regularisation), kWhere,
              fmt::format("the regularisation is {}; it must be 0 or more", options.regularisation));
  SINEW_CHECK(options.tolerance >= 0 && options.difference >= 0 && options.step > 0 && options.maxCalls >= 10, kWhere,
              "tolerance and difference must be 0 or more, the step above 0, and the limit of calls at least 10");
}

/// Gives w to the vertices that keep a remainder by design, and measures. `start` and `reached` are the operator at
/// rest and at the result.
void finishReport(const ConstPointsRef& rest, const ConstPointsRef& sculpt, const Points& start, const Points& reached,
                  const Conditioning& conditioning, const std::vector<bool>& remains, double diagonal,
                  InvertResult& result) {
  InvertReport& report = result.report;
  const Index count = rest.cols();
  result.layer.setZero(3, count);
  report.reachable.assign(toSize(count), true);
  for (Index v = 0; v < count; ++v) {
    const auto i = toSize(v);
    const Vec3 remainder = sculpt.col(v) - reached.col(v);
    const bool layered = remains[i] || conditioning.ridge[v] > 0;
    if (layered) result.layer.col(v) = remainder;
    // A well-conditioned vertex with a penalty on d is still reachable.
    const bool beyond = layered && (conditioning.singular[i] || conditioning.ridge[v] == 0);
    if (beyond && remainder.norm() > report.tolerance) {
      report.reachable[i] = false;
      ++report.unreachable;
    }
    report.singular += conditioning.singular[i] ? 1 : 0;
  }
  const Points played = reached + result.layer;
  report.before = compareShapes(sculpt, start, diagonal);
  report.residual = compareShapes(sculpt, played, diagonal);
  report.withoutLayer = compareShapes(sculpt, reached, diagonal);
  report.vertexResidual = vertexDistances(sculpt, played);
  report.conditioning = conditioning.smallest;
  report.layerRms = std::sqrt(result.layer.squaredNorm() / static_cast<double>(count));
  report.largestDelta = std::sqrt(result.deltas.colwise().squaredNorm().maxCoeff());
}

std::string reasonOf(const Solved& solved, const InvertReport& report) {
  if (solved.outOfCalls) return "the limit of calls was reached";
  if (solved.stalled) return "the iteration made no further progress";
  if (report.unreachable > 0) return "every vertex is reached or unreachable";
  return "every vertex is reached";
}

double diagonalOf(const ConstPointsRef& rest) {
  const double diagonal = boundingBox(rest).diagonal();
  return diagonal > 0 ? diagonal : 1;  // a single point
}

InvertResult invertBlend(const LinearBlend& blend, const PosedJoints& joints, const Points& rest, const Points& sculpt,
                         const InvertOptions& options, const Progress& progress) {
  const auto begin = std::chrono::steady_clock::now();
  report(progress, {0, "inverting the blend"});
  const double diagonal = diagonalOf(rest);
  std::vector<Mat3> jacobians(toSize(rest.cols()));
  blend.jacobians(joints, jacobians);
  const Conditioning conditioning = condition(jacobians, options.regularisation);
  const Points moved = blend.deform(rest, joints);
  Points target = sculpt;
  Seams(rest, moved, sculpt, diagonal).average(target);

  InvertResult result;
  result.deltas.resize(3, rest.cols());
  parallelFor(rest.cols(), 512, [&](Index v) {
    const Mat3& m = jacobians[toSize(v)];
    const Vec3 r = target.col(v) - moved.col(v);
    result.deltas.col(v) = pullBack(m, r, conditioning.ridge[v]);
  });
  const Points reached = blend.deform(rest + result.deltas, joints);
  result.report.method = InvertSolver::Closed;
  result.report.evaluations = 2;
  result.report.converged = true;
  const double noise = 0x1p-53 * moved.cwiseAbs().maxCoeff();
  result.report.tolerance =
      std::max(options.tolerance > 0 ? options.tolerance * diagonal : 1e-11 * diagonal, 1e3 * noise);
  finishReport(rest, sculpt, moved, reached, conditioning, std::vector<bool>(jacobians.size(), false), diagonal,
               result);
  result.report.stopped = reasonOf({}, result.report);
  result.report.seconds = secondsSince(begin);
  report(progress, {1, "done"});
  return result;
}

/// Newton solves to rounding because its last steps are free; the others stop where more digits cost calls.
double toleranceOf(const InvertOptions& options, InvertSolver method, const Probe& probe, double diagonal) {
  double tolerance = options.tolerance;
  if (tolerance == 0)
    tolerance = method == InvertSolver::Powell ? 1e-7 : method == InvertSolver::FixedPoint ? 1e-6 : 1e-11;
  return std::max(tolerance * diagonal, 4 * probe.noise);
}

double differenceOf(const InvertOptions& options, const Probe& probe, double diagonal) {
  if (options.difference > 0) return options.difference * diagonal;
  return std::max(1e-5, probe.bits < 53 ? 4 * std::sqrt(std::ldexp(1.0, -probe.bits)) : 0) * diagonal;
}

}  // namespace
}  // namespace sinew::invert

namespace sinew {

InvertResult invertMap(const PointMap& map, const ConstPointsRef& restRef, const ConstPointsRef& sculptRef,
                       const InvertOptions& options, const Progress& progress) {
  const auto begin = std::chrono::steady_clock::now();
  invert::checkInputs(restRef, sculptRef, options);
  SINEW_CHECK(options.method != InvertMethod::Closed, invert::kWhere,
              "the closed form works only for a linear blend; use the method newton for a black box");
  const Points rest = restRef;
  const Points sculpt = sculptRef;
  const double diagonal = invert::diagonalOf(rest);
  InvertResult result;
  invert::Box box(map, rest.cols());
  report(progress, {0, "probing the operator"});
  Points start;
  box.raw(rest, start);
  checkFinite(start, invert::kWhere, "the operator's answer at rest");
  const invert::Probe probe = invert::probe(box, rest, start, diagonal);
  InvertSolver method = options.method == InvertMethod::Powell ? InvertSolver::Powell : InvertSolver::Newton;
  if (probe.nonLocal > 1) {
    SINEW_CHECK(method != InvertSolver::Powell, invert::kWhere,
                fmt::format("the operator moves {} vertices if one is displaced, but Powell's method solves each "
                            "vertex separately; use the method newton or auto",
                            probe.nonLocal));
    method = InvertSolver::FixedPoint;
  }

  box.seams = invert::Seams(rest, start, sculpt, diagonal);
  Points moved = start;
  Points target = sculpt;
  box.seams.average(moved);
  box.seams.average(target);
  const double difference = invert::differenceOf(options, probe, diagonal);
  report(progress, {0.05, "taking derivatives"});
  const std::vector<Mat3> jacobians =
      differenceJacobians([&box](const Points& x, Points& y) { box(x, y); }, rest, moved, difference);
  const invert::Conditioning conditioning = invert::condition(jacobians, options.regularisation);
  result.report.tolerance = invert::toleranceOf(options, method, probe, diagonal);

  const invert::Task task{
      box,        rest,    moved,   target, jacobians, conditioning, probe, diagonal, result.report.tolerance,
      difference, options, progress};
  invert::Solved solved = method == InvertSolver::Powell       ? invert::solveByPowell(task)
                          : method == InvertSolver::FixedPoint ? invert::solveByFixedPoint(task)
                                                               : invert::solveByNewton(task);
  report(progress, {0.95, "checking"});
  result.deltas = std::move(solved.deltas);
  Points reached;
  box.raw(rest + result.deltas, reached);
  checkFinite(reached, invert::kWhere, "the operator's answer at the result");

  result.report.method = method;
  result.report.evaluations = box.calls();
  result.report.iterations = solved.iterations;
  result.report.meanEvaluations = solved.meanEvaluations;
  result.report.nonLocal = probe.nonLocal;
  result.report.bits = probe.bits;
  result.report.converged = !solved.outOfCalls && !solved.stalled;
  invert::finishReport(rest, sculpt, start, reached, conditioning, solved.remains, diagonal, result);
  result.report.stopped = invert::reasonOf(solved, result.report);
  result.report.seconds = invert::secondsSince(begin);
  report(progress, {1, "done"});
  return result;
}

InvertResult invertDeformer(const DeformerPtr& deformer, const PosedJoints& joints, const ConstPointsRef& rest,
                            const ConstPointsRef& sculpt, const InvertOptions& options, const Progress& progress) {
  SINEW_CHECK(deformer != nullptr, invert::kWhere, "no operator is given; for no deformation, pass an empty stack");
  const auto* blend = dynamic_cast<const LinearBlend*>(deformer.get());
  if (blend != nullptr && (options.method == InvertMethod::Auto || options.method == InvertMethod::Closed)) {
    invert::checkInputs(rest, sculpt, options);
    return invert::invertBlend(*blend, joints, rest, sculpt, options, progress);
  }
  SINEW_CHECK(options.method != InvertMethod::Closed, invert::kWhere,
              fmt::format("the closed form works only for a linear blend, not for '{}'; use the method newton",
                          deformer->name()));
  return invertMap(posedMap(deformer, joints), rest, sculpt, options, progress);
}

std::string InvertReport::sentence() const {
  std::string text =
      fmt::format("{} in {} whole-mesh {}, {:.2g} s: {}; max |d| {:.4g}, residual at most {:.3g}", nameOf(method),
                  evaluations, evaluations == 1 ? "call" : "calls", seconds, stopped, largestDelta, residual.max);
  if (nonLocal > 1) text += fmt::format("; one displaced vertex moves {}", nonLocal);
  if (bits < 53) text += fmt::format("; the operator answers with {} bits", bits);
  if (singular > 0) text += fmt::format("; {} {} singular", singular, singular == 1 ? "vertex is" : "vertices are");
  if (unreachable > 0)
    text += fmt::format("; {} unreachable, w contains the remainder (rms {:.3g})", unreachable, layerRms);
  return text;
}

}  // namespace sinew
