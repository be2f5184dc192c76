// Leaving an example out means confidence 0. Points are independent, so a few thousand represent the error of all; if
// they are coupled (a pull towards neighbours, normals of faces) all points are fitted.
#include "sinew/learn/fit/leave_one_out.h"

#include <cmath>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/learn/fit/trials.h"

namespace sinew::fit {
namespace {

constexpr Index kReportedPoints = 4000;

/// Squared distances that are to be averaged.
struct Mean {
  double squares = 0;
  double count = 0;

  void add(const FitProblem& problem, std::size_t example, double confidence, const Points& moved) {
    for (Index p = 0; p < moved.cols(); ++p) {
      const double mask = problem.masks[example].empty() ? 1 : problem.masks[example][toSize(p)];
      squares += confidence * mask * (moved.col(p) - problem.targets[example].col(p)).squaredNorm();
      count += confidence * mask;
    }
  }
  [[nodiscard]] double root() const { return count > 0 ? std::sqrt(squares / count) : 0; }
};

Points blended(const FitProblem& problem, std::size_t example, const std::vector<std::vector<Influence>>& columns,
               const Points& rest) {
  Points moved(3, rest.cols());
  for (Index p = 0; p < rest.cols(); ++p) {
    Vec3 sum = Vec3::Zero();
    for (const Influence& influence : columns[toSize(p)])
      sum += influence.weight * (problem.worldFromRest[example][influence.binding] * rest.col(p));
    moved.col(p) = sum;
  }
  return moved;
}

/// Errors of one kind of fit, fold after fold.
class LeftOutCollector {
 public:
  /// `few`: the problem that is fitted, which may have fewer points.
  LeftOutCollector(const FitProblem& problem, const FitProblem& few, std::size_t examples, const PointRegions& regions)
      : problem_(problem), regions_(regions) {
    for (std::size_t v = 0; v < few.pointOfVertex.size(); ++v) {
      if (few.pointOfVertex[v] != kNotFitted) vertices_.push_back(static_cast<std::uint32_t>(v));
    }
    distances_ = Eigen::MatrixXd::Zero(static_cast<Index>(vertices_.size()), static_cast<Index>(examples));
    errors_.measured = true;
    errors_.before.assign(regions.count(), 0);
    errors_.after = errors_.before;
    errors_.counts = errors_.before;
  }

  void add(const FitProblem& few, const std::vector<char>& leftOut, const Alternation& fit) {
    for (std::size_t e = 0; e < leftOut.size(); ++e) {
      if (leftOut[e] == 0) continue;
      const Points gap = blended(few, e, fit.weights.columns, fit.rest.rest) - few.targets[e];
      const Points old = blended(few, e, few.prior, few.rest) - few.targets[e];
      for (Index i = 0; i < distances_.rows(); ++i) {
        const std::uint32_t v = vertices_[toSize(i)];
        const std::uint32_t p = few.pointOfVertex[v];
        if (!few.masks[e].empty() && !(few.masks[e][p] > 0)) continue;
        distances_(i, static_cast<Index>(e)) = gap.col(p).norm();
        const auto region = toSize(regions_.ofPoint[problem_.pointOfVertex[v]]);
        errors_.before[region] += old.col(p).squaredNorm();
        errors_.after[region] += gap.col(p).squaredNorm();
        ++errors_.counts[region];
      }
    }
  }

  LeftOutErrors finish() {
    const auto named = [&](ShapeError error) {
      if (error.maxVertex >= 0) error.maxVertex = vertices_[toSize(error.maxVertex % distances_.rows())];
      return error;
    };
    for (Index e = 0; e < distances_.cols(); ++e)
      errors_.examples.push_back(named(errorOfDistances(distances_.col(e), problem_.diagonal)));
    errors_.total = named(errorOfDistances(distances_.reshaped(), problem_.diagonal));
    return std::move(errors_);
  }

 private:
  const FitProblem& problem_;
  const PointRegions& regions_;
  std::vector<std::uint32_t> vertices_;
  Eigen::MatrixXd distances_;  // a column per example
  LeftOutErrors errors_;
};

}  // namespace

FitProblem sampledProblem(const FitProblem& problem, Index mostPoints) {
  const Index all = problem.pointCount();
  if (all <= mostPoints) return problem;
  FitProblem few = problem;
  std::vector<std::uint32_t> newPoint(toSize(all), kNotFitted);
  few.firstVertex.clear();
  few.skinOf.clear();
  few.prior.clear();
  few.pulls.clear();
  few.rest.resize(3, mostPoints);
  for (auto& mask : few.masks) {
    if (!mask.empty()) mask.resize(toSize(mostPoints));
  }
  for (Points& target : few.targets) target.resize(3, mostPoints);
  for (Index i = 0; i < mostPoints; ++i) {
    const Index p = i * all / mostPoints;
    const auto point = toSize(p);
    newPoint[point] = static_cast<std::uint32_t>(i);
    few.firstVertex.push_back(problem.firstVertex[point]);
    few.skinOf.push_back(problem.skinOf[point]);
    few.prior.push_back(problem.prior[point]);
    if (!problem.pulls.empty()) few.pulls.push_back(problem.pulls[point]);
    few.rest.col(i) = problem.rest.col(p);
    for (std::size_t e = 0; e < problem.exampleCount(); ++e) {
      few.targets[e].col(i) = problem.targets[e].col(p);
      if (!problem.masks[e].empty()) few.masks[e][toSize(i)] = problem.masks[e][point];
    }
  }
  for (std::uint32_t& point : few.pointOfVertex) point = point == kNotFitted ? kNotFitted : newPoint[point];
  return few;
}

TrialFits trialFits(const FitProblem& problem, const AlternationOptions& options, Index mostPoints) {
  const WeightOptions& weights = options.weights;
  if (weights.smoothness > 0 || weights.normals > 0 || problem.pointCount() <= mostPoints) return {problem, options};
  TrialFits few{sampledProblem(problem, mostPoints), options};
  few.options.weights.evenOut = false;
  return few;
}

std::vector<LeftOutErrors> leaveOneOutErrors(const FitProblem& problem, std::size_t examples, int mostFolds,
                                             const LeftOutRounds& rounds, std::span<const AlternationOptions> variants,
                                             int steps, const PointRegions& regions, const Progress& progress) {
  const Folds folds(problem, examples, mostFolds);
  if (folds.count < 2) return std::vector<LeftOutErrors>(variants.size());
  std::vector<LeftOutCollector> collectors;
  for (int k = 0; k < folds.count; ++k) {
    const auto part = [&](double at) { return (k + at) / folds.count; };
    report(progress, {part(0), "leaving examples out"});
    std::vector<char> leftOut(examples, 0);
    for (std::size_t e = 0; e < examples; ++e) leftOut[e] = folds.ofExample[e] == k ? 1 : 0;
    const LeftOutRound round = rounds(leftOut, partProgress(progress, part(0), part(0.7)));
    for (std::size_t i = 0; i < variants.size(); ++i) {
      TrialFits trials = trialFits(round.problem, variants[i], kReportedPoints);
      if (k == 0) collectors.emplace_back(problem, trials.problem, examples, regions);
      Alternation fit = alternateWeightsAndRest(round.character, trials.problem, trials.options,
                                                partProgress(progress, part(0.7), part(1)));
      if (steps > 0) {
        const Points rest = trials.problem.rest;
        trials.problem.rest = fit.rest.rest;
        fit.weights = quantizeWeights(trials.problem, fit.weights, steps);
        trials.problem.rest = rest;
      }
      collectors[i].add(trials.problem, leftOut, fit);
    }
  }
  std::vector<LeftOutErrors> errors;
  for (LeftOutCollector& collector : collectors) errors.push_back(collector.finish());
  return errors;
}

double leaveOneOut(const FitProblem& problem, std::size_t examples, const std::vector<std::vector<Influence>>& columns,
                   const std::vector<Affine>& worldFromRoot, const MultiWeightOptions& options) {
  FitProblem without = problem;
  Mean mean;
  for (std::size_t e = 0; e < examples; ++e) {
    if (problem.confidence[e] == 0) continue;
    without.confidence[e] = 0;
    const MultiWeightModel model = fitMultiWeight(without, columns, worldFromRoot, options);
    without.confidence[e] = problem.confidence[e];
    mean.add(problem, e, problem.confidence[e], playMultiWeight(model, problem.worldFromRest[e], worldFromRoot[e]));
  }
  return mean.root();
}

}  // namespace sinew::fit
