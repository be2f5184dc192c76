// The bilinear fit: weights and rest points in alternation, each optimal with the other fixed.
#pragma once

#include <string>
#include <vector>

#include "sinew/base/progress.h"
#include "sinew/learn/fit.h"
#include "sinew/learn/fit/rest_shape.h"
#include "sinew/learn/fit/weights.h"

namespace sinew::fit {

struct AlternationOptions {
  WeightOptions weights;
  bool moveRest = false;  ///< else weights alone
  RestOptions rest;
  int rounds = 5;           ///< of rest and weights, after the first fit of the weights
  double leastGain = 1e-3;  ///< stop where a round lowers the rms by less than this share
};

struct Alternation {
  WeightFit weights;
  RestFit rest;                ///< as it was where moveRest is false
  std::vector<FitStep> steps;  ///< the rms never rises from "weights" on, nor before it if only the error counts
};

/// `problem` keeps its prior throughout, `rest` is where the alternation begins.
Alternation alternateWeightsAndRest(const Character& character, FitProblem problem,
                                    const AlternationOptions& options = {}, const Progress& progress = {});

/// Root of the mean squared error of all points and examples, weighed by their factors.
double weightedRms(const FitProblem& problem, const std::vector<double>& errors);

}  // namespace sinew::fit
