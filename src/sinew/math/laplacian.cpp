// L of Pinkall and Polthier 1993: w_ij = (cot alpha_ij + cot beta_ij) / 2, M = a third of the area around each point.
//
// Departures: w_ij is clamped to [1e-3, 1e3]. A positive weight makes L an M-matrix, so that heat never becomes
// negative and averages stay within bounds, on any mesh; well-shaped triangles never reach the clamp. An edge sums over
// however many triangles it has. Points without area get a mass of a millionth of the mean, so that matrices stay
// invertible.
#include "sinew/math/laplacian.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/base/check.h"

namespace sinew {
namespace {

constexpr double kLeastWeight = 1e-3;
constexpr double kMostWeight = 1e3;

/// One side of one triangle.
struct Side {
  std::uint64_t key;  ///< a << 32 | b, a < b
  std::uint32_t triangle;
  double halfCotangent;
};

std::vector<Side> sidesOf(const ConstPointsRef& points, std::span<const Triangle> triangles, Eigen::VectorXd& mass) {
  std::vector<Side> sides;
  sides.reserve(3 * triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const Triangle& corners = triangles[t];
    for (std::size_t k = 0; k < 3; ++k) {
      SINEW_CHECK(corners[k] < points.cols(), "surface",
                  fmt::format("triangle {} refers to point {} of {}", t, corners[k], points.cols()));
    }
    const Vec3 p0 = points.col(corners[0]);
    const double doubleArea = Vec3(points.col(corners[1]) - p0).cross(Vec3(points.col(corners[2]) - p0)).norm();
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint64_t a = corners[(k + 1) % 3];
      const std::uint64_t b = corners[(k + 2) % 3];
      mass[corners[k]] += doubleArea / 6;
      if (a == b) continue;
      const Vec3 toA = points.col(corners[(k + 1) % 3]) - points.col(corners[k]);
      const Vec3 toB = points.col(corners[(k + 2) % 3]) - points.col(corners[k]);
      const double dot = toA.dot(toB);
      // A triangle without area has no angles: it only connects its points.
      const double half = doubleArea > 1e-12 * (toA.squaredNorm() + toB.squaredNorm())
                              ? std::clamp(0.5 * dot / doubleArea, -kMostWeight, kMostWeight)
                              : 0.0;
      sides.push_back({std::min(a, b) << 32 | std::max(a, b), static_cast<std::uint32_t>(t), half});
    }
  }
  return sides;
}

}  // namespace

SurfaceLaplacian surfaceLaplacian(const ConstPointsRef& points, std::span<const Triangle> triangles) {
  checkFinite(points, "surface", "the surface");
  SurfaceLaplacian result;
  result.mass.setZero(points.cols());
  std::vector<Side> sides = sidesOf(points, triangles, result.mass);
  std::sort(sides.begin(), sides.end(),
            [](const Side& x, const Side& y) { return x.key != y.key ? x.key < y.key : x.triangle < y.triangle; });
  double lengths = 0;
  for (std::size_t begin = 0, end = 0; begin < sides.size(); begin = end) {
    const auto a = static_cast<std::uint32_t>(sides[begin].key >> 32);
    const auto b = static_cast<std::uint32_t>(sides[begin].key & 0xFFFFFFFFu);
    double weight = 0;
    result.triangleStart.push_back(static_cast<std::uint32_t>(result.edgeTriangles.size()));
    for (; end < sides.size() && sides[end].key == sides[begin].key; ++end) {
      weight += sides[end].halfCotangent;
      result.edgeTriangles.push_back(sides[end].triangle);
    }
    result.edges.push_back({a, b, std::clamp(weight, kLeastWeight, kMostWeight)});
    lengths += (points.col(a) - points.col(b)).norm();
  }
  result.triangleStart.push_back(static_cast<std::uint32_t>(result.edgeTriangles.size()));
  if (!result.edges.empty()) result.meanEdge = lengths / static_cast<double>(result.edges.size());
  const double mean = result.mass.size() > 0 ? result.mass.mean() : 0;
  result.mass = result.mass.cwiseMax(mean > 0 ? 1e-6 * mean : 1.0);
  return result;
}

SparseMatrix shiftedLaplacian(const SurfaceLaplacian& laplacian, const Eigen::VectorXd& diagonal, double factor) {
  return shiftedLaplacian(laplacian, diagonal,
                          Eigen::VectorXd::Constant(static_cast<Index>(laplacian.edges.size()), factor));
}

SparseMatrix shiftedLaplacian(const SurfaceLaplacian& laplacian, const Eigen::VectorXd& diagonal,
                              const Eigen::VectorXd& edgeFactors) {
  SINEW_CHECK(diagonal.size() == laplacian.pointCount(), "surface",
              fmt::format("the diagonal has {} entries for {} points", diagonal.size(), laplacian.pointCount()));
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(4 * laplacian.edges.size() + toSize(diagonal.size()));
  for (Index i = 0; i < diagonal.size(); ++i) entries.emplace_back(i, i, diagonal[i]);
  for (std::size_t e = 0; e < laplacian.edges.size(); ++e) {
    const auto& [a, b, weight] = laplacian.edges[e];
    const double w = weight * edgeFactors[static_cast<Index>(e)];
    entries.emplace_back(a, a, w);
    entries.emplace_back(b, b, w);
    entries.emplace_back(a, b, -w);
    entries.emplace_back(b, a, -w);
  }
  SparseMatrix matrix(diagonal.size(), diagonal.size());
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

std::vector<std::uint32_t> connectedPieces(Index pointCount, std::span<const WeightedEdge> edges) {
  // Union by lowest root, then numbering in order of the roots.
  std::vector<std::uint32_t> root(toSize(pointCount));
  std::iota(root.begin(), root.end(), 0u);
  const auto find = [&root](std::uint32_t p) {
    while (root[p] != p) p = root[p] = root[root[p]];
    return p;
  };
  for (const WeightedEdge& edge : edges) {
    const std::uint32_t a = find(edge.a);
    const std::uint32_t b = find(edge.b);
    root[std::max(a, b)] = std::min(a, b);
  }
  std::vector<std::uint32_t> piece(root.size());
  std::uint32_t count = 0;
  for (std::uint32_t p = 0; p < root.size(); ++p) {
    const std::uint32_t lowest = find(p);
    piece[p] = lowest == p ? count++ : piece[lowest];
  }
  return piece;
}

}  // namespace sinew
