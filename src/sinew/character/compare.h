// Error metrics: one definition for everyone (docs/notation.md).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sinew/base/types.h"

namespace sinew {

/// Distances between two shapes of the same vertices.
struct ShapeError {
  double rms = 0;         ///< sqrt(mean squared vertex distance), scene units
  double rmsPercent = 0;  ///< in % of the rest bounding-box diagonal
  double p95 = 0;         ///< 95 % of the vertices are at most this far (nearest rank)
  double max = 0;
  Index maxVertex = -1;  ///< where max is; -1 for no vertices
};

/// The same over frames, and the two measures of the literature.
struct SequenceError {
  ShapeError total;  ///< over all vertices and frames
  Index maxFrame = -1;
  double distortion = 0;  ///< Karni and Gotsman: 100 |A - A'| / |A - avg(A)|, avg(A) is each frame's mean position
  double erms = 0;        ///< Kavan 2010: 1000 |A - A'| / sqrt(3 V F) * 2 / diagonal
  std::vector<ShapeError> perFrame;
};

/// Throws if sizes differ, a value is not finite, or the diagonal is not positive (zero is allowed for identical
/// shapes).
ShapeError compareShapes(const ConstPointsRef& truth, const ConstPointsRef& other, double restDiagonal);
SequenceError compareSequences(std::span<const Points> truth, std::span<const Points> other, double restDiagonal);

/// The same for frames that come one after the other. Memory: a number per distance up to `mostDistances`; of more, p95
/// of the total is taken over every so many vertices.
class SequenceErrors {
 public:
  SequenceErrors(Index vertices, std::size_t frames, double restDiagonal, double mostDistances = 8e6);

  const ShapeError& add(const ConstPointsRef& truth, const ConstPointsRef& other);
  /// Where `mask` is 0 the shapes count as equal; empty: all vertices count.
  const ShapeError& add(const ConstPointsRef& truth, const ConstPointsRef& other, std::span<const double> mask);
  [[nodiscard]] SequenceError result() const;

 private:
  Index vertices_;
  double diagonal_;
  Index stride_ = 1;
  Eigen::VectorXd distances_;  ///< of the frame at hand
  std::vector<double> kept_;
  double squares_ = 0;
  double spreads_ = 0;
  SequenceError error_;
};

/// The same from distances that are known; of several frames one after the other, maxVertex counts through them all.
ShapeError errorOfDistances(Eigen::VectorXd distances, double restDiagonal);

/// Distance per vertex, for colouring.
Eigen::VectorXd vertexDistances(const ConstPointsRef& truth, const ConstPointsRef& other);

}  // namespace sinew
