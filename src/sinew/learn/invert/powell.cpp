// Xian, Seah, Tian, Lewis and Fong 2006, section 5: the same objective as in invert/newton.cpp, by Powell's direction
// sets in lock step (math/powell). The paper has 6 unknowns for singular poses, d and w; here w is eliminated and set
// exactly afterwards (docs/methods/inverse_skinning.md). The first Jacobian, 3 calls, tells which vertices are
// singular: without mu Powell's method diverges along their flat directions.
#include <cmath>

#include "sinew/learn/invert/methods.h"
#include "sinew/math/decompositions.h"
#include "sinew/math/powell.h"

namespace sinew::invert {
namespace {

/// Of a cycle, relative. Where a vertex can be reached f falls by orders of magnitude; slow progress means that it is
/// out of reach.
constexpr double kLeastGain = 1e-2;

PowellResult minimise(const Task& task, const Eigen::MatrixXd& start, const Points& target,
                      const Eigen::VectorXd& ridge) {
  Points trial(3, start.cols());
  Points moved;
  const BatchedValues values = [&](const Eigen::MatrixXd& d, Eigen::VectorXd& f) {
    trial = task.rest + d;
    task.box(trial, moved);
    f = (target - moved).colwise().squaredNorm().transpose() +
        (ridge.array() * d.colwise().squaredNorm().transpose().array()).matrix();
  };
  // A vertex with a small correction begins with small steps: a parabola over a tenth of a limb is not informative.
  const double longest = task.options.step * task.diagonal;
  const Eigen::VectorXd steps = ((target - task.moved).colwise().norm().transpose().array() / task.conditioning.scale)
                                    .max(1e-3 * longest)
                                    .min(longest);
  return minimisePowell(values, start,
                        {.lineSearch = task.options.lineSearch,
                         .step = longest,
                         .enough = task.tolerance * task.tolerance,
                         .relativeTolerance = kLeastGain,
                         .maxCalls = task.options.maxCalls - task.box.calls() - 1,
                         .firstFraction = 0.1,
                         .progressStride = 0.8},
                        task.progress, steps);
}

}  // namespace

Solved solveByPowell(const Task& task) {
  const Eigen::VectorXd& ridge = task.conditioning.ridge;
  const Index count = ridge.size();
  const PowellResult exact = minimise(task, Eigen::MatrixXd::Zero(3, count), task.target, ridge);
  Solved solved;
  solved.deltas = exact.x;
  solved.remains.assign(exact.stop.size(), false);
  solved.meanEvaluations = exact.meanEvaluations();

  // Vertices that do not reach their target start again with mu. The others are kept in place by a target that they
  // have reached.
  Eigen::MatrixXd start = exact.x;
  Eigen::VectorXd again = Eigen::VectorXd::Zero(count);
  for (Index v = 0; v < count; ++v) {
    const auto i = toSize(v);
    solved.outOfCalls = solved.outOfCalls || exact.stop[i] == PowellStop::OutOfCalls;
    solved.remains[i] = exact.stop[i] == PowellStop::Settled && (ridge[v] > 0 || std::sqrt(exact.f[v]) > task.reach());
    if (ridge[v] > 0 || !solved.remains[i]) continue;
    again[v] = kSingularMu * task.conditioning.scale * task.conditioning.scale;
    start.col(v).setZero();
  }
  if ((again.array() == 0).all()) return solved;
  Points held;
  task.box(task.rest + exact.x, held);
  for (Index v = 0; v < count; ++v) {
    if (again[v] > 0) held.col(v) = task.target.col(v);
  }
  const PowellResult ridged = minimise(task, start, held, again);
  for (Index v = 0; v < count; ++v) {
    if (again[v] == 0) continue;
    solved.deltas.col(v) = ridged.x.col(v);
    solved.outOfCalls = solved.outOfCalls || ridged.stop[toSize(v)] == PowellStop::OutOfCalls;
  }
  solved.meanEvaluations += ridged.meanEvaluations() - 1;
  return solved;
}

}  // namespace sinew::invert
