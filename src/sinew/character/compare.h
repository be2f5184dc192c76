// Error metrics: one definition for everyone (docs/notation.md).
#pragma once

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

/// The same from distances that are known; of several frames one after the other, maxVertex counts through them all.
ShapeError errorOfDistances(Eigen::VectorXd distances, double restDiagonal);

/// Distance per vertex, for colouring.
Eigen::VectorXd vertexDistances(const ConstPointsRef& truth, const ConstPointsRef& other);

}  // namespace sinew
