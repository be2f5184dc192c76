// Skin weights from examples: for every point the convex combination of its joints that comes nearest to its targets.
#pragma once

#include <vector>

#include "sinew/base/progress.h"
#include "sinew/learn/fit_problem.h"

namespace sinew {

struct WeightOptions {
  int maxInfluences = 4;  ///< at most so many joints per point
  double prior = 1e-12;   ///< mu: pull towards the weights that were there, per pose and squared diagonal
  double smoothness = 0;  ///< pull towards the mean of the neighbours' weights, in the same unit
  int smoothRounds = 8;   ///< sweeps over the surface
  double normals = 0;     ///< how much a turned normal counts, in diagonals per radian; 0: positions alone
  bool prefilter =
      true;  ///< leave out joints that cannot matter (by rigidity) before the full fit, where there are many
  std::vector<std::uint32_t> lockedBindings;  ///< their weights stay as they are
  std::vector<std::uint32_t> lockedVertices;  ///< all their weights stay as they are
};

struct WeightReport {
  double objective = 0;          ///< sum over points and examples of factor * squared distance
  Index changed = 0;             ///< points whose weights moved by more than 1e-6
  std::vector<double> exercise;  ///< per binding: rms distance by which the examples tell it from its neighbours, in
                                 ///< diagonals; near 0: never exercised, the prior decides
  Index unconverged = 0;         ///< points whose solver hit its limit
};

struct WeightFit {
  std::vector<std::vector<Influence>> columns;  ///< per point: at most maxInfluences, largest first, sum 1
  std::vector<double> errors;                   ///< per point: sum over examples of factor * squared distance
  WeightReport report;
};

/// `normals` in the options needs the mesh. Same bits on any number of threads. Cost per point: the moments of its
/// candidates (independent of the number of poses) and one target product per candidate and pose, then an active set.
WeightFit fitWeights(const Character& character, const FitProblem& problem, const WeightOptions& options = {},
                     const Progress& progress = {});

/// The same errors for given weights: per point, the sum over examples of factor * squared distance.
std::vector<double> weightErrors(const FitProblem& problem, const std::vector<std::vector<Influence>>& columns);

/// Whole weights of 1/steps (255, 65535) that sum to 1 exactly: rounded, then improved by moving single units between
/// joints while that lowers the error.
WeightFit quantizeWeights(const FitProblem& problem, const WeightFit& fit, int steps);

}  // namespace sinew
