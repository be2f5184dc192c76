// How well examples distinguish joints.
#pragma once

#include <vector>

#include "sinew/learn/fit_problem.h"

namespace sinew {

/// WeightReport::exercise of given weights.
std::vector<double> exerciseOf(const Character& character, const FitProblem& problem,
                               const std::vector<std::vector<Influence>>& columns);

}  // namespace sinew
