// Decompositions of matrices, compiled once: Eigen's templates for them cost seconds in every file that names them.
#pragma once

#include <Eigen/Core>

#include "sinew/base/types.h"

namespace sinew {

/// matrix = u * diag(values) * v^T; u and v are orthogonal, the values descend and are not negative.
struct Svd3 {
  Mat3 u;
  Vec3 values;
  Mat3 v;
};
Svd3 svd3(const Mat3& matrix);
Vec3 singularValues3(const Mat3& matrix);

/// The same with as many columns of u and v as the matrix has on its shorter side.
struct ThinSvd {
  Eigen::MatrixXd u;
  Eigen::VectorXd values;
  Eigen::MatrixXd v;
};
ThinSvd thinSvd(const Eigen::MatrixXd& matrix);
Eigen::VectorXd singularValues(const Eigen::MatrixXd& matrix);

/// matrix = vectors * diag(values) * vectors^T; the values ascend. Only the lower triangle is read.
struct SymmetricEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
SymmetricEigen symmetricEigen(const Eigen::MatrixXd& matrix);
struct SymmetricEigen3 {
  Vec3 values;
  Mat3 vectors;
};
SymmetricEigen3 symmetricEigen3(const Mat3& matrix);
Eigen::VectorXd symmetricEigenvalues(const Eigen::MatrixXd& matrix);

/// matrix = q * r for a matrix with at least as many rows as columns; q has orthonormal columns, r is upper triangular.
struct ThinQr {
  Eigen::MatrixXd q;
  Eigen::MatrixXd r;
};
ThinQr thinQr(const Eigen::MatrixXd& matrix);
/// Only r of it.
Eigen::MatrixXd upperFactor(const Eigen::MatrixXd& matrix);

/// Orthonormal columns that span those of the matrix, up to `threshold` of the longest.
Eigen::MatrixXd orthonormalBasis(const Eigen::MatrixXd& matrix, double threshold);

/// The inverse; of a matrix that is singular to rounding, the pseudo-inverse (Moore-Penrose).
Eigen::MatrixXd inverseOrPseudoInverse(const Eigen::MatrixXd& matrix);

/// x of matrix * x = right for each column of `right`; of a matrix that is singular to rounding, the shortest of the x
/// that come closest.
Eigen::MatrixXd solveOrLeastNorm(const Eigen::MatrixXd& matrix, const Eigen::MatrixXd& right);

/// x that makes |matrix * x - right| least. Columns that depend on others up to `threshold` get 0.
Eigen::VectorXd leastSquares(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& right, double threshold);

/// A Jacobian counts as singular below this share of the largest singular value that it is measured against.
inline constexpr double kSingularShare = 1e-2;
/// mu of singular vertices, at least.
inline constexpr double kSingularMu = 1e-4;

/// d of min |r - M d|^2 + mu |d|^2; for mu = 0 the solution of M d = r, for which M must not be singular.
Vec3 pullBack(const Mat3& jacobian, const Vec3& correction, double mu);

}  // namespace sinew
