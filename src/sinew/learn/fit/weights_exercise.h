// How well examples distinguish joints.
#pragma once

#include <vector>

#include "sinew/learn/fit/problem.h"

namespace sinew::fit {

/// WeightReport::exercise of given weights.
std::vector<double> exerciseOf(const Character& character, const FitProblem& problem,
                               const std::vector<std::vector<Influence>>& columns);

}  // namespace sinew::fit
