// The rotation nearest to a matrix, and the rigid motion that best aligns one set of points with another (Kabsch).
#pragma once

#include <span>

#include "sinew/base/types.h"

namespace sinew {

/// The inverse transposed, times the determinant; also where that is 0.
Mat3 cofactors(const Mat3& matrix);

/// The proper rotation R that maximises trace(R^T matrix): U diag(1, 1, det(U V^T)) V^T. A well-conditioned matrix of
/// positive determinant takes a few Newton steps, any other an SVD. A singular matrix has one too, which is not unique.
Mat3 nearestRotation(const Mat3& matrix);

struct RigidFit {
  Eigen::Isometry3d toFromFrom = Eigen::Isometry3d::Identity();
  double squaredError = 0;   ///< sum of weight * squared distance after the motion
  double mirroredError = 0;  ///< the same where a mirror image is allowed too: clearly less means mirrored points
};

/// minimise sum_i w_i |R from_i + t - to_i|^2 over rigid motions. No weights: all 1. With fewer than three points, or
/// points on a line, the rotation is not unique; the smallest is used. Throws on sizes that differ, and on a negative
/// weight.
RigidFit fitRigid(const ConstPointsRef& from, const ConstPointsRef& to, std::span<const double> weights = {});

}  // namespace sinew
