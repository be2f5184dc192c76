// Whole weights u_i / N, sum u = N, near the least of E(w) = w^T Q w, Q the Gram matrix of the point's displacements.
// Rounded down, the units that are missing go to the largest remainders; then single units move from a to b while
//   E changes by d^2 (Q_aa + Q_bb - 2 Q_ab) + 2 d (g_b - g_a) < 0,   g = Q w, d = 1 / N.
// Every move lowers E on a finite set, so it ends; a limit keeps it short. No weight moves by more than kFarthest
// units: E is the error of the examples alone, and where they cannot distinguish joints, moves caused by noise would
// undo what the fit kept of the old weights.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/learn/fit/weights.h"
#include "sinew/learn/fit/weights_columns.h"

namespace sinew::fit {
namespace {

constexpr Index kQuantizeWeightsGrain = 256;
constexpr int kMostMoves = 64;
constexpr double kFarthest = 1;  // units between a rounded weight and the exact one

/// Largest remainder; of equal ones the first.
std::vector<int> roundedUnits(const std::vector<Influence>& column, int steps) {
  std::vector<int> units;
  std::vector<std::size_t> order;
  int left = steps;
  for (std::size_t i = 0; i < column.size(); ++i) {
    units.push_back(std::clamp(static_cast<int>(std::floor(column[i].weight * steps)), 0, left));
    left -= units.back();
    order.push_back(i);
  }
  const auto remainder = [&](std::size_t i) { return column[i].weight * steps - units[i]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainder(a) > remainder(b); });
  for (std::size_t k = 0; left > 0; k = (k + 1) % order.size(), --left) ++units[order[k]];
  return units;
}

/// Moves single units while that lowers the error. `column` has the exact weights.
void moveUnits(const Eigen::MatrixXd& Q, const std::vector<Influence>& column, int steps, std::vector<int>& units) {
  const auto n = static_cast<Index>(units.size());
  const double d = 1.0 / steps;
  Eigen::VectorXd w(n);
  for (Index i = 0; i < n; ++i) w[i] = d * units[toSize(i)];
  Eigen::VectorXd g = Q * w;
  const auto beyond = [&](Index i) { return units[toSize(i)] - column[toSize(i)].weight * steps; };
  for (int move = 0; move < kMostMoves; ++move) {
    double least = -1e-12 * d * d * Q.trace();
    Index from = -1;
    Index to = -1;
    for (Index a = 0; a < n; ++a) {
      for (Index b = 0; b < n; ++b) {
        if (a == b || units[toSize(a)] == 0) continue;
        if (beyond(a) - 1 < -kFarthest || beyond(b) + 1 > kFarthest) continue;
        const double change = d * d * (Q(a, a) + Q(b, b) - 2 * Q(a, b)) + 2 * d * (g[b] - g[a]);
        if (change >= least) continue;
        least = change;
        from = a;
        to = b;
      }
    }
    if (from < 0) return;
    --units[toSize(from)];
    ++units[toSize(to)];
    g += d * (Q.col(to) - Q.col(from));
  }
}

}  // namespace

WeightFit quantizeWeights(const FitProblem& problem, const WeightFit& fit, int steps) {
  SINEW_CHECK(steps >= 1, "rounding of weights", fmt::format("weights cannot be multiples of 1/{}", steps));
  SINEW_CHECK(static_cast<Index>(fit.columns.size()) == problem.pointCount(), "rounding of weights",
              fmt::format("{} columns of weights for {} points", fit.columns.size(), problem.pointCount()));
  WeightFit rounded = fit;
  parallelRanges(problem.pointCount(), kQuantizeWeightsGrain, [&](Index begin, Index end) {
    Eigen::MatrixXd columns;
    Eigen::MatrixXd gram;
    std::vector<std::uint32_t> bindings;
    for (Index p = begin; p < end; ++p) {
      std::vector<Influence>& column = rounded.columns[toSize(p)];
      std::vector<int> units = roundedUnits(column, steps);
      if (column.size() > 1) {
        bindings.clear();
        for (const Influence& influence : column) bindings.push_back(influence.binding);
        displacements(problem, p, bindings, nullptr, columns);
        gram.noalias() = columns.transpose() * columns;
        moveUnits(gram, column, steps, units);
      }
      for (std::size_t i = 0; i < column.size(); ++i) column[i].weight = static_cast<double>(units[i]) / steps;
      std::erase_if(column, [](const Influence& i) { return i.weight == 0; });
      std::stable_sort(column.begin(), column.end(),
                       [](const Influence& a, const Influence& b) { return a.weight > b.weight; });
    }
  });
  rounded.errors = weightErrors(problem, rounded.columns);
  rounded.report.objective = 0;
  for (const double error : rounded.errors) rounded.report.objective += error;
  return rounded;
}

}  // namespace sinew::fit
