// Interpolation of many examples from few of their poses, by least squares.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sinew/base/progress.h"
#include "sinew/base/types.h"
#include "sinew/math/rbf.h"

namespace sinew::pose_space {

/// Values at the poses of examples. The first is the rest pose, whose values are 0 and stay 0.
struct CentreProblem {
  const Eigen::MatrixXd& poses;   ///< dimensions x examples
  const Eigen::MatrixXd& values;  ///< numbers x examples, in units in which all errors count the same
  const Eigen::VectorXd& scales;  ///< of the dimensions
  RbfOptions interpolation;       ///< with a confidence per example, or none
};

struct CentreFit {
  std::vector<Index> centres;  ///< examples, ascending, the first is rest
  Eigen::MatrixXd values;      ///< numbers x centres: interpolating these is the fit
  Eigen::MatrixXd leftOut;     ///< numbers x examples: what the fit without each predicts there
  Eigen::VectorXd trust;       ///< per example: how much it counts, 1 or less
  double error = 0;            ///< trimmedRms() of the left-out errors
  double steepness = 0;        ///< allCentres(): how much rounding of kernels may grow, relative to the values
};

/// Every example is a centre and is matched.
CentreFit allCentres(const CentreProblem& problem);

/// `count` of them: each next one where the fit is worst. Examples that the fit cannot follow count less, in rounds.
CentreFit fewCentres(const CentreProblem& problem, Index count, const Progress& progress = {});

/// The mean distance of examples to their nearest others, without those at one pose.
double meanGap(const CentreProblem& problem);

/// Examples that contradict those around them: predicting their neighbours is far better without them.
std::vector<Index> outliersOf(const CentreProblem& problem, const CentreFit& all);

/// Root mean square over the columns but the first, without the largest twentieth: scans have outliers.
double trimmedRms(const Eigen::MatrixXd& errors);

}  // namespace sinew::pose_space
