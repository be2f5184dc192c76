// K. Crane, C. Weischedel, M. Wardetzky: Geodesics in Heat (2013), algorithm 1:
//   (I)   (M + t L) u = M u0          heat that flowed from the sources for a time t = m h^2, h the mean edge;
//   (II)  X = -grad u / |grad u|      the direction of growing distance, per triangle;
//   (III) L phi = div X               the function whose gradient is nearest to X.
//
// Departures:
// - A source may start late: u0 = exp(-d / sqrt t), since heat after a short time falls off as exp(-distance / sqrt t).
//   Where all corners of a triangle are sources, X is the gradient of their own distances, cut to unit length.
// - div X is that of the least-squares problem  min over phi of  sum w_ij (phi_j - phi_i - X . e_ij)^2,  with X at an
// edge
//   the area-weighted mean of its triangles. For unclamped weights on a manifold this is close to the usual formula; it
//   stays consistent with L where weights were clamped or an edge has many triangles.
// - L is singular once per piece; 1e-9 of the mass pins it. The constant that remains is set per piece so that the
//   sources have their own distances on average; pieces without a source are infinitely far.
#include "sinew/math/heat_distance.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"

namespace sinew {
namespace {

using Solver = Eigen::SimplicialLDLT<SparseMatrix>;

/// Gradients of the three hat functions of a triangle, by column; zero if it has no area.
struct HatGradients {
  Mat3 columns;
  double area;
};

HatGradients hatGradients(const ConstPointsRef& points, const Triangle& t) {
  const Vec3 p0 = points.col(t[0]);
  const Vec3 p1 = points.col(t[1]);
  const Vec3 p2 = points.col(t[2]);
  const Vec3 normal = (p1 - p0).cross(p2 - p0);
  const double squared = normal.squaredNorm();
  const double scale = (p1 - p0).squaredNorm() + (p2 - p0).squaredNorm();
  if (squared <= 1e-24 * scale * scale) return {Mat3::Zero(), 0};
  HatGradients result;
  result.columns.col(0) = normal.cross(p2 - p1) / squared;
  result.columns.col(1) = normal.cross(p0 - p2) / squared;
  result.columns.col(2) = normal.cross(p1 - p0) / squared;
  result.area = 0.5 * std::sqrt(squared);
  return result;
}

}  // namespace

struct HeatDistance::Impl {
  Points points;
  std::vector<Triangle> triangles;
  std::vector<double> areaOf;  ///< per triangle
  SurfaceLaplacian laplacian;
  std::vector<std::uint32_t> piece;
  std::uint32_t pieces = 0;
  double time = 1;
  Solver heat;
  Solver poisson;

  void factor() {
    parallelFor(2, 1, [this](Index which) {
      if (which == 0) {
        heat.compute(shiftedLaplacian(laplacian, laplacian.mass, time));
      } else {
        const double pin = 1e-9 / laplacian.mass.mean();
        poisson.compute(shiftedLaplacian(laplacian, pin * laplacian.mass, 1));
      }
    });
    SINEW_CHECK(heat.info() == Eigen::Success && poisson.info() == Eigen::Success, "heat distance",
                "the surface could not be factored; its coordinates may be too large or too small");
  }

  /// Step II.
  [[nodiscard]] Points directions(const Eigen::VectorXd& u, const Eigen::VectorXd& known) const {
    Points field(3, static_cast<Index>(triangles.size()));
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      const Triangle& c = triangles[t];
      const HatGradients hats = hatGradients(points, c);
      const Vec3 own(known[c[0]], known[c[1]], known[c[2]]);
      Vec3 x = Vec3::Zero();
      if (hats.area > 0 && own.allFinite()) {
        x = hats.columns * own;
        x /= std::max(1.0, x.norm());
      } else if (hats.area > 0) {
        // Far from the sources u is tiny: scale it up before squaring, so that only true zeros have no direction.
        const Vec3 corner(u[c[0]], u[c[1]], u[c[2]]);
        const double largest = corner.cwiseAbs().maxCoeff();
        if (largest > 0) {
          x = -(hats.columns * (corner / largest));
          const double length = x.norm();
          x = length > 0 ? Vec3(x / length) : Vec3(Vec3::Zero());
        }
      }
      field.col(static_cast<Index>(t)) = x;
    }
    return field;
  }

  /// The right side of step III.
  [[nodiscard]] Eigen::VectorXd divergence(const Points& field) const {
    Eigen::VectorXd right = Eigen::VectorXd::Zero(points.cols());
    for (std::size_t e = 0; e < laplacian.edges.size(); ++e) {
      const WeightedEdge& edge = laplacian.edges[e];
      Vec3 mean = Vec3::Zero();
      double areas = 0;
      for (std::uint32_t i = laplacian.triangleStart[e]; i < laplacian.triangleStart[e + 1]; ++i) {
        const std::uint32_t t = laplacian.edgeTriangles[i];
        mean += areaOf[t] * field.col(t);
        areas += areaOf[t];
      }
      if (areas <= 0) continue;
      const double along = edge.weight * mean.dot(points.col(edge.b) - points.col(edge.a)) / areas;
      right[edge.a] -= along;
      right[edge.b] += along;
    }
    return right;
  }

  /// Sets each piece's constant.
  void shift(std::span<const DistanceSource> sources, Eigen::VectorXd& phi) const {
    std::vector<double> sum(pieces, 0);
    std::vector<double> mass(pieces, 0);
    for (const DistanceSource& source : sources) {
      const double m = laplacian.mass[source.point];
      sum[piece[source.point]] += m * (source.distance - phi[source.point]);
      mass[piece[source.point]] += m;
    }
    for (Index p = 0; p < phi.size(); ++p) {
      const std::uint32_t k = piece[toSize(p)];
      phi[p] = mass[k] > 0 ? std::max(0.0, phi[p] + sum[k] / mass[k]) : std::numeric_limits<double>::infinity();
    }
  }
};

HeatDistance::HeatDistance(const ConstPointsRef& points, std::span<const Triangle> triangles, double timeFactor)
    : impl_(std::make_unique<Impl>()) {
  SINEW_CHECK(std::isfinite(timeFactor) && timeFactor > 0, "heat distance", "the time factor must be positive");
  SINEW_CHECK(points.cols() > 0, "heat distance", "the surface has no points");
  impl_->points = points;
  impl_->triangles.assign(triangles.begin(), triangles.end());
  impl_->laplacian = surfaceLaplacian(points, triangles);
  impl_->piece = connectedPieces(points.cols(), impl_->laplacian.edges);
  for (const std::uint32_t piece : impl_->piece) impl_->pieces = std::max(impl_->pieces, piece + 1);
  const double edge = impl_->laplacian.meanEdge;
  impl_->time = timeFactor * (edge > 0 ? edge * edge : 1.0);
  impl_->areaOf.reserve(triangles.size());
  for (const Triangle& t : triangles) impl_->areaOf.push_back(hatGradients(points, t).area);
  impl_->factor();
}

HeatDistance::~HeatDistance() = default;
HeatDistance::HeatDistance(HeatDistance&&) noexcept = default;
HeatDistance& HeatDistance::operator=(HeatDistance&&) noexcept = default;

const SurfaceLaplacian& HeatDistance::laplacian() const {
  return impl_->laplacian;
}
std::span<const std::uint32_t> HeatDistance::pieces() const {
  return impl_->piece;
}
std::uint32_t HeatDistance::pieceCount() const {
  return impl_->pieces;
}

Eigen::VectorXd HeatDistance::distance(std::span<const DistanceSource> sources) const {
  const Index count = impl_->points.cols();
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  if (sources.empty()) return Eigen::VectorXd::Constant(count, kUnknown);
  Eigen::VectorXd known = Eigen::VectorXd::Constant(count, kUnknown);
  double first = kUnknown;
  for (const DistanceSource& source : sources) {
    SINEW_CHECK(source.point < count && std::isfinite(source.distance) && source.distance >= 0, "heat distance",
                "a source must be a point of the surface with a distance of zero or more");
    known[source.point] = std::min(known[source.point], source.distance);
    first = std::min(first, source.distance);
  }
  // Step I.
  Eigen::VectorXd start = Eigen::VectorXd::Zero(count);
  const double reach = std::sqrt(impl_->time);
  for (const DistanceSource& source : sources) {
    start[source.point] = impl_->laplacian.mass[source.point] * std::exp(-(known[source.point] - first) / reach);
  }
  const Eigen::VectorXd u = impl_->heat.solve(start);
  const Points field = impl_->directions(u, known);
  Eigen::VectorXd phi = impl_->poisson.solve(impl_->divergence(field));
  impl_->shift(sources, phi);
  return phi;
}

Eigen::VectorXd heatDistance(const ConstPointsRef& points, std::span<const Triangle> triangles,
                             std::span<const std::uint32_t> sources, double timeFactor) {
  std::vector<DistanceSource> plain;
  plain.reserve(sources.size());
  for (const std::uint32_t source : sources) plain.push_back({source, 0.0});
  return HeatDistance(points, triangles, timeFactor).distance(plain);
}

}  // namespace sinew
