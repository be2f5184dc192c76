// Rotations in the forms that rigs use, and the split of a matrix into rotation and stretch.
#pragma once

#include "sinew/base/types.h"

namespace sinew {

/// Axis times angle in radians, of length 0 to pi: the shorter arc. The quaternion need not have unit length.
Vec3 rotationVector(const Quat& rotation);
/// The inverse of rotationVector; any length.
Quat quaternionFromRotationVector(const Vec3& vector);

/// The shortest rotation from one direction to another; for opposite ones, 180 degrees about some axis. The identity if
/// one of them is 0.
Quat rotationBetween(const Vec3& from, const Vec3& to);

/// Rz * Ry * Rx of the angles (x, y, z) in degrees, as pose files write `euler`.
Quat quaternionFromEuler(const Vec3& degrees);
/// Angles (x, y, z) in degrees with y in [-90, 90]. Where y is +-90 (gimbal lock) x is taken as 0.
Vec3 eulerFromQuaternion(const Quat& rotation);

/// matrix = rotation * stretch, with a proper rotation (determinant +1) and a symmetric stretch.
///
/// The stretch is positive for a matrix of positive determinant, and negative (minus a positive one) for a mirroring
/// matrix: then G * matrix has the rotation -G * rotation for every mirror G, so a mirrored character moves as the
/// mirror image of itself. A singular matrix has a rotation too, which is not unique.
struct PolarDecomposition {
  Mat3 rotation = Mat3::Identity();
  Mat3 stretch = Mat3::Identity();
};
PolarDecomposition polarDecomposition(const Mat3& matrix);

/// rotation = swing * twist: twist rotates about `axis` (a unit vector), swing about an axis orthogonal to it. A swing
/// of 180 degrees has no unique twist; the twist is then the identity.
struct SwingTwist {
  Quat swing = Quat::Identity();
  Quat twist = Quat::Identity();
};
SwingTwist swingTwist(const Quat& rotation, const Vec3& axis);

}  // namespace sinew
