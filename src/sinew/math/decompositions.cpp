#include "sinew/math/decompositions.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <limits>

namespace sinew {

SymmetricEigen symmetricEigen(const Eigen::MatrixXd& matrix) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> found(matrix);
  return {found.eigenvalues(), found.eigenvectors()};
}

SymmetricEigen3 symmetricEigen3(const Mat3& matrix) {
  const Eigen::SelfAdjointEigenSolver<Mat3> found(matrix);
  return {found.eigenvalues(), found.eigenvectors()};
}

Eigen::VectorXd symmetricEigenvalues(const Eigen::MatrixXd& matrix) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix, Eigen::EigenvaluesOnly).eigenvalues();
}

ThinQr thinQr(const Eigen::MatrixXd& matrix) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> found(matrix);
  const Index columns = matrix.cols();
  return {found.householderQ() * Eigen::MatrixXd::Identity(matrix.rows(), columns),
          found.matrixQR().topRows(columns).triangularView<Eigen::Upper>()};
}

Eigen::MatrixXd upperFactor(const Eigen::MatrixXd& matrix) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> found(matrix);
  return found.matrixQR().topRows(matrix.cols()).triangularView<Eigen::Upper>();
}

Eigen::MatrixXd orthonormalBasis(const Eigen::MatrixXd& matrix, double threshold) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> found(matrix);
  found.setThreshold(threshold);
  return found.householderQ() * Eigen::MatrixXd::Identity(matrix.rows(), found.rank());
}

Eigen::MatrixXd inverseOrPseudoInverse(const Eigen::MatrixXd& matrix) {
  const Eigen::PartialPivLU<Eigen::MatrixXd> factors(matrix);
  Eigen::MatrixXd inverse = factors.inverse();
  if (inverse.allFinite() && factors.rcond() >= std::numeric_limits<double>::epsilon()) return inverse;
  return matrix.completeOrthogonalDecomposition().pseudoInverse();
}

Eigen::MatrixXd solveOrLeastNorm(const Eigen::MatrixXd& matrix, const Eigen::MatrixXd& right) {
  const Eigen::PartialPivLU<Eigen::MatrixXd> factors(matrix);
  Eigen::MatrixXd solution = factors.solve(right);
  if (solution.allFinite() && factors.rcond() >= std::numeric_limits<double>::epsilon()) return solution;
  return matrix.completeOrthogonalDecomposition().solve(right);
}

Eigen::VectorXd leastSquares(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& right, double threshold) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factors(matrix);
  factors.setThreshold(threshold);
  return factors.solve(right);
}

Vec3 pullBack(const Mat3& jacobian, const Vec3& correction, double mu) {
  if (mu == 0) return jacobian.partialPivLu().solve(correction);
  const Mat3 normal = jacobian.transpose() * jacobian + mu * Mat3::Identity();
  return normal.llt().solve(jacobian.transpose() * correction);
}

}  // namespace sinew
