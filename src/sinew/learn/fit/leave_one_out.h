// The leave-one-out error of a fit.
#pragma once

#include <functional>
#include <span>

#include "sinew/base/progress.h"
#include "sinew/character/compare.h"
#include "sinew/learn/fit/alternation.h"
#include "sinew/learn/fit/multi_weight.h"
#include "sinew/learn/fit/regions.h"

namespace sinew::fit {

/// A problem with fewer points that represent all (evenly spread over their numbers).
FitProblem sampledProblem(const FitProblem& problem, Index mostPoints);

/// A problem to be fitted many times with the requested options.
struct TrialFits {
  FitProblem problem;
  AlternationOptions options;
};

/// At most `mostPoints` points where each is fitted by itself (evening out, which hardly changes errors, is left out
/// then); all where smoothness or normals tie points to each other.
TrialFits trialFits(const FitProblem& problem, const AlternationOptions& options, Index mostPoints);

/// What a fit leaves at examples that it did not see.
struct LeftOutErrors {
  bool measured = false;             ///< not with fewer than two examples that count
  ShapeError total;                  ///< over examples and vertices, unweighted
  std::vector<ShapeError> examples;  ///< those with the confidence 0 as if there were no error
  std::vector<double> before;        ///< per region: squared error of the own weights
  std::vector<double> after;         ///< per region: squared error where each example was left out
  std::vector<double> counts;        ///< per region: points and examples that these are sums over
};

/// The problem of a fold: the same points and examples, with confidence 0 for the omitted ones. All choices of the fit
/// that depend on examples (helper joints, strengths) must be made without them.
struct LeftOutRound {
  Character character;
  FitProblem problem;
};
using LeftOutRounds = std::function<LeftOutRound(const std::vector<char>& leftOut, const Progress& progress)>;

/// Each of the first `examples` of the problem with a fit of the others (with more than `mostFolds`, a few are omitted
/// together), once for each of `variants`, which set smoothness and normals; rounding is to multiples of 1/`steps` (0:
/// none). For large meshes a few thousand points represent the error of all (trialFits).
std::vector<LeftOutErrors> leaveOneOutErrors(const FitProblem& problem, std::size_t examples, int mostFolds,
                                             const LeftOutRounds& rounds, std::span<const AlternationOptions> variants,
                                             int steps, const PointRegions& regions, const Progress& progress = {});

/// Rms of the examples that were left out, scene units, for multi-weight enveloping on given weights.
double leaveOneOut(const FitProblem& problem, std::size_t examples, const std::vector<std::vector<Influence>>& columns,
                   const std::vector<Affine>& worldFromRoot, const MultiWeightOptions& options = {});

}  // namespace sinew::fit
