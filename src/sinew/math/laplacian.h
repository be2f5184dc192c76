// The Laplacian and the mass of a triangle surface, for surfaces as they come: slivers, borders, loose points, edges
// with any number of triangles.
#pragma once

#include <Eigen/SparseCore>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/base/types.h"

namespace sinew {

using SparseMatrix = Eigen::SparseMatrix<double>;

/// An edge a < b and its weight (cot alpha + cot beta) / 2, kept positive.
struct WeightedEdge {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  double weight = 0;
};

struct SurfaceLaplacian {
  std::vector<WeightedEdge> edges;           ///< ascending by (a, b)
  std::vector<std::uint32_t> triangleStart;  ///< per edge, and the end: into edgeTriangles
  std::vector<std::uint32_t> edgeTriangles;  ///< the triangles at each edge
  Eigen::VectorXd mass;                      ///< per point: a third of the area around it, never zero
  double meanEdge = 0;                       ///< mean length of the edges

  [[nodiscard]] Index pointCount() const { return mass.size(); }
};

/// Points of triangles with a repeated corner, and triangles without area, add nothing but their edges, with a small
/// weight. Throws if a point is not finite or a triangle names a point that does not exist.
SurfaceLaplacian surfaceLaplacian(const ConstPointsRef& points, std::span<const Triangle> triangles);

/// diag(diagonal) + factor * L, where (L x)_i = sum over edges of weight * (x_i - x_j): positive definite for a
/// positive diagonal.
SparseMatrix shiftedLaplacian(const SurfaceLaplacian& laplacian, const Eigen::VectorXd& diagonal, double factor);

/// The same with one factor per edge.
SparseMatrix shiftedLaplacian(const SurfaceLaplacian& laplacian, const Eigen::VectorXd& diagonal,
                              const Eigen::VectorXd& edgeFactors);

/// The number of its connected piece per point, from 0 in the order of their lowest point.
std::vector<std::uint32_t> connectedPieces(Index pointCount, std::span<const WeightedEdge> edges);

}  // namespace sinew
