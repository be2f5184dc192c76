// Geodesic distance over a triangle surface by the heat method.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sinew/base/types.h"
#include "sinew/math/laplacian.h"

namespace sinew {

/// A point from which distance is measured, and the distance that it already has.
struct DistanceSource {
  std::uint32_t point = 0;
  double distance = 0;  ///< zero or more
};

/// Factors the two matrices of a surface once; each set of sources then costs two back-substitutions. Const and safe to
/// share between threads once built. Surfaces in several pieces, with borders, slivers and edges of many triangles are
/// fine.
class HeatDistance {
 public:
  /// `timeFactor` m makes the time of the flow m * (mean edge)^2: more is smoother, less is sharper.
  HeatDistance(const ConstPointsRef& points, std::span<const Triangle> triangles, double timeFactor = 1);
  ~HeatDistance();
  HeatDistance(HeatDistance&&) noexcept;
  HeatDistance& operator=(HeatDistance&&) noexcept;

  /// Per point: the minimum, over all sources, of the source's own distance plus the distance over the surface.
  /// Infinite on pieces without a source. A source keeps its own distance only if it is no larger than any other
  /// distance plus the path to it.
  [[nodiscard]] Eigen::VectorXd distance(std::span<const DistanceSource> sources) const;

  [[nodiscard]] const SurfaceLaplacian& laplacian() const;
  /// The number of its connected piece per point.
  [[nodiscard]] std::span<const std::uint32_t> pieces() const;
  [[nodiscard]] std::uint32_t pieceCount() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// One set of plain sources on a surface that is needed only once.
Eigen::VectorXd heatDistance(const ConstPointsRef& points, std::span<const Triangle> triangles,
                             std::span<const std::uint32_t> sources, double timeFactor = 1);

}  // namespace sinew
