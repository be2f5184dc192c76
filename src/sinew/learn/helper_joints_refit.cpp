// fitWeights shares tables of moments between the points of a skin, which pays where all points choose from the same
// joints. Here each has its own few tens, and they change from call to call, so its Gram matrix is made from the
// displacements themselves: Q = D^T D, D the columns sqrt(f_e) (T_i,e v - t_e).
#include "sinew/learn/helper_joints_refit.h"

#include <algorithm>

#include "sinew/base/parallel.h"
#include "sinew/learn/weights_columns.h"
#include "sinew/math/simplex_least_squares.h"

namespace sinew {
namespace {

constexpr Index kGrain = 32;
constexpr double kLeastWeight = 1e-9;

}  // namespace

/// Memory of one thread.
struct PointFits::Bench {
  std::vector<std::uint32_t> bindings;  // free ones, then locked ones that have a weight
  Eigen::MatrixXd columns;
  Eigen::MatrixXd gram;
  Eigen::VectorXd linear;
  Eigen::VectorXd weights;
  SimplexScratch scratch;
};

PointFits::PointFits(const FitProblem& problem, const WeightOptions& options,
                     std::vector<std::vector<std::uint32_t>> candidates)
    : problem_(problem), options_(options), candidates_(std::move(candidates)) {
  locked_.assign(problem.worldFromRest.front().size(), 0);
  for (const std::uint32_t b : options.lockedBindings) locked_[b] = 1;
}

std::vector<std::vector<Influence>> PointFits::fit(std::span<const Index> points,
                                                   const std::vector<char>& allowed) const {
  std::vector<std::vector<Influence>> columns(points.size());
  parallelRanges(static_cast<Index>(points.size()), kGrain, [&](Index begin, Index end) {
    Bench bench;
    for (Index i = begin; i < end; ++i) {
      const auto at = static_cast<std::size_t>(i);
      columns[at] = fitPoint(points[at], allowed, bench);
    }
  });
  return columns;
}

std::vector<Influence> PointFits::fitPoint(Index point, const std::vector<char>& allowed, Bench& bench) const {
  const std::vector<Influence>& prior = problem_.prior[static_cast<std::size_t>(point)];
  bench.bindings.clear();
  for (const std::uint32_t b : candidates_[static_cast<std::size_t>(point)]) {
    if (allowed[b] != 0 && locked_[b] == 0) bench.bindings.push_back(b);
  }
  const auto free = static_cast<Index>(bench.bindings.size());
  double total = 1;
  int most = options_.maxInfluences;
  for (const Influence& influence : prior) {
    if (locked_[influence.binding] == 0) continue;
    bench.bindings.push_back(influence.binding);
    total -= influence.weight;
    --most;
  }
  const double factors = factorSum(problem_, point);
  if (free == 0 || most <= 0 || total < kLeastWeight || factors == 0) return prior;
  const auto all = static_cast<Index>(bench.bindings.size());
  displacements(problem_, point, bench.bindings, nullptr, bench.columns);
  bench.gram.noalias() = bench.columns.transpose() * bench.columns;
  bench.weights.setZero(all);
  for (Index k = 0; k < all; ++k) {
    for (const Influence& influence : prior) {
      if (influence.binding == bench.bindings[static_cast<std::size_t>(k)]) bench.weights[k] = influence.weight;
    }
  }
  const double stiffness = options_.prior * 3 * factors * problem_.diagonal * problem_.diagonal;
  bench.linear.noalias() = bench.gram.topRightCorner(free, all - free) * bench.weights.tail(all - free);
  bench.linear -= stiffness * bench.weights.head(free);
  bench.gram.diagonal().array() += stiffness;
  solveSimplexCapped(bench.gram.topLeftCorner(free, free), bench.linear, total, most, {}, bench.scratch,
                     bench.weights.head(free));
  std::vector<Influence> column;
  for (Index k = 0; k < all; ++k) {
    if (bench.weights[k] >= kLeastWeight)
      column.push_back({bench.bindings[static_cast<std::size_t>(k)], bench.weights[k]});
  }
  return column;
}

Eigen::VectorXd PointFits::exampleErrors(std::span<const Index> points,
                                         const std::vector<std::vector<Influence>>& columns) const {
  const auto examples = static_cast<Index>(problem_.exampleCount());
  Eigen::MatrixXd errors(examples, static_cast<Index>(points.size()));
  parallelFor(errors.cols(), kGrain, [&](Index i) {
    const Index point = points[static_cast<std::size_t>(i)];
    const Vec3 rest = problem_.rest.col(point);
    for (Index e = 0; e < examples; ++e) {
      const auto at = static_cast<std::size_t>(e);
      Vec3 gap = -problem_.targets[at].col(point);
      for (const Influence& influence : columns[static_cast<std::size_t>(i)])
        gap += influence.weight * (problem_.worldFromRest[at][influence.binding] * rest);
      errors(e, i) = problem_.factor(at, point) * gap.squaredNorm();
    }
  });
  return errors.rowwise().sum();
}

}  // namespace sinew
