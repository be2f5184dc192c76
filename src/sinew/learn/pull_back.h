// A correction of a posed vertex pulled back through the Jacobian of its skinning, for inverse skinning and pose-space
// deformation.
#pragma once

#include "sinew/base/types.h"

namespace sinew {

/// A Jacobian counts as singular below this share of the largest singular value that it is measured against.
inline constexpr double kSingularShare = 1e-2;
/// mu of singular vertices, at least.
inline constexpr double kSingularMu = 1e-4;

/// d of min |r - M d|^2 + mu |d|^2; for mu = 0 the solution of M d = r, for which M must not be singular.
Vec3 pullBack(const Mat3& jacobian, const Vec3& correction, double mu);

}  // namespace sinew
