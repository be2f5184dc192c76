// Rest vertices from examples, the other half of the bilinear fit (Mohr and Gleicher 2003). For given weights a posed
// point is linear in its rest position, so each point is a least-squares problem of three unknowns:
//   min over v of  sum_e f_e |M_e v + t_e - y_e|^2 + mu s |v - v0|^2   with |v - v0| at most the drift allowed,
//   M_e v + t_e = sum_i w_i T_i,e v,   s = sum_e f_e sum_i w_i |M_i,e|_F^2 / 3   (the number of poses for rigid
//   joints).
// Directions that the examples hardly determine (singular values of the stack below a share of the largest) keep their
// values. Departure: the limit on the drift is part of the problem. Its solution is that of a larger mu, found by
// bisection along the eigenvectors, so it is the best point of the ball and not merely the nearest to the free one.
#include "sinew/learn/fit/rest_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/math/decompositions.h"

namespace sinew::fit {
namespace {

constexpr const char* kRestShapeWhere = "rest shape";
constexpr Index kRestShapeGrain = 256;
constexpr int kBisections = 60;

/// The quadratic form of one point: E(v) = v^T N v - 2 b.v + c, and the scale of its rest space.
struct PointSystem {
  Mat3 normal = Mat3::Zero();
  Vec3 right = Vec3::Zero();
  double constant = 0;
  double scale = 0;  ///< sum of factors, times the squared size of the joints' matrices

  [[nodiscard]] double error(const Vec3& v) const { return v.dot(normal * v) - 2 * right.dot(v) + constant; }
};

/// Positions are taken relative to `origin`, so that a scene far from its origin loses no digits.
PointSystem systemOf(const FitProblem& problem, const std::vector<Influence>& column, Index point, const Vec3& origin) {
  PointSystem system;
  for (std::size_t e = 0; e < problem.exampleCount(); ++e) {
    const double factor = problem.factor(e, point);
    if (factor == 0) continue;
    Mat3 blended = Mat3::Zero();
    Vec3 moved = Vec3::Zero();
    double size = 0;
    for (const Influence& influence : column) {
      const Affine& joint = problem.worldFromRest[e][influence.binding];
      blended += influence.weight * joint.linear();
      moved += influence.weight * (joint * origin);
      size += influence.weight * joint.linear().squaredNorm() / 3;
    }
    const Vec3 wanted = problem.targets[e].col(point) - moved;
    system.normal += factor * blended.transpose() * blended;
    system.right += factor * blended.transpose() * wanted;
    system.constant += factor * wanted.squaredNorm();
    system.scale += factor * size;
  }
  return system;
}

/// A point that was moved; `limited` where it reached the limit.
struct Moved {
  Vec3 position;
  bool limited = false;
};

/// The minimiser in eigenvector coordinates: offsets from v0, kept directions free, others as they are.
class BallSolver {
 public:
  BallSolver(const PointSystem& system, const Vec3& from, const RestOptions& options)
      : eigen_(symmetricEigen3(system.normal)), stiff_(options.stiffness * system.scale) {
    const Vec3& values = eigen_.values;
    const double largest = values[2] + stiff_;
    const Mat3 axes = eigen_.vectors;
    right_ = axes.transpose() * system.right;  // v0 is the origin here
    from_ = axes.transpose() * from;
    for (int k = 0; k < 3; ++k) {
      curvature_[k] = std::max(values[k], 0.0) + stiff_;
      free_[k] = curvature_[k] > options.cutOff * options.cutOff * largest && curvature_[k] > 0;
    }
  }

  [[nodiscard]] Moved solve(double radius) const {
    Vec3 best = at(0);
    if (best.norm() <= radius) return {eigen_.vectors * best, false};
    double low = 0;
    double high = std::max(curvature_.maxCoeff(), 1e-300);
    for (int k = 0; k < 1000 && at(high).norm() > radius && high < 1e300; ++k) high *= 2;
    for (int k = 0; k < kBisections; ++k) {
      const double middle = 0.5 * (low + high);
      (at(middle).norm() > radius ? low : high) = middle;
    }
    best = at(high);
    if (best.norm() > radius) best = from_;  // the directions that stay are all the drift there may be
    return {eigen_.vectors * best, true};
  }

 private:
  [[nodiscard]] Vec3 at(double more) const {
    Vec3 offset = from_;
    for (int k = 0; k < 3; ++k) {
      if (free_[k]) offset[k] = right_[k] / (curvature_[k] + more);
    }
    return offset;
  }

  SymmetricEigen3 eigen_;
  double stiff_;
  Vec3 right_;
  Vec3 from_;
  Vec3 curvature_;
  std::array<bool, 3> free_{};
};

void check(const FitProblem& problem, const std::vector<std::vector<Influence>>& columns, const Points& original,
           const RestOptions& options) {
  SINEW_CHECK(static_cast<Index>(columns.size()) == problem.pointCount() && original.cols() == problem.pointCount(),
              kRestShapeWhere,
              fmt::format("weights for {} points and {} original positions, but there are {} points", columns.size(),
                          original.cols(), problem.pointCount()));
  SINEW_CHECK(options.stiffness >= 0 && std::isfinite(options.stiffness), kRestShapeWhere,
              fmt::format("the stiffness is {}; it must be 0 or more", options.stiffness));
  SINEW_CHECK(options.mostDrift >= 0 && !std::isnan(options.mostDrift), kRestShapeWhere,
              fmt::format("the drift allowed is {}; it must be 0 or more", options.mostDrift));
  SINEW_CHECK(options.cutOff >= 0 && options.cutOff < 1, kRestShapeWhere,
              fmt::format("the cut-off is {}; it must be between 0 and 1", options.cutOff));
}

}  // namespace

RestFit fitRest(const FitProblem& problem, const std::vector<std::vector<Influence>>& columns, const Points& original,
                const RestOptions& options) {
  check(problem, columns, original, options);
  const Index points = problem.pointCount();
  RestFit fit;
  fit.rest = problem.rest;
  Eigen::VectorXd drifts(points);
  Eigen::VectorXi limited = Eigen::VectorXi::Zero(points);
  parallelFor(points, kRestShapeGrain, [&](Index p) {
    const Vec3 origin = original.col(p);
    const PointSystem system = systemOf(problem, columns[toSize(p)], p, origin);
    drifts[p] = 0;
    if (!(system.scale > 0)) return;  // no example covers it
    double factors = 0;
    for (std::size_t e = 0; e < problem.exampleCount(); ++e) factors += problem.factor(e, p);
    const double worldPerRest = std::sqrt(system.scale / factors);
    const Vec3 from = problem.rest.col(p) - origin;
    const Moved moved = BallSolver(system, from, options).solve(options.mostDrift * problem.diagonal / worldPerRest);
    // Rounding, or a stiffness that outweighs what the weights gained since: then the point stays.
    const bool better = moved.position.allFinite() && system.error(moved.position) <= system.error(from);
    const Vec3 offset = better ? moved.position : from;
    if (better) fit.rest.col(p) = origin + offset;
    limited[p] = better && moved.limited ? 1 : 0;
    drifts[p] = offset.norm() * worldPerRest / problem.diagonal;
  });
  fit.limited = limited.sum();
  if (points > 0) {
    fit.drift = drifts.maxCoeff();
    fit.rmsDrift = std::sqrt(drifts.squaredNorm() / static_cast<double>(points));
  }
  return fit;
}

}  // namespace sinew::fit
