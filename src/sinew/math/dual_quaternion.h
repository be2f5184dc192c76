// Unit dual quaternions: rigid motions that can be added, weighted and normalised.
#pragma once

#include "sinew/base/types.h"

namespace sinew {

/// real + eps dual, eps^2 = 0. A rigid motion x -> R x + t is real = q(R), dual = (0, t) q(R) / 2.
struct DualQuaternion {
  Quat real = Quat::Identity();
  Quat dual = Quat(0, 0, 0, 0);

  /// `rotation` has unit length.
  static DualQuaternion fromRigid(const Quat& rotation, const Vec3& translation);
  static DualQuaternion fromRigid(const Eigen::Isometry3d& motion);

  /// Rotation of unit length; needs a real part that is not zero.
  [[nodiscard]] Quat rotation() const { return real.normalized(); }
  /// The translation of the normalised motion.
  [[nodiscard]] Vec3 translation() const;
  /// The nearest unit dual quaternion: |real| = 1 and real . dual = 0. Needs a real part that is not zero.
  [[nodiscard]] DualQuaternion normalised() const;
  /// The opposite motion, of a unit dual quaternion.
  [[nodiscard]] DualQuaternion inverse() const { return {real.conjugate(), dual.conjugate()}; }
  /// The point moved by the normalised motion.
  [[nodiscard]] Vec3 transformPoint(const Vec3& point) const { return rotation() * point + translation(); }
};

/// First the right, then the left motion.
DualQuaternion operator*(const DualQuaternion& left, const DualQuaternion& right);

}  // namespace sinew
