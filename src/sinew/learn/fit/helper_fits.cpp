#include "sinew/learn/fit/helper_fits.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "sinew/base/parallel.h"
#include "sinew/learn/fit/leave_one_out.h"
#include "sinew/learn/fit/pulls.h"

namespace sinew::fit {
namespace {

constexpr int kSelectionFolds = 8;
/// Examples with less than this share of the mean error count as if they had it.
constexpr double kLeastErrorShare = 0.05;
/// Diagonals: a smaller rms is rounding of files, and needs no joint.
constexpr double kNoError = 1e-5;
constexpr Index kHelperGrain = 16;

}  // namespace

HelperFits::HelperFits(const Character& all, const ExampleSet& set, std::span<const HelperJoint> helpers,
                       const std::vector<HelperTrial>& trials, const HelperOptions& options, WeightOptions weights,
                       const Progress& progress)
    : all_(all),
      helpers_(helpers),
      options_(options),
      weights_(std::move(weights)),
      problem_(sampledProblem(makeFitProblem(all, set), options.mostPoints)),
      folds_(problem_, set.examples.size(), kSelectionFolds) {
  if (options.mirror != nullptr) partners_ = options.mirror->joint;
  partners_.resize(toSize(all.skeleton.size()), -1);
  helperOf_.assign(all.skin.bindings.size(), -1);
  for (std::size_t b = 0; b < helperOf_.size(); ++b) {
    for (std::size_t h = 0; h < helpers.size(); ++h) {
      if (helpers[h].joint == all.skin.bindings[b].joint) helperOf_[b] = static_cast<int>(h);
    }
  }
  for (const auto& candidates : problem_.candidates) rows_.emplace_back(all, candidates);
  // A helper is worth what it does to positions.
  weights_.smoothness = 0;
  weights_.normals = 0;
  makeUnits(trials);
  problem_.pulls =
      options.prior
          ? naturalPulls(all, problem_, *options.prior)
          : choosePulls(all, problem_, set.examples.size(), weights_, partners_, partProgress(progress, 0, 0.3)).pulls;
  sinew::report(progress, {0.3, "fitting weights of all helper joints"});
  setCandidates();
  setOriginalErrors();
}

std::vector<Index> HelperFits::allPoints() const {
  std::vector<Index> points(toSize(problem_.pointCount()));
  std::iota(points.begin(), points.end(), Index{0});
  return points;
}

int HelperFits::unitOfBinding(std::uint32_t binding) const {
  const int helper = helperOf_[binding];
  return helper < 0 ? -1 : static_cast<int>(unitOf_[toSize(helper)]);
}

void HelperFits::makeUnits(const std::vector<HelperTrial>& trials) {
  std::map<std::pair<int, std::string>, std::size_t> found;
  for (std::size_t h = 0; h < helpers_.size(); ++h) {
    const int source = helpers_[h].source;
    const auto at = toSize(source);
    const int partner = at < partners_.size() ? partners_[at] : -1;
    const int stands = partner >= 0 ? std::min(source, partner) : source;
    const std::string suffix =
        trials[h].name.substr(std::min(trials[h].name.size(), all_.skeleton[source].name.size()));
    const auto [place, isNew] = found.try_emplace({stands, suffix}, units_.size());
    if (isNew) units_.emplace_back();
    units_[place->second].push_back(h);
    unitOf_.push_back(place->second);
  }
}

void HelperFits::setCandidates() {
  candidates_.resize(toSize(problem_.pointCount()));
  const bool distant =
      std::any_of(problem_.pulls.begin(), problem_.pulls.end(), [](const PointPull& pull) { return !pull.near; });
  std::vector<std::vector<Influence>> used;
  if (distant) {
    FitProblem plain = problem_;
    for (std::vector<std::uint32_t>& row : plain.candidates)
      std::erase_if(row, [this](std::uint32_t b) { return helperOf_[b] >= 0; });
    for (PointPull& pull : plain.pulls) pull.target.clear();
    WeightOptions wide = weights_;
    wide.maxInfluences = std::max(8, weights_.maxInfluences);
    used = fitWeights(all_, plain, wide).columns;
  }
  for (std::size_t p = 0; p < candidates_.size(); ++p) {
    std::vector<Influence> column = problem_.prior[p];
    if (!problem_.pulls[p].near) column.insert(column.end(), used[p].begin(), used[p].end());
    const std::uint32_t row = problem_.skinOf[p];
    std::vector<char> near;
    rows_[row].mark(column, near);
    for (std::size_t i = 0; i < near.size(); ++i) {
      if (near[i] != 0) candidates_[p].push_back(problem_.candidates[row][i]);
    }
  }
}

std::vector<FoldColumns> HelperFits::fit(const std::vector<Index>& points, const std::vector<char>& allowed) const {
  std::vector<FoldColumns> columns(points.size());
  parallelRanges(static_cast<Index>(points.size()), kHelperGrain, [&](Index begin, Index end) {
    PointTrials trials(problem_, weights_, folds_);
    std::vector<std::uint32_t> bindings;
    for (Index i = begin; i < end; ++i) {
      const Index point = points[toSize(i)];
      const auto p = toSize(point);
      FoldColumns& result = columns[toSize(i)];
      bindings.clear();
      for (const std::uint32_t b : candidates_[p]) {
        if (allowed[b] != 0) bindings.push_back(b);
      }
      if (!trials.open(point, bindings)) {
        result.assign(toSize(folds_.count), problem_.prior[p]);
        continue;
      }
      const PointPull& pull = problem_.pulls[p];
      const Eigen::VectorXd target = trials.byPlace(
          pull.target.empty() ? problem_.prior[p] : rows_[problem_.skinOf[p]].halfway(problem_.prior[p], allowed));
      Eigen::VectorXd w = target;
      for (int k = 0; k < folds_.count; ++k) {
        trials.fit(k, target, pull.strength * trials.unit(), {}, w);
        result.push_back(trials.column(w));
      }
    }
  });
  return columns;
}

Eigen::VectorXd HelperFits::leftOutErrors(const std::vector<Index>& points,
                                          const std::vector<FoldColumns>& columns) const {
  const auto examples = static_cast<Index>(problem_.exampleCount());
  Eigen::MatrixXd errors = Eigen::MatrixXd::Zero(examples, static_cast<Index>(points.size()));
  parallelFor(errors.cols(), kHelperGrain, [&](Index i) {
    const Index point = points[toSize(i)];
    const Vec3 rest = problem_.rest.col(point);
    for (Index e = 0; e < examples; ++e) {
      const auto at = toSize(e);
      const int fold = folds_.ofExample[at];
      if (fold < 0) continue;
      Vec3 gap = -problem_.targets[at].col(point);
      for (const Influence& influence : columns[toSize(i)][toSize(fold)])
        gap += influence.weight * (problem_.worldFromRest[at][influence.binding] * rest);
      errors(e, i) = problem_.factor(at, point) * gap.squaredNorm();
    }
  });
  return errors.rowwise().sum();
}

void HelperFits::setOriginalErrors() {
  std::vector<FoldColumns> own;
  for (const auto& column : problem_.prior) own.emplace_back(toSize(folds_.count), column);
  originalErrors_ = leftOutErrors(allPoints(), own);
  const double rounding = std::pow(kNoError * problem_.diagonal, 2) * static_cast<double>(problem_.pointCount());
  originalErrors_ = originalErrors_.cwiseMax(std::max(kLeastErrorShare * originalErrors_.mean(), rounding));
}

std::vector<Index> HelperFits::reachOf(const std::vector<std::size_t>& units) const {
  std::vector<char> wanted(units_.size(), 0);
  for (const std::size_t u : units) wanted[u] = 1;
  std::vector<Index> points;
  for (std::size_t p = 0; p < candidates_.size(); ++p) {
    if (std::any_of(candidates_[p].begin(), candidates_[p].end(),
                    [&](std::uint32_t b) { return helperOf_[b] >= 0 && wanted[unitOf_[toSize(helperOf_[b])]] != 0; }))
      points.push_back(static_cast<Index>(p));
  }
  return points;
}

double HelperFits::gainOf(const Eigen::VectorXd& fall) const {
  const double sum = fall.sum();
  if (!(sum > 0) || sum < options_.leastShare * originalErrors_.sum()) return 0;
  return std::max(0.0, fall.cwiseQuotient(originalErrors_).maxCoeff());
}

void HelperFits::permit(std::size_t unit, std::vector<char>& allowed) const {
  for (std::size_t b = 0; b < allowed.size(); ++b) {
    if (helperOf_[b] >= 0 && unitOf_[toSize(helperOf_[b])] == unit) allowed[b] = 1;
  }
}

void HelperFits::forbid(std::size_t unit, std::vector<char>& allowed) const {
  for (std::size_t b = 0; b < allowed.size(); ++b) {
    if (helperOf_[b] >= 0 && unitOf_[toSize(helperOf_[b])] == unit) allowed[b] = 0;
  }
}

}  // namespace sinew::fit
