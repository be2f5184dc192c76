// The operator to be inverted, with what its probes have found.
#pragma once

#include <cstdint>
#include <vector>

#include "sinew/deform/point_map.h"

namespace sinew::invert {

/// Vertices that are one: they coincide at rest, where the operator puts them, and in the sculpt.
class Seams {
 public:
  Seams() = default;
  Seams(const Points& rest, const Points& moved, const Points& sculpt, double diagonal);
  /// Gives every vertex of a seam the mean of its twins.
  void average(Points& points) const;

 private:
  std::vector<std::vector<std::uint32_t>> groups_;
};

/// Counts and checks calls.
class Box {
 public:
  Box(const PointMap& map, Index vertices) : map_(map), vertices_(vertices) {}

  /// As the operator answers. Throws if the number of points is another one.
  void raw(const Points& points, Points& moved);
  /// The same with the twins of seams at their mean: what solvers see.
  void operator()(const Points& points, Points& moved);

  [[nodiscard]] int calls() const { return calls_; }
  Seams seams;

 private:
  const PointMap& map_;
  Index vertices_;
  int calls_ = 0;
};

/// How an operator answers.
struct Probe {
  int bits = 53;       ///< most significant bits of any answer
  double noise = 0;    ///< rounding of an answer, scene units
  Index nonLocal = 1;  ///< vertices that one displaced vertex moves
};

/// One call where the operator is point-wise, up to four where it is not: an eighth of the vertices is displaced, and
/// none of the others may move.
Probe probe(Box& box, const Points& rest, const Points& moved, double diagonal);

/// How the operator answers to each vertex, from Jacobians.
struct Conditioning {
  Eigen::VectorXd smallest;    ///< singular value over `scale`, per vertex
  double scale = 1;            ///< median over vertices of the largest singular value: 100 for an operator from m to cm
  std::vector<bool> singular;  ///< smallest < kSingularShare
  Eigen::VectorXd ridge;       ///< mu scale^2 per vertex, 0 if it is solved exactly
};

Conditioning condition(const std::vector<Mat3>& jacobians, double regularisation);

}  // namespace sinew::invert
