// Skin weights from examples (Lee and Wang, section 7; Mohr and Gleicher 2003), for every point
//   min over w of  sum_e f_e |sum_i w_i T_i,e v - t_e|^2 + mu |w - w0|^2,   w >= 0, sum w = 1, at most k not 0.
// Departures: convex weights, where unconstrained ones turn negative; mu = prior * 3 sum_e f_e diagonal^2 keeps the old
// weights w0 where poses do not determine them; the k influences are the largest of the fit with all joints, fitted
// again, because a choice by rigidity picks near-duplicates of one joint. The full fit runs on moments
// (fit/weights_moments.cpp), the last one on the exact displacements of the chosen joints.
#include "sinew/learn/fit/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <optional>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/learn/fit/weights_columns.h"
#include "sinew/learn/fit/weights_exercise.h"
#include "sinew/learn/fit/weights_gram.h"
#include "sinew/learn/fit/weights_moments.h"
#include "sinew/learn/fit/weights_near.h"
#include "sinew/learn/fit/weights_row.h"
#include "sinew/learn/fit/weights_smooth.h"
#include "sinew/learn/fit/weights_solve.h"

namespace sinew::fit {
namespace {

constexpr const char* kWeightsWhere = "skin fitting";
constexpr std::size_t kBlock = 64;     // points of one matrix product
constexpr Index kBlocksPerCall = 512;  // between two reports of progress
constexpr Index kWeightsGrain = 256;
constexpr double kWeightsLeastWeight = 1e-9;  // smaller ones are dropped
constexpr double kChanged = 1e-6;
constexpr double kNaturalSmoothness = 10;  // natural strengths of a pull (fit/pulls.h) that are a smoothness of 1
constexpr double kMet = 1e-6;              // diagonals: what is nearer is matched exactly
constexpr double kUnseen = 3e-4;           // diagonals: by so much an error may rise where weights are evened out,
constexpr double kInsists = 1.0;           // and by this share of it
constexpr double kFirstEvening = 1;        // of the point's own pull or the natural one
constexpr int kEvenings = 9;

/// At most `most` influences, largest first, scaled to sum 1.
std::vector<Influence> limited(std::vector<Influence> column, int most) {
  std::stable_sort(column.begin(), column.end(),
                   [](const Influence& a, const Influence& b) { return a.weight > b.weight; });
  if (column.size() > toSize(most)) column.resize(toSize(most));
  std::erase_if(column, [](const Influence& i) { return i.weight < kWeightsLeastWeight; });
  double sum = 0;
  for (const Influence& influence : column) sum += influence.weight;
  for (Influence& influence : column) influence.weight /= sum;
  return column;
}

double errorOf(const FitProblem& problem, Index point, const std::vector<Influence>& column) {
  const Vec3 rest = problem.rest.col(point);
  double error = 0;
  for (std::size_t e = 0; e < problem.exampleCount(); ++e) {
    const double factor = problem.factor(e, point);
    if (factor == 0) continue;
    Vec3 moved = Vec3::Zero();
    for (const Influence& influence : column)
      moved += influence.weight * (problem.worldFromRest[e][influence.binding] * rest);
    error += factor * (moved - problem.targets[e].col(point)).squaredNorm();
  }
  return error;
}

class SkinFitter {
 public:
  SkinFitter(const Character& character, const FitProblem& problem, const WeightOptions& options,
             const Progress& progress)
      : character_(character), problem_(problem), options_(options), progress_(progress) {
    for (std::size_t r = 0; r < problem.candidates.size(); ++r) rows_.emplace_back(character, problem, r);
    setLocks();
    cutBlocks();
    if (options.normals > 0) normals_ = makeNormalRows(character, problem, options.normals * problem.diagonal);
  }

  WeightFit run() {
    const std::size_t points = problem_.prior.size();
    fit_.columns.resize(points);
    fit_.errors.resize(points);
    const int rounds = options_.smoothness > 0 ? options_.smoothRounds : 0;
    rounds_ = rounds + 1;
    sweep(nullptr);
    if (rounds > 0) {
      const PointNeighbours neighbours(character_.mesh, problem_);
      for (round_ = 1; round_ <= rounds; ++round_) {
        before_ = fit_.columns;
        sweep(&neighbours);
      }
    }
    if (options_.evenOut && !problem_.pulls.empty()) evenOut();
    finishReport();
    return std::move(fit_);
  }

 private:
  struct BlockRange {
    std::size_t row;
    std::size_t begin;
    std::size_t end;  ///< in order_
  };

  void setLocks() {
    lockedBinding_.assign(character_.skin.bindings.size(), 0);
    for (const std::uint32_t b : options_.lockedBindings) {
      SINEW_CHECK(b < lockedBinding_.size(), kWeightsWhere,
                  fmt::format("binding {} is locked, but the skin has {}", b, lockedBinding_.size()));
      lockedBinding_[b] = 1;
    }
    lockedBy_.assign(problem_.prior.size(), kNotFitted);
    for (const std::uint32_t v : options_.lockedVertices) {
      SINEW_CHECK(v < problem_.pointOfVertex.size(), kWeightsWhere,
                  fmt::format("vertex {} is locked, but the mesh has {}", v, problem_.pointOfVertex.size()));
      const std::uint32_t p = problem_.pointOfVertex[v];
      if (p != kNotFitted) lockedBy_[p] = std::min(lockedBy_[p], v);
    }
  }

  void cutBlocks() {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const std::size_t first = order_.size();
      for (std::size_t p = 0; p < problem_.skinOf.size(); ++p) {
        if (problem_.skinOf[p] == r) order_.push_back(static_cast<std::uint32_t>(p));
      }
      for (std::size_t at = first; at < order_.size(); at += kBlock)
        blocks_.push_back({r, at, std::min(at + kBlock, order_.size())});
    }
  }

  /// All points once. `neighbours` pull towards the weights of the sweep before.
  void sweep(const PointNeighbours* neighbours) {
    unconverged_ = 0;
    const auto blocks = static_cast<Index>(blocks_.size());
    for (Index from = 0; from < blocks; from += kBlocksPerCall) {
      const double done = static_cast<double>(from) / static_cast<double>(blocks);
      report(progress_, {(round_ + done) / rounds_, round_ == 0 ? "weights" : "smoothing weights"});
      parallelRanges(std::min(kBlocksPerCall, blocks - from), 1, [&](Index begin, Index end) {
        std::size_t row = rows_.size();
        std::optional<Bench> bench;
        for (Index b = from + begin; b < from + end; ++b) {
          const BlockRange& range = blocks_[toSize(b)];
          if (range.row != row) bench.emplace(rows_[range.row]);
          row = range.row;
          fitBlock(range, neighbours, *bench);
        }
      });
    }
  }

  void fitBlock(const BlockRange& range, const PointNeighbours* neighbours, Bench& bench) {
    fitPoints(rows_[range.row], {order_.data() + range.begin, range.end - range.begin}, neighbours, bench);
  }

  void fitPoints(const Row& row, std::span<const std::uint32_t> points, const PointNeighbours* neighbours,
                 Bench& bench) {
    if (normals_.length == 0) row.moments.fill(problem_, points, bench.block);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto p = static_cast<Index>(points[i]);
      std::vector<Influence>& column = fit_.columns[points[i]];
      if (keepsWeights(p, column) || !setRules(p, row, neighbours, bench, column)) {
        fit_.errors[points[i]] = errorOf(problem_, p, column);
        continue;
      }
      bool converged = true;
      if (normals_.length > 0 || hasMask(problem_, p)) {
        displacements(problem_, p, row.candidates, normals(), bench.columns);
        converged = bench.solver.solve(ExactGram(bench.columns), bench.rules, !options_.prefilter, bench.weights);
      } else {
        const MomentGram gram(row.moments, bench.block, static_cast<Index>(i));
        converged = bench.solver.solve(gram, bench.rules, !options_.prefilter, bench.weights);
      }
      bench.solver.cap(bench.rules, bench.weights);
      choose(bench);
      column = fitChosen(p, row, bench);
      if (!converged) ++unconverged_;
    }
  }

  [[nodiscard]] const NormalRows* normals() const { return normals_.length > 0 ? &normals_ : nullptr; }

  /// Points that are locked, and those that no example covers.
  bool keepsWeights(Index p, std::vector<Influence>& column) const {
    const std::uint32_t vertex = lockedBy_[toSize(p)];
    if (vertex == kNotFitted) {
      if (factorSum(problem_, p) > 0) return false;
      column = limited(problem_.prior[toSize(p)], options_.maxInfluences);
      return true;
    }
    const Row& row = rows_[problem_.skinOf[toSize(p)]];
    column.clear();
    for (Influence influence : character_.skin.weights[static_cast<Index>(vertex)]) {
      const int place = row.placeOf[influence.binding];
      if (place < 0) continue;  // a joint that only one of two skins has
      influence.binding = row.candidates[toSize(place)];
      column.push_back(influence);
    }
    column = limited(std::move(column), options_.maxInfluences);
    return true;
  }

  /// False where locks decide everything; then `column` is set.
  bool setRules(Index p, const Row& row, const PointNeighbours* neighbours, Bench& bench,
                std::vector<Influence>& column) const {
    const auto at = toSize(p);
    PointRules& rules = bench.rules;
    const double unit = 3 * factorSum(problem_, p) * problem_.diagonal * problem_.diagonal;
    rules.start.setZero();
    rules.most = options_.maxInfluences;
    double locked = 0;
    for (std::size_t i = 0; i < row.candidates.size(); ++i) rules.locked[i] = lockedBinding_[row.candidates[i]];
    for (const Influence& influence : problem_.prior[at]) {
      rules.start[row.placeOf[influence.binding]] += influence.weight;
      if (lockedBinding_[influence.binding] == 0) continue;
      locked += influence.weight;
      --rules.most;
    }
    rules.total = 1 - locked;
    if (rules.total < kWeightsLeastWeight || rules.most <= 0) {
      column = problem_.prior[at];
      std::erase_if(column, [&](const Influence& i) { return lockedBinding_[i.binding] == 0; });
      column = limited(std::move(column), options_.maxInfluences);
      return false;
    }
    setPull(p, row, unit, bench);
    if (neighbours != nullptr && meanOfNeighbours(p, (*neighbours)[p], row, bench.mean)) {
      const double sigma = neighbourPull(at, rules.stiffness, unit);
      rules.pull += sigma * bench.mean;
      rules.stiffness += sigma;
    }
    return true;
  }

  [[nodiscard]] double neighbourPull(std::size_t point, double stiffness, double unit) const {
    if (evening_ > 0) return evening_ * std::max(stiffness, problem_.pulls[point].natural * unit);
    return options_.smoothness * unit *
           (problem_.pulls.empty() ? 1 : kNaturalSmoothness * problem_.pulls[point].natural);
  }

  bool meanOfNeighbours(Index p, std::span<const std::uint32_t> neighbours, const Row& row,
                        Eigen::VectorXd& mean) const {
    if (!(evening_ > 0)) return neighbourMean(before_, neighbours, row.placeOf, mean);
    ExpectedWeights{before_, problem_}.meanWeights(toSize(p), neighbours, row.placeOf, mean);
    return true;
  }

  /// Near-equal joints make weights that jump from point to point and back at hardly any change of the shape. Points
  /// where what the fit added to the expected weights sticks out from all neighbours are fitted again with a pull
  /// towards these, which is ten times stronger in each round, until they agree. A point whose error would rise is left
  /// as it is.
  void evenOut() {
    const PointNeighbours neighbours(character_.mesh, problem_);
    const ExpectedWeights now{fit_.columns, problem_};
    std::vector<double> most(fit_.errors.size());
    for (std::size_t p = 0; p < most.size(); ++p) {
      const double factors = factorSum(problem_, static_cast<Index>(p));
      const double slack = kUnseen * problem_.diagonal * std::sqrt(factors);
      most[p] = lockedBy_[p] != kNotFitted ? -1 : std::pow((1 + kInsists) * std::sqrt(fit_.errors[p]) + slack, 2);
      if (fit_.errors[p] <= std::pow(kMet * problem_.diagonal, 2) * factors) most[p] = -1;  // matched: nothing to trade
    }
    evening_ = kFirstEvening;
    for (int round = 0; round < kEvenings; ++round, evening_ *= 10) {
      std::vector<std::vector<std::uint32_t>> uneven(rows_.size());
      for (std::size_t p = 0; p < fit_.columns.size(); ++p) {
        if (most[p] >= 0 && now.sticksOut(p, neighbours[static_cast<Index>(p)]))
          uneven[problem_.skinOf[p]].push_back(static_cast<std::uint32_t>(p));
      }
      before_ = fit_.columns;
      const std::vector<double> errors = fit_.errors;
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        if (uneven[r].empty()) continue;
        Bench bench(rows_[r]);
        fitPoints(rows_[r], uneven[r], &neighbours, bench);
        for (const std::uint32_t p : uneven[r]) {
          if (fit_.errors[p] <= most[p]) continue;
          fit_.columns[p] = before_[p];
          fit_.errors[p] = errors[p];
          most[p] = -1;
        }
      }
    }
    evening_ = 0;
  }

  /// What the weights keep to, and which joints are out of reach.
  void setPull(Index p, const Row& row, double unit, Bench& bench) const {
    PointRules& rules = bench.rules;
    if (problem_.pulls.empty()) {
      rules.stiffness = options_.prior * unit;
      rules.pull = rules.stiffness * rules.start;
      return;
    }
    const PointPull& pull = problem_.pulls[toSize(p)];
    rules.stiffness = pull.strength * unit;
    if (pull.target.empty()) {
      rules.pull = rules.stiffness * rules.start;
    } else {
      rules.pull.setZero();
      for (const Influence& influence : pull.target)
        rules.pull[row.placeOf[influence.binding]] += rules.stiffness * influence.weight;
    }
    if (!pull.near) return;
    row.near.mark(problem_.prior[toSize(p)], bench.near);
    for (std::size_t i = 0; i < bench.near.size(); ++i) {
      if (bench.near[i] == 0) rules.locked[i] = 1;  // at the weight 0 that it has
    }
  }

  /// Free joints that have a weight, the largest first.
  static void choose(Bench& bench) {
    const PointRules& rules = bench.rules;
    std::vector<int>& chosen = bench.chosen;
    chosen.clear();
    for (Index i = 0; i < bench.joints; ++i) {
      if (bench.weights[i] > 0 && rules.locked[toSize(i)] == 0) chosen.push_back(static_cast<int>(i));
    }
    std::stable_sort(chosen.begin(), chosen.end(), [&](int a, int b) { return bench.weights[a] > bench.weights[b]; });
  }

  /// Fits the chosen joints again, on exact displacements.
  std::vector<Influence> fitChosen(Index p, const Row& row, Bench& bench) {
    const PointRules& rules = bench.rules;
    std::vector<int>& chosen = bench.chosen;
    const auto free = static_cast<Index>(chosen.size());
    for (Index i = 0; i < bench.joints; ++i) {
      if (rules.locked[toSize(i)] != 0 && rules.start[i] > 0) chosen.push_back(static_cast<int>(i));
    }
    const auto all = static_cast<Index>(chosen.size());
    bench.bindings.clear();
    bench.last.resize(all);
    for (Index k = 0; k < all; ++k) {
      const int place = chosen[toSize(k)];
      bench.bindings.push_back(row.candidates[toSize(place)]);
      bench.last[k] = k < free ? bench.weights[place] : rules.start[place];
    }
    displacements(problem_, p, bench.bindings, normals(), bench.columns);
    if (free == 1) {
      bench.last[0] = rules.total;
    } else {
      bench.gram.noalias() = bench.columns.transpose() * bench.columns;
      bench.linear.noalias() = bench.gram.topRightCorner(free, all - free) * bench.last.tail(all - free);
      for (Index k = 0; k < free; ++k) {
        bench.linear[k] -= rules.pull[chosen[toSize(k)]];
        bench.gram(k, k) += rules.stiffness;
      }
      solveSimplex(bench.gram.topLeftCorner(free, free), bench.linear, rules.total,
                   {.tolerance = 1e-14, .refinements = 1}, bench.scratch, bench.last.head(free), true);
    }
    const Index rows = 3 * static_cast<Index>(problem_.exampleCount());
    fit_.errors[toSize(p)] = (bench.columns.topRows(rows) * bench.last).squaredNorm();
    std::vector<Influence> column;
    for (Index k = 0; k < all; ++k) column.push_back({bench.bindings[toSize(k)], bench.last[k]});
    return limited(std::move(column), options_.maxInfluences);
  }

  void finishReport() {
    WeightReport& report = fit_.report;
    for (const double error : fit_.errors) report.objective += error;
    for (std::size_t p = 0; p < fit_.columns.size(); ++p) {
      double moved = 0;
      for (const Influence& influence : fit_.columns[p])
        moved = std::max(moved, std::abs(influence.weight - weightIn(problem_.prior[p], influence.binding)));
      for (const Influence& influence : problem_.prior[p])
        moved = std::max(moved, std::abs(influence.weight - weightIn(fit_.columns[p], influence.binding)));
      if (moved > kChanged) ++report.changed;
    }
    report.exercise = exerciseOf(character_, problem_, fit_.columns);
    report.unconverged = unconverged_;
  }

  static double weightIn(const std::vector<Influence>& column, std::uint32_t binding) {
    for (const Influence& influence : column) {
      if (influence.binding == binding) return influence.weight;
    }
    return 0;
  }

  const Character& character_;
  const FitProblem& problem_;
  const WeightOptions& options_;
  const Progress& progress_;
  std::deque<Row> rows_;
  std::vector<char> lockedBinding_;
  std::vector<std::uint32_t> lockedBy_;  // per point: its first locked vertex, or kNotFitted
  std::vector<std::uint32_t> order_;     // points, row by row
  std::vector<BlockRange> blocks_;
  NormalRows normals_;
  std::vector<std::vector<Influence>> before_;  // the sweep before
  std::atomic<Index> unconverged_ = 0;
  double evening_ = 0;  // pull towards neighbours while weights are evened out
  int round_ = 0;
  int rounds_ = 1;
  WeightFit fit_;
};

}  // namespace

WeightFit fitWeights(const Character& character, const FitProblem& problem, const WeightOptions& options,
                     const Progress& progress) {
  SINEW_CHECK(options.maxInfluences >= 1, kWeightsWhere,
              fmt::format("max influences is {}; it must be 1 or more", options.maxInfluences));
  for (const auto& [value, name] : {std::pair{options.prior, "prior"}, std::pair{options.smoothness, "smoothness"},
                                    std::pair{options.normals, "weight of normals"}}) {
    SINEW_CHECK(std::isfinite(value) && value >= 0, kWeightsWhere,
                fmt::format("the {} is {}; it must be 0 or more", name, value));
  }
  SINEW_CHECK(options.smoothRounds >= 0, kWeightsWhere,
              fmt::format("the number of smoothing rounds is {}; it must be 0 or more", options.smoothRounds));
  return SkinFitter(character, problem, options, progress).run();
}

std::vector<double> weightErrors(const FitProblem& problem, const std::vector<std::vector<Influence>>& columns) {
  SINEW_CHECK(static_cast<Index>(columns.size()) == problem.pointCount(), kWeightsWhere,
              fmt::format("{} columns of weights for {} points", columns.size(), problem.pointCount()));
  std::vector<double> errors(columns.size());
  parallelFor(problem.pointCount(), kWeightsGrain,
              [&](Index p) { errors[toSize(p)] = errorOf(problem, p, columns[toSize(p)]); });
  return errors;
}

}  // namespace sinew::fit
