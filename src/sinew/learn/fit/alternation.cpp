// Mohr and Gleicher (2003): a posed point sum_i w_i T_i v is linear in the weights and linear in v, so
//   min over w in the simplex, v   sum_e f_e |sum_i w_i T_i,e v - y_e|^2 + mu s |v - v0|^2
// falls in every half-step. Departure: a half-step that would raise a point's own error is undone at that point. It
// happens where the cap on influences picks other joints than before, or where the stiffness takes back drift that the
// new weights no longer need so much.
#include "sinew/learn/fit/alternation.h"

#include <cmath>

#include "sinew/base/parallel.h"
#include "sinew/base/progress.h"

namespace sinew::fit {
namespace {

constexpr Index kAlternationGrain = 1024;

/// Points of `fit` that are worse than with the columns before get those back.
void keepBetter(const std::vector<std::vector<Influence>>& columns, const std::vector<double>& errors, int most,
                WeightFit& fit) {
  parallelFor(static_cast<Index>(columns.size()), kAlternationGrain, [&](Index p) {
    const auto point = toSize(p);
    if (errors[point] >= fit.errors[point] || columns[point].size() > toSize(most)) return;
    fit.columns[point] = columns[point];
    fit.errors[point] = errors[point];
  });
}

}  // namespace

double weightedRms(const FitProblem& problem, const std::vector<double>& errors) {
  const Index points = problem.pointCount();
  const double squares = parallelSum(points, kAlternationGrain, [&](Index begin, Index end) {
    double sum = 0;
    for (Index p = begin; p < end; ++p) sum += errors[toSize(p)];
    return sum;
  });
  const double factors = parallelSum(points, kAlternationGrain, [&](Index begin, Index end) {
    double sum = 0;
    for (Index p = begin; p < end; ++p) {
      for (std::size_t e = 0; e < problem.exampleCount(); ++e) sum += problem.factor(e, p);
    }
    return sum;
  });
  return factors > 0 ? std::sqrt(squares / factors) : 0;
}

Alternation alternateWeightsAndRest(const Character& character, FitProblem problem, const AlternationOptions& options,
                                    const Progress& progress) {
  const Points original = problem.rest;
  const int rounds = options.moveRest ? options.rounds : 0;
  const double part = 1.0 / (rounds + 1);
  Alternation result;
  result.rest.rest = original;

  const std::vector<double> before = weightErrors(problem, problem.prior);
  result.steps.push_back({"original", weightedRms(problem, before)});
  result.weights = fitWeights(character, problem, options.weights, partProgress(progress, 0, part));
  const bool errorAlone = options.weights.smoothness == 0 && options.weights.normals == 0;
  if (errorAlone && problem.pulls.empty())
    keepBetter(problem.prior, before, options.weights.maxInfluences, result.weights);
  result.steps.push_back({"weights", weightedRms(problem, result.weights.errors)});

  for (int round = 0; round < rounds; ++round) {
    const double start = result.steps.back().rms;
    result.rest = fitRest(problem, result.weights.columns, original, options.rest);
    problem.rest = result.rest.rest;
    const std::vector<double> errors = weightErrors(problem, result.weights.columns);
    result.steps.push_back({"rest", weightedRms(problem, errors)});
    WeightFit refit =
        fitWeights(character, problem, options.weights, partProgress(progress, part * (round + 1), part * (round + 2)));
    keepBetter(result.weights.columns, errors, options.weights.maxInfluences, refit);
    result.weights = std::move(refit);
    result.steps.push_back({"weights", weightedRms(problem, result.weights.errors)});
    if (start - result.steps.back().rms < options.leastGain * start) break;
  }
  return result;
}

}  // namespace sinew::fit
