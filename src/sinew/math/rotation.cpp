#include "sinew/math/rotation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sinew/math/decompositions.h"

namespace sinew {
namespace {

constexpr double kDegrees = 180 / std::numbers::pi;

}  // namespace

Vec3 rotationVector(const Quat& rotation) {
  const double sine = rotation.vec().norm();
  const double cosine = std::abs(rotation.w());
  const double sign = rotation.w() < 0 ? -1 : 1;
  // angle / sin(angle / 2) -> 2 for small angles; the quotient keeps full precision until sine is denormal.
  if (sine < 1e-300) return Vec3::Zero();
  return (sign * 2 * std::atan2(sine, cosine) / sine) * rotation.vec();
}

Quat quaternionFromRotationVector(const Vec3& vector) {
  const double half = 0.5 * vector.norm();
  // sin(h) / h by its series where the quotient would be 0 / 0; at 1e-4 the next term is 1e-18.
  const double sinc = half < 1e-4 ? 1 - half * half / 6 : std::sin(half) / half;
  Quat rotation;
  rotation.w() = std::cos(half);
  rotation.vec() = (0.5 * sinc) * vector;
  return rotation;
}

Quat rotationBetween(const Vec3& from, const Vec3& to) {
  const double lengths = std::sqrt(from.squaredNorm() * to.squaredNorm());
  const double twiceSquaredCosine = lengths + from.dot(to);  // of half the angle, times the lengths
  if (!(twiceSquaredCosine > 1e-12 * lengths)) {
    if (!(lengths > 0)) return Quat::Identity();
    const Vec3 axis = from.unitOrthogonal();
    return {0, axis.x(), axis.y(), axis.z()};
  }
  Quat rotation;
  rotation.w() = twiceSquaredCosine;
  rotation.vec() = from.cross(to);
  return rotation.normalized();
}

Quat quaternionFromEuler(const Vec3& degrees) {
  const Vec3 radians = degrees / kDegrees;
  return Quat(Eigen::AngleAxisd(radians.z(), Vec3::UnitZ()) * Eigen::AngleAxisd(radians.y(), Vec3::UnitY()) *
              Eigen::AngleAxisd(radians.x(), Vec3::UnitX()));
}

Vec3 eulerFromQuaternion(const Quat& rotation) {
  const Mat3 m = rotation.normalized().toRotationMatrix();
  // Column 0 of Rz Ry Rx is (cz cy, sz cy, -sy).
  const double cosineY = std::hypot(m(0, 0), m(1, 0));
  const double y = std::atan2(-m(2, 0), cosineY);
  if (cosineY < 1e-9) return Vec3(0, y, std::atan2(-m(0, 1), m(1, 1))) * kDegrees;
  return Vec3(std::atan2(m(2, 1), m(2, 2)), y, std::atan2(m(1, 0), m(0, 0))) * kDegrees;
}

PolarDecomposition polarDecomposition(const Mat3& matrix) {
  auto [u, singular, v] = svd3(matrix);
  PolarDecomposition polar;
  polar.rotation = u * v.transpose();
  if (polar.rotation.determinant() < 0) {
    // A mirror that flattens nothing is minus a rotation; in a flat matrix the sign belongs to the direction that is
    // lost.
    if (singular[2] > 1e-12 * singular[0]) {
      polar.rotation = -polar.rotation;
      singular = -singular;
    } else {
      polar.rotation -= 2 * u.col(2) * v.col(2).transpose();
      singular[2] = -singular[2];
    }
  }
  polar.stretch = v * singular.asDiagonal() * v.transpose();
  return polar;
}

SwingTwist swingTwist(const Quat& rotation, const Vec3& axis) {
  SwingTwist parts;
  const double along = rotation.vec().dot(axis);
  const double length = std::hypot(rotation.w(), along);
  if (length > 1e-12 * rotation.norm()) {
    parts.twist.w() = rotation.w() / length;
    parts.twist.vec() = (along / length) * axis;
  }
  parts.swing = (rotation * parts.twist.conjugate()).normalized();
  return parts;
}

}  // namespace sinew
