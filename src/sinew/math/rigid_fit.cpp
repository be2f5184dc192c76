// Kabsch 1976: with H = sum w (to - mean)(from - mean)^T = U S V^T, R = U diag(1, 1, det(U V^T)) V^T.
#include "sinew/math/rigid_fit.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/math/decompositions.h"

namespace sinew {
namespace {

constexpr const char* kRigidFitWhere = "rigid fit";

// Higham's scaled Newton iteration X <- (g X + X^-T / g) / 2 converges to the polar rotation of a matrix with positive
// determinant. Returns false if it has not, which leaves the matrix to an SVD.
bool newtonPolar(const Mat3& matrix, Mat3& rotation) {
  const double size = matrix.norm();
  if (!(matrix.determinant() > 1e-6 * size * size * size)) return false;
  rotation = matrix * (std::sqrt(3.0) / size);
  for (int step = 0; step < 12; ++step) {
    const Mat3 cofactor = cofactors(rotation);
    const double determinant = rotation.col(0).dot(cofactor.col(0));
    // 1 / (g det) cofactor is X^-T / g; the scale g makes both terms equally large.
    const double scale = std::sqrt(cofactor.norm() / (determinant * rotation.norm()));
    const Mat3 next = (0.5 * scale) * rotation + (0.5 / (scale * determinant)) * cofactor;
    const double change = (next - rotation).squaredNorm();
    rotation = next;
    // Convergence is quadratic: the step after one of 1e-8 is below rounding.
    if (change < 1e-16) return true;
  }
  return false;
}

}  // namespace

Mat3 cofactors(const Mat3& matrix) {
  Mat3 cofactor;
  cofactor.col(0) = matrix.col(1).cross(matrix.col(2));
  cofactor.col(1) = matrix.col(2).cross(matrix.col(0));
  cofactor.col(2) = matrix.col(0).cross(matrix.col(1));
  return cofactor;
}

Mat3 nearestRotation(const Mat3& matrix) {
  Mat3 rotation;
  if (newtonPolar(matrix, rotation)) return rotation;
  const Svd3 parts = svd3(matrix);
  rotation = parts.u * parts.v.transpose();
  if (rotation.determinant() < 0) rotation -= 2 * parts.u.col(2) * parts.v.col(2).transpose();
  return rotation;
}

RigidFit fitRigid(const ConstPointsRef& from, const ConstPointsRef& to, std::span<const double> weights) {
  SINEW_CHECK(from.cols() == to.cols() && (weights.empty() || static_cast<Index>(weights.size()) == from.cols()),
              kRigidFitWhere, "the points and weights to fit differ in number");
  RigidFit fit;
  double total = 0;
  Vec3 meanFrom = Vec3::Zero();
  Vec3 meanTo = Vec3::Zero();
  const auto weightOf = [&](Index i) { return weights.empty() ? 1.0 : weights[toSize(i)]; };
  for (Index i = 0; i < from.cols(); ++i) {
    const double weight = weightOf(i);
    SINEW_CHECK(weight >= 0, kRigidFitWhere, "a weight is negative or not a number");
    total += weight;
    meanFrom += weight * from.col(i);
    meanTo += weight * to.col(i);
  }
  if (!(total > 0)) return fit;
  meanFrom /= total;
  meanTo /= total;
  Mat3 moment = Mat3::Zero();
  double squares = 0;
  for (Index i = 0; i < from.cols(); ++i) {
    const Vec3 x = from.col(i) - meanFrom;
    const Vec3 y = to.col(i) - meanTo;
    moment += weightOf(i) * y * x.transpose();
    squares += weightOf(i) * (x.squaredNorm() + y.squaredNorm());
  }
  const Svd3 parts = svd3(moment);
  const Vec3& singular = parts.values;
  Mat3 rotation = parts.u * parts.v.transpose();
  double trace = singular.sum();
  fit.mirroredError = std::max(0.0, squares - 2 * trace);
  if (rotation.determinant() < 0) {
    rotation -= 2 * parts.u.col(2) * parts.v.col(2).transpose();
    trace -= 2 * singular[2];
  } else {
    fit.mirroredError = std::max(0.0, squares - 2 * (trace - 2 * singular[2]));
  }
  fit.squaredError = std::max(0.0, squares - 2 * trace);
  fit.toFromFrom.linear() = rotation;
  fit.toFromFrom.translation() = meanTo - rotation * meanFrom;
  return fit;
}

}  // namespace sinew
