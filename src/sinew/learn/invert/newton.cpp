// Per vertex, F the operator, t the sculpt, v the rest point:
//   min |t - F(v + d)|^2 + mu |d|^2
// by batched Gauss-Newton (math/batched_newton). First every vertex that is well conditioned at rest is solved with
// mu = 0. Vertices that then stop short of their target are out of the operator's reach: they are solved again with
// mu = 1e-4, so that d is short and w takes the remainder.
#include "sinew/learn/invert/methods.h"
#include "sinew/math/batched_newton.h"
#include "sinew/math/decompositions.h"

namespace sinew::invert {
namespace {

NewtonOptions newtonOptions(const Task& task) {
  return {.difference = task.difference,
          .tolerance = task.tolerance,
          .noise = task.probe.noise,
          .leastStep = 1e-9 * task.diagonal,
          .maxCalls = task.options.maxCalls - task.box.calls() - 1,
          .broyden = task.options.broyden,
          .firstFraction = 0.1,
          .progressStride = 0.8};
}

}  // namespace

Solved solveByNewton(const Task& task) {
  const BatchedFunction function = [&task](const Points& x, Points& y) { task.box(x, y); };
  const Eigen::VectorXd& ridge = task.conditioning.ridge;
  NewtonResult exact = solveNewton(function, task.rest, task.moved, task.target, ridge, task.jacobians,
                                   newtonOptions(task), task.progress);
  Solved solved{exact.x - task.rest, std::vector<bool>(exact.stop.size(), false), false, false, exact.iterations, 0};

  Points start = exact.x;
  Points startValue = exact.y;
  Points target = exact.y;
  Eigen::VectorXd again = Eigen::VectorXd::Zero(ridge.size());
  std::vector<Mat3> jacobians = exact.jacobians;
  bool anyAgain = false;
  for (Index v = 0; v < ridge.size(); ++v) {
    const auto i = toSize(v);
    solved.outOfCalls = solved.outOfCalls || exact.stop[i] == NewtonStop::OutOfCalls;
    solved.remains[i] = exact.stop[i] == NewtonStop::Settled &&
                        (ridge[v] > 0 || (task.target.col(v) - exact.y.col(v)).norm() > task.reach());
    if (ridge[v] > 0 || !solved.remains[i]) continue;
    anyAgain = true;
    start.col(v) = task.rest.col(v);
    startValue.col(v) = task.moved.col(v);
    target.col(v) = task.target.col(v);
    jacobians[i] = task.jacobians[i];
    again[v] = kSingularMu * task.conditioning.scale * task.conditioning.scale;
  }
  if (!anyAgain) return solved;
  const NewtonResult ridged =
      solveNewton(function, start, startValue, target, again, std::move(jacobians), newtonOptions(task), task.progress);
  for (Index v = 0; v < ridge.size(); ++v) {
    if (again[v] == 0) continue;
    solved.deltas.col(v) = ridged.x.col(v) - task.rest.col(v);
    solved.outOfCalls = solved.outOfCalls || ridged.stop[toSize(v)] == NewtonStop::OutOfCalls;
  }
  solved.iterations += ridged.iterations;
  return solved;
}

}  // namespace sinew::invert
