// Skin weights from examples: for every point the convex combination of its joints that comes nearest to its targets.
#pragma once

#include <vector>

#include "sinew/base/progress.h"
#include "sinew/learn/fit/problem.h"

namespace sinew::fit {

struct WeightOptions {
  int maxInfluences = 4;  ///< at most so many joints per point
  double prior = 1e-14;   ///< mu: pull towards the weights that were there, per pose and squared diagonal
  double smoothness = 0;  ///< pull towards the mean of the neighbours' weights, in the same unit; in natural units of
                          ///< smoothness where the problem has pulls (fit/pulls.h)
  bool evenOut = false;   ///< if the problem has pulls: weights that differ from those of all neighbours are smoothed
                          ///< as far as the examples do not insist
  int smoothRounds = 8;   ///< sweeps over the surface
  double normals = 0;     ///< weight of normal deviations, in diagonals per radian; 0: positions only
  bool prefilter = true;  ///< begin with the most rigid joints and let in others that lower the error: the same
                          ///< weights as from all joints at once, sooner
  std::vector<std::uint32_t> lockedBindings = {};  ///< their weights stay as they are
  std::vector<std::uint32_t> lockedVertices = {};  ///< all their weights stay as they are
  // The limit includes locked weights: of more than maxInfluences the largest are kept, normalised to sum 1.
};

struct WeightReport {
  double objective = 0;          ///< sum over points and examples of factor * squared distance
  Index changed = 0;             ///< points whose weights moved by more than 1e-6
  std::vector<double> exercise;  ///< per binding: rms distance by which the examples move its points (those it has a
                                 ///< weight on, before or after) against its parent's motion, in diagonals; of a
                                 ///< topmost one the largest of its children's. Near 0: never exercised, the weights
                                 ///< that were there decide between the two
  Index unconverged = 0;         ///< points whose solver hit its limit
};

struct WeightFit {
  std::vector<std::vector<Influence>> columns;  ///< per point: at most maxInfluences, largest first, sum 1
  std::vector<double> errors;                   ///< per point: sum over examples of factor * squared distance
  WeightReport report;
};

/// Points that no example covers (masks, confidence 0) keep their weights, and so do directions that no example tells
/// apart. Same bits on any number of threads. Cost per point: moments of the joints that matter (independent of the
/// number of poses) and one product of 12 numbers per candidate and pose, then an active set; with masks or normals,
/// all displacements. Throws BadInput for options out of range or locks that do not exist.
WeightFit fitWeights(const Character& character, const FitProblem& problem, const WeightOptions& options = {},
                     const Progress& progress = {});

/// The same errors for given weights: per point, the sum over examples of factor * squared distance.
std::vector<double> weightErrors(const FitProblem& problem, const std::vector<std::vector<Influence>>& columns);

/// Whole multiples of 1/steps (255, 65535) that sum to 1 exactly as whole numbers, on no more joints than before:
/// rounded, then improved by moving single units between joints while that lowers the error; no weight moves by more
/// than one unit.
WeightFit quantizeWeights(const FitProblem& problem, const WeightFit& fit, int steps);

}  // namespace sinew::fit
