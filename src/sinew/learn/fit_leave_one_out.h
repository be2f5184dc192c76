// How a fit does where it has no example: each is left out in turn.
#pragma once

#include "sinew/base/progress.h"
#include "sinew/learn/fit_alternation.h"
#include "sinew/learn/multi_weight.h"

namespace sinew {

/// A problem of fewer points that stand for all (evenly spread over their numbers).
FitProblem sampledProblem(const FitProblem& problem, Index mostPoints);

/// Rms of the examples that were left out, scene units. The first `examples` of the problem are left out in turn (a
/// rest pose that was added behind them never is). Helper joints stay those that were chosen with all examples, and so
/// does what each example counts beyond its confidence (`emphasis`, or empty).
double leaveOneOut(const Character& character, const FitProblem& problem, std::size_t examples,
                   const AlternationOptions& options, const std::vector<double>& emphasis = {},
                   const Progress& progress = {});

/// The same for multi-weight enveloping on given weights.
double leaveOneOut(const FitProblem& problem, std::size_t examples, const std::vector<std::vector<Influence>>& columns,
                   const std::vector<Affine>& worldFromRoot, const MultiWeightOptions& options = {});

}  // namespace sinew
