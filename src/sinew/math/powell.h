// Powell's direction sets for many small problems in lock step: each problem proposes its next trial point, one call
// evaluates them all.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <vector>

#include "sinew/base/choice.h"
#include "sinew/base/progress.h"

namespace sinew {

/// Values of all problems: f[i] at column i of x. `f` has as many entries as x has columns.
using BatchedValues = std::function<void(const Eigen::MatrixXd& x, Eigen::VectorXd& f)>;

enum class LineSearchKind {
  Brent,    ///< bracket, then Brent's parabolas and golden sections: finds the minimum along the line
  Parabola  ///< three points and the vertex of their parabola: 3 evaluations, as good where f is nearly quadratic
};
constexpr auto choiceRows(LineSearchKind) {
  return choiceTable<LineSearchKind>({{LineSearchKind::Parabola, "parabola"}, {LineSearchKind::Brent, "brent"}});
}

struct PowellOptions {
  LineSearchKind lineSearch = LineSearchKind::Parabola;
  double step = 0.1;                 ///< first step along each axis, above 0
  double enough = 0;                 ///< a problem is done where f is at most this (absolute: the least f may be 0)
  double relativeTolerance = 1e-10;  ///< or where a cycle gains less than this share of f
  int maxCalls = 1000;               ///< of the batched function
  double firstFraction = 0;          ///< what the caller's progress begins with
  double progressStride = 1;         ///< and how much of it this call covers
};

enum class PowellStop : std::uint8_t {
  Enough,   ///< f is at most `enough`
  Settled,  ///< cycles gain too little, also with fresh directions and smaller steps
  OutOfCalls
};

struct PowellResult {
  Eigen::MatrixXd x;             ///< a column per problem: the best point seen
  Eigen::VectorXd f;             ///< its value
  std::vector<PowellStop> stop;  ///< per problem
  std::vector<int> evaluations;  ///< per problem, while it was not done
  std::vector<int> cycles;       ///< per problem: rounds over all directions
  int calls = 0;                 ///< of the batched function

  [[nodiscard]] double meanEvaluations() const;
};

/// Minimises every problem from its column of `start`. Values that are not finite count as infinitely bad; they must be
/// finite at the start. `steps` are first steps per problem, instead of options.step, or empty. The same bits on 1 and
/// N threads, if the function does.
PowellResult minimisePowell(const BatchedValues& function, const Eigen::MatrixXd& start,
                            const PowellOptions& options = {}, const Progress& progress = {},
                            const Eigen::VectorXd& steps = {});

}  // namespace sinew
