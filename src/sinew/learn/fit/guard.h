// No example should end up worse than it began: how much each must count for that.
#pragma once

#include <vector>

#include "sinew/base/progress.h"
#include "sinew/learn/fit/alternation.h"

namespace sinew::fit {

/// Factors of the examples' confidences (1 if there is no limit) with which a fit raises no example's rms above (1 +
/// mostWorse) times that of the character's own skin, measured at a few points. Examples without error count as if they
/// had a thousandth of the mean. Only the first `examples` of the problem are guarded.
std::vector<double> guardExamples(const Character& character, const FitProblem& problem, std::size_t examples,
                                  const AlternationOptions& options, double mostWorse, const Progress& progress = {});

/// Squared error of each example, summed over points by their masks.
std::vector<double> exampleSquares(const FitProblem& problem, const std::vector<std::vector<Influence>>& columns,
                                   const Points& rest);

}  // namespace sinew::fit
