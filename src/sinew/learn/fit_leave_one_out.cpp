// Leaving an example out is giving it the confidence 0. Points do not depend on each other (smoothness and normals
// aside, which are left out here), so a few hundred tell the error of all.
#include "sinew/learn/fit_leave_one_out.h"

#include <cmath>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"

namespace sinew {
namespace {

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
    few.rest.col(i) = problem.rest.col(p);
    for (std::size_t e = 0; e < problem.exampleCount(); ++e) {
      few.targets[e].col(i) = problem.targets[e].col(p);
      if (!problem.masks[e].empty()) few.masks[e][static_cast<std::size_t>(i)] = problem.masks[e][point];
    }
  }
  for (std::uint32_t& point : few.pointOfVertex) point = point == kNotFitted ? kNotFitted : newPoint[point];
  return few;
}

double leaveOneOut(const Character& character, const FitProblem& problem, std::size_t examples,
                   const AlternationOptions& options, const std::vector<double>& emphasis, const Progress& progress) {
  AlternationOptions plain = options;
  plain.weights.smoothness = 0;
  plain.weights.normals = 0;
  FitProblem without = problem;
  for (std::size_t e = 0; e < emphasis.size(); ++e) without.confidence[e] *= emphasis[e];
  const std::vector<double> confidence = without.confidence;
  Mean mean;
  for (std::size_t e = 0; e < examples; ++e) {
    report(progress, {static_cast<double>(e) / static_cast<double>(examples), "leaving examples out"});
    if (problem.confidence[e] == 0) continue;
    without.confidence[e] = 0;
    const Alternation fit = alternateWeightsAndRest(character, without, plain);
    without.confidence[e] = confidence[e];
    mean.add(problem, e, problem.confidence[e], blended(problem, e, fit.weights.columns, fit.rest.rest));
  }
  return mean.root();
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
