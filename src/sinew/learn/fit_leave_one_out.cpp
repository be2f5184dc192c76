// Leaving an example out is giving it the confidence 0. Points do not depend on each other, so a few thousand tell the
// error of all; where they do (a pull towards neighbours, normals of faces) all points are fitted.
#include "sinew/learn/fit_leave_one_out.h"

#include <cmath>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/learn/fit_trials.h"

namespace sinew {
namespace {

constexpr int kReportedFolds = 12;
constexpr Index kReportedPoints = 4000;

/// Squared distances that are to be averaged.
struct Mean {
  double squares = 0;
  double count = 0;

  void add(const FitProblem& problem, std::size_t example, double confidence, const Points& moved) {
    for (Index p = 0; p < moved.cols(); ++p) {
      const double mask = problem.masks[example].empty() ? 1 : problem.masks[example][static_cast<std::size_t>(p)];
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
    for (const Influence& influence : columns[static_cast<std::size_t>(p)])
      sum += influence.weight * (problem.worldFromRest[example][influence.binding] * rest.col(p));
    moved.col(p) = sum;
  }
  return moved;
}

}  // namespace

FitProblem sampledProblem(const FitProblem& problem, Index mostPoints) {
  const Index all = problem.pointCount();
  if (all <= mostPoints) return problem;
  FitProblem few = problem;
  std::vector<std::uint32_t> newPoint(static_cast<std::size_t>(all), kNotFitted);
  few.firstVertex.clear();
  few.skinOf.clear();
  few.prior.clear();
  few.pulls.clear();
  few.rest.resize(3, mostPoints);
  for (auto& mask : few.masks) {
    if (!mask.empty()) mask.resize(static_cast<std::size_t>(mostPoints));
  }
  for (Points& target : few.targets) target.resize(3, mostPoints);
  for (Index i = 0; i < mostPoints; ++i) {
    const Index p = i * all / mostPoints;
    const auto point = static_cast<std::size_t>(p);
    newPoint[point] = static_cast<std::uint32_t>(i);
    few.firstVertex.push_back(problem.firstVertex[point]);
    few.skinOf.push_back(problem.skinOf[point]);
    few.prior.push_back(problem.prior[point]);
    if (!problem.pulls.empty()) few.pulls.push_back(problem.pulls[point]);
    few.rest.col(i) = problem.rest.col(p);
    for (std::size_t e = 0; e < problem.exampleCount(); ++e) {
      few.targets[e].col(i) = problem.targets[e].col(p);
      if (!problem.masks[e].empty()) few.masks[e][static_cast<std::size_t>(i)] = problem.masks[e][point];
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

LeftOutErrors leaveOneOutErrors(const Character& character, const FitProblem& problem, std::size_t examples,
                                const AlternationOptions& options, int steps, const PointRegions& regions,
                                const Progress& progress) {
  LeftOutErrors errors;
  const Folds folds(problem, examples, kReportedFolds);
  if (folds.count < 2) return errors;
  errors.measured = true;
  errors.before.assign(regions.count(), 0);
  errors.after = errors.before;
  errors.counts = errors.before;
  const TrialFits trials = trialFits(problem, options, kReportedPoints);
  const FitProblem& few = trials.problem;
  FitProblem without = few;
  std::vector<std::uint32_t> vertices;
  for (std::size_t v = 0; v < few.pointOfVertex.size(); ++v) {
    if (few.pointOfVertex[v] != kNotFitted) vertices.push_back(static_cast<std::uint32_t>(v));
  }
  const auto count = static_cast<Index>(vertices.size());
  Eigen::MatrixXd distances = Eigen::MatrixXd::Zero(count, static_cast<Index>(examples));
  for (int k = 0; k < folds.count; ++k) {
    report(progress, {static_cast<double>(k) / folds.count, "leaving examples out"});
    for (std::size_t e = 0; e < examples; ++e) without.confidence[e] = folds.ofExample[e] == k ? 0 : few.confidence[e];
    Alternation fit = alternateWeightsAndRest(
        character, without, trials.options,
        partProgress(progress, static_cast<double>(k) / folds.count, static_cast<double>(k + 1) / folds.count));
    if (steps > 0) {
      without.rest = fit.rest.rest;
      fit.weights = quantizeWeights(without, fit.weights, steps);
      without.rest = few.rest;
    }
    for (std::size_t e = 0; e < examples; ++e) {
      if (folds.ofExample[e] != k) continue;
      const Points gap = blended(few, e, fit.weights.columns, fit.rest.rest) - few.targets[e];
      const Points old = blended(few, e, few.prior, few.rest) - few.targets[e];
      for (Index i = 0; i < count; ++i) {
        const std::uint32_t v = vertices[static_cast<std::size_t>(i)];
        const std::uint32_t p = few.pointOfVertex[v];
        if (!few.masks[e].empty() && !(few.masks[e][p] > 0)) continue;
        distances(i, static_cast<Index>(e)) = gap.col(p).norm();
        const auto region = static_cast<std::size_t>(regions.ofPoint[problem.pointOfVertex[v]]);
        errors.before[region] += old.col(p).squaredNorm();
        errors.after[region] += gap.col(p).squaredNorm();
        ++errors.counts[region];
      }
    }
  }
  const auto named = [&](ShapeError error) {
    if (error.maxVertex >= 0) error.maxVertex = vertices[static_cast<std::size_t>(error.maxVertex % count)];
    return error;
  };
  for (std::size_t e = 0; e < examples; ++e)
    errors.examples.push_back(named(errorOfDistances(distances.col(static_cast<Index>(e)), problem.diagonal)));
  errors.total = named(errorOfDistances(distances.reshaped(), problem.diagonal));
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

}  // namespace sinew
