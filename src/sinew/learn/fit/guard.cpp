// Least squares favours the examples with the largest errors, and where a skin cannot match them it harms others for a
// small gain: on the arm sample, two bones fitted to twists that they cannot follow make a plain bend 2.4 times worse.
//   min over skins of sum_e f_e E_e   with   E_e <= (1 + worse)^2 E0_e
// has the original skin as a feasible point, and its Lagrangian is the same fit with f_e (1 + lambda_e). Multipliers by
// multiplicative updates: an example that is worse than it may be counts more by as much, one that is better less, but
// never less than it did. A few hundred points are enough to find the multipliers.
#include "sinew/learn/fit/guard.h"

#include <algorithm>
#include <cmath>

#include "sinew/base/progress.h"
#include "sinew/learn/fit/leave_one_out.h"

namespace sinew::fit {
namespace {

constexpr Index kGuardSampledPoints = 2000;
constexpr int kMostRounds = 20;
constexpr int kPatience = 3;               // rounds without progress, where all points must be fitted in each
constexpr double kHaste = 2;               // exponent of the updates: small excesses should not take many rounds
constexpr double kGuardLeastError = 1e-6;  // of the mean squared error: smaller ones are not guarded
constexpr double kEnough = 1.01;           // of the squared error that is allowed
constexpr double kMostEmphasis = 1e6;

}  // namespace

std::vector<double> exampleSquares(const FitProblem& problem, const std::vector<std::vector<Influence>>& columns,
                                   const Points& rest) {
  std::vector<double> squares(problem.exampleCount(), 0);
  for (std::size_t e = 0; e < squares.size(); ++e) {
    for (Index p = 0; p < problem.pointCount(); ++p) {
      const auto point = toSize(p);
      const double mask = problem.masks[e].empty() ? 1 : problem.masks[e][point];
      Vec3 moved = Vec3::Zero();
      for (const Influence& influence : columns[point])
        moved += influence.weight * (problem.worldFromRest[e][influence.binding] * rest.col(p));
      squares[e] += mask * (moved - problem.targets[e].col(p)).squaredNorm();
    }
  }
  return squares;
}

std::vector<double> guardExamples(const Character& character, const FitProblem& problem, std::size_t examples,
                                  const AlternationOptions& options, double mostWorse, const Progress& progress) {
  TrialFits trials = trialFits(problem, options, kGuardSampledPoints);
  trials.options.weights.evenOut = false;
  const bool tied = options.weights.smoothness > 0 || options.weights.normals > 0;
  FitProblem& few = trials.problem;
  const std::vector<double> confidence = few.confidence;
  std::vector<double> allowed = exampleSquares(few, few.prior, few.rest);
  double mean = 0;
  for (std::size_t e = 0; e < examples; ++e) mean += allowed[e] / static_cast<double>(examples);
  for (double& squares : allowed)
    squares = std::max((1 + mostWorse) * (1 + mostWorse) * squares, kGuardLeastError * mean);

  std::vector<double> emphasis(few.exampleCount(), 1);
  std::vector<double> best = emphasis;
  double least = std::numeric_limits<double>::infinity();
  int bestRound = 0;
  for (int round = 0; round < kMostRounds; ++round) {
    report(progress, {static_cast<double>(round) / kMostRounds, "limiting the error of each example"});
    for (std::size_t e = 0; e < emphasis.size(); ++e) few.confidence[e] = confidence[e] * emphasis[e];
    const Alternation fit = alternateWeightsAndRest(
        character, few, trials.options,
        partProgress(progress, static_cast<double>(round) / kMostRounds, static_cast<double>(round + 1) / kMostRounds));
    const std::vector<double> squares = exampleSquares(few, fit.weights.columns, fit.rest.rest);
    double worst = 0;
    for (std::size_t e = 0; e < examples; ++e) {
      if (confidence[e] > 0 && allowed[e] > 0) worst = std::max(worst, squares[e] / allowed[e]);
    }
    if (worst < least) {
      least = worst;
      best = emphasis;
      bestRound = round;
    }
    if (worst <= kEnough || (tied && round - bestRound >= kPatience)) break;
    for (std::size_t e = 0; e < examples; ++e) {
      if (allowed[e] > 0)
        emphasis[e] = std::clamp(emphasis[e] * std::pow(squares[e] / allowed[e], kHaste), 1.0, kMostEmphasis);
    }
  }
  // Emphasis is relative to the pulls of neighbours too, so where it cannot keep the examples it only harms others.
  if (tied && least > kEnough) return std::vector<double>(best.size(), 1.0);
  return best;
}

}  // namespace sinew::fit
