// Many small least-squares problems in lock step: each has 3 unknowns, and one call of the function serves them all.
// Derivatives come from finite differences.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sinew/base/progress.h"
#include "sinew/base/types.h"

namespace sinew {

/// Evaluates every problem at its own column of x: y.col(i) depends on x.col(i) alone. `y` is resized.
using BatchedFunction = std::function<void(const Points& x, Points& y)>;

struct NewtonOptions {
  double difference = 1e-5;   ///< h of the finite differences
  double tolerance = 1e-11;   ///< a problem is reached where |target - y| is at most this
  double noise = 0;           ///< rounding of y: within 32 of it, no further decrease is looked for
  double leastStep = 1e-9;    ///< a ridged problem is settled where its step is shorter
  int maxCalls = 200;         ///< of the function
  bool broyden = false;       ///< update derivatives by secants and take differences again only where that is slow
  double firstFraction = 0;   ///< what the caller's progress begins with
  double progressStride = 1;  ///< and how much of it this call covers
};

enum class NewtonStop : std::uint8_t {
  Reached,  ///< |target - y| is within the tolerance
  Settled,  ///< a minimum of the ridged objective, or one with a remainder: no step makes it smaller
  OutOfCalls
};

struct NewtonResult {
  Points x;
  Points y;                     ///< the function at x
  std::vector<Mat3> jacobians;  ///< the last ones used
  std::vector<NewtonStop> stop;
  int calls = 0;
  int iterations = 0;
};

/// Derivatives by forward differences, 3 calls. Columns that are not finite are taken as zero.
std::vector<Mat3> differenceJacobians(const BatchedFunction& function, const Points& x, const Points& y,
                                      double difference);

/// Minimises |target_i - y_i(x_i)|^2 + ridge_i |x_i - start_i|^2 for each column i by Gauss-Newton with Levenberg's
/// damping, all columns at once: 3 calls for the derivatives and 1 for the step per iteration. `startValue` is the
/// function at `start`. `jacobians` are the derivatives there, or empty: they are taken first. Columns whose function
/// is not finite at a trial reject the trial. The same bits on 1 and N threads.
NewtonResult solveNewton(const BatchedFunction& function, const Points& start, const Points& startValue,
                         const Points& target, const Eigen::VectorXd& ridge, std::vector<Mat3> jacobians,
                         const NewtonOptions& options = {}, const Progress& progress = {});

}  // namespace sinew
