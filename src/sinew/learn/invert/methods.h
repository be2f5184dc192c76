// The solvers of learn/invert, as rows of a table.
#pragma once

#include <algorithm>
#include <vector>

#include "sinew/learn/invert.h"
#include "sinew/learn/invert/box.h"

namespace sinew::invert {

/// What every solver is given.
struct Task {
  Box& box;
  const Points& rest;
  const Points& moved;   ///< the box at rest
  const Points& target;  ///< the sculpt, twins at their mean
  const std::vector<Mat3>& jacobians;
  const Conditioning& conditioning;
  const Probe& probe;
  double diagonal;
  double tolerance;   ///< scene units
  double difference;  ///< scene units
  const InvertOptions& options;
  const Progress& progress;

  /// Nearer than this a remainder is rounding.
  [[nodiscard]] double reach() const { return std::max(tolerance, 32 * probe.noise); }
};

struct Solved {
  Points deltas;
  std::vector<bool> remains;  ///< vertices that keep a remainder at a minimum: w takes it
  bool outOfCalls = false;
  bool stalled = false;  ///< fixed-point: no further progress
  int iterations = 0;
  double meanEvaluations = 0;
};

Solved solveByNewton(const Task& task);
Solved solveByPowell(const Task& task);
/// For operators that are not point-wise.
Solved solveByFixedPoint(const Task& task);

}  // namespace sinew::invert
