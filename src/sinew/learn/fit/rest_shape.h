// The other half of the bilinear fit: the rest shape that fits the examples best for given weights.
#pragma once

#include <vector>

#include "sinew/learn/fit/problem.h"

namespace sinew::fit {

struct RestOptions {
  double stiffness = 0.3;   ///< mu |v - v0|^2 per pose: how much the shape that was there counts
  double mostDrift = 0.02;  ///< in diagonals: no point moves farther from where it was
  double cutOff = 1e-2;     ///< singular values below this share of the largest leave their direction as it was
};

struct RestFit {
  Points rest;       ///< 3 x points
  double drift = 0;  ///< largest distance from the original, in diagonals
  double rmsDrift = 0;
  Index limited = 0;  ///< points that reached mostDrift
};

/// Points of `original` (where the alternation began) moved to fit. The weighted squared error, with the stiffness
/// term, never rises.
RestFit fitRest(const FitProblem& problem, const std::vector<std::vector<Influence>>& columns, const Points& original,
                const RestOptions& options = {});

}  // namespace sinew::fit
