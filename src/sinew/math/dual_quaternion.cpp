// Clifford 1873; Kavan, Collins, Zara and O'Sullivan, "Geometric skinning with approximate dual quaternion blending",
// ACM Transactions on Graphics 2008.
#include "sinew/math/dual_quaternion.h"

namespace sinew {
namespace {

Quat sum(const Quat& a, const Quat& b) {
  return Quat(Eigen::Vector4d(a.coeffs() + b.coeffs()));
}

}  // namespace

DualQuaternion DualQuaternion::fromRigid(const Quat& rotation, const Vec3& translation) {
  const Vec3 half = 0.5 * translation;
  return {rotation, Quat(0, half.x(), half.y(), half.z()) * rotation};
}

DualQuaternion DualQuaternion::fromRigid(const Eigen::Isometry3d& motion) {
  return fromRigid(Quat(motion.linear()).normalized(), motion.translation());
}

Vec3 DualQuaternion::translation() const {
  // The vector part of 2 dual real*; a component of dual along real falls into its scalar part and so does not count.
  return 2 / real.squaredNorm() * (dual * real.conjugate()).vec();
}

DualQuaternion DualQuaternion::normalised() const {
  const double length = real.norm();
  DualQuaternion unit;
  unit.real.coeffs() = real.coeffs() / length;
  unit.dual.coeffs() = dual.coeffs() / length;
  unit.dual.coeffs() -= unit.real.dot(unit.dual) * unit.real.coeffs();
  return unit;
}

DualQuaternion operator*(const DualQuaternion& left, const DualQuaternion& right) {
  return {left.real * right.real, sum(left.real * right.dual, left.dual * right.real)};
}

}  // namespace sinew
