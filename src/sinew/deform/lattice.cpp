// Sederberg and Parry, "Free-form deformation of solid geometric models", SIGGRAPH 1986.
//
// The paper sums control points, X = sum_ijk B_i(s) B_j(t) B_k(u) P_ijk. Bernstein polynomials reproduce the regular
// grid, so with P_ijk = grid point + d_ijk that is p + sum_ijk B_i B_j B_k d_ijk: the form used here, which leaves
// points alone to the last bit where nothing is displaced.
// Departures: the paper leaves the outside to neighbouring lattices; see LatticeOutside.
#include "sinew/deform/lattice.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"

namespace sinew {
namespace {

constexpr Index kLatticeGrain = 256;
constexpr const char* kName = "lattice";

using Basis = std::array<double, kMostLatticePoints>;

/// The `count` Bernstein polynomials of degree count - 1 at t in [0, 1], degree by degree: only sums of products of
/// numbers in [0, 1], so no digits are lost at any degree.
void bernstein(double t, int count, Basis& basis) {
  basis[0] = 1;
  for (int degree = 1; degree < count; ++degree) {
    double carried = 0;
    for (int i = 0; i < degree; ++i) {
      const auto at = toSize(i);
      const double value = basis[at];
      basis[at] = carried + (1 - t) * value;
      carried = t * value;
    }
    basis[toSize(degree)] = carried;
  }
}

/// 0 at both sides of the box, 1 beyond the border, with a continuous slope.
double fade(double t, double border) {
  const double x = std::clamp(std::min(t, 1 - t) / border, 0.0, 1.0);
  return x * x * (3 - 2 * x);
}

/// sum_ijk B_i(s) B_j(t) B_k(u) d_ijk, the columns of `displacements` lying in one piece.
Vec3 evaluate(const Vec3& box, const std::array<int, 3>& resolution, const double* displacements) {
  Basis x;
  Basis y;
  Basis z;
  bernstein(box[0], resolution[0], x);
  bernstein(box[1], resolution[1], y);
  bernstein(box[2], resolution[2], z);
  const auto [l, m, n] = resolution;
  const double* d = displacements;
  Vec3 sum = Vec3::Zero();
  for (std::size_t k = 0; k < toSize(n); ++k) {
    for (std::size_t j = 0; j < toSize(m); ++j) {
      // Three plain sums, which stay in registers.
      double row0 = 0;
      double row1 = 0;
      double row2 = 0;
      for (std::size_t i = 0; i < toSize(l); ++i, d += 3) {
        row0 += x[i] * d[0];
        row1 += x[i] * d[1];
        row2 += x[i] * d[2];
      }
      sum += (y[j] * z[k]) * Vec3(row0, row1, row2);
    }
  }
  return sum;
}

Index controlCount(const std::array<int, 3>& resolution) {
  return Index{resolution[0]} * resolution[1] * resolution[2];
}

void check(const LatticeOptions& options) {
  for (const int count : options.resolution) {
    SINEW_CHECK(count >= 2 && count <= kMostLatticePoints, kName,
                fmt::format("it has {} x {} x {} control points; each axis must have 2 to {}", options.resolution[0],
                            options.resolution[1], options.resolution[2], kMostLatticePoints));
  }
  const Index count = controlCount(options.resolution);
  SINEW_CHECK(options.displacements.cols() == 0 || options.displacements.cols() == count, kName,
              fmt::format("it has {} displacements for {} control points", options.displacements.cols(), count));
  checkFinite(options.displacements, kName, "the list of displacements");
  SINEW_CHECK(options.controlBindings.empty() || static_cast<Index>(options.controlBindings.size()) == count, kName,
              fmt::format("it binds {} of {} control points; bind all or none", options.controlBindings.size(), count));
  SINEW_CHECK(options.controlBindings.empty() || options.placement.follow, kName,
              "its control points follow joints, so the box must follow a joint too");
  SINEW_CHECK(options.restFromBox.matrix().allFinite(), kName, "the box has a value that is not a finite number");
  SINEW_CHECK(options.border > 0 && options.border <= 0.5, kName,
              fmt::format("the border is {} of the box; it must be above 0 and at most 0.5", options.border));
}

}  // namespace

Affine boxBetween(const Vec3& low, const Vec3& high) {
  Affine restFromBox = Affine::Identity();
  restFromBox.linear() = (high - low).asDiagonal();
  restFromBox.translation() = low;
  return restFromBox;
}

Lattice::Lattice(LatticeOptions options) : options_(std::move(options)) {
  check(options_);
  const Mat3& axes = options_.restFromBox.linear();
  const Vec3 lengths = axes.colwise().norm();
  SINEW_CHECK(std::abs(axes.determinant()) > 1e-12 * lengths.prod(), kName,
              fmt::format("the box is flat: its sides are {}, {} and {} long", lengths[0], lengths[1], lengths[2]));
  boxFromRest_.linear() = axes.inverse();
  boxFromRest_.translation() = -(boxFromRest_.linear() * options_.restFromBox.translation());

  const auto [l, m, n] = options_.resolution;
  if (options_.displacements.cols() == 0) options_.displacements.setZero(3, controlCount(options_.resolution));
  grid_ = options_.displacements;
  Index column = 0;
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < m; ++j) {
      for (int i = 0; i < l; ++i) grid_.col(column++) += gridPoint(i, j, k);
    }
  }
}

Vec3 Lattice::gridPoint(int i, int j, int k) const {
  const Vec3 box(static_cast<double>(i) / (options_.resolution[0] - 1),
                 static_cast<double>(j) / (options_.resolution[1] - 1),
                 static_cast<double>(k) / (options_.resolution[2] - 1));
  return options_.restFromBox * box;
}

Index Lattice::reached(const ConstPointsRef& points, const PosedJoints& joints) const {
  if (options_.outside == LatticeOutside::Clamp) return points.cols();
  const Affine boxFromPoints = boxFromRest_ * placedFrame(options_.placement, joints, kName).localFromPoints;
  Index count = 0;
  for (Index v = 0; v < points.cols(); ++v) {
    const Vec3 box = boxFromPoints * points.col(v);
    count += (box.array() > 0).all() && (box.array() < 1).all() ? 1 : 0;
  }
  return count;
}

void Lattice::apply(const ConstPointsRef& points, const PosedJoints& joints, DeformScratch& scratch,
                    PointsRef moved) const {
  const PlacedFrame frame = placedFrame(options_.placement, joints, kName);
  auto displacements = scratch.controlColumns(grid_.cols());
  displacements = options_.displacements;
  for (std::size_t i = 0; i < options_.controlBindings.size(); ++i) {
    const auto column = static_cast<Index>(i);
    const Vec3 world =
        boundTransform(options_.controlBindings[i], options_.placement, joints, kName) * grid_.col(column);
    displacements.col(column) += frame.localFromWorld * world - grid_.col(column);
  }

  const Affine boxFromPoints = boxFromRest_ * frame.localFromPoints;
  const bool clamped = options_.outside == LatticeOutside::Clamp;
  parallelFor(points.cols(), kLatticeGrain, [&](Index v) {
    const Vec3 box = boxFromPoints * points.col(v);
    const Vec3 inside = box.cwiseMax(0.0).cwiseMin(1.0);
    moved.col(v) = points.col(v);
    double amount = 1;
    if (!clamped) {
      if (inside != box) return;
      for (Index axis = 0; axis < 3; ++axis) amount *= fade(box[axis], options_.border);
    }
    moved.col(v) += frame.pointsFromLocal * (amount * evaluate(inside, options_.resolution, displacements.data()));
  });
}

}  // namespace sinew
