#include <Eigen/Eigenvalues>
#include <Eigen/Householder>
#include <Eigen/SVD>
#include <algorithm>

#include "sinew/math/decompositions.h"

namespace sinew {
namespace {

/// Reflections from the left and the right make a square matrix upper bidiagonal: its diagonal and, in between, the
/// entries beside it.
Eigen::VectorXd bidiagonal(Eigen::MatrixXd matrix) {
  const Index n = matrix.cols();
  Eigen::VectorXd entries(2 * n - 1);
  Eigen::VectorXd work(n);
  double factor = 0;
  for (Index k = 0; k < n; ++k) {
    const Index left = n - k - 1;
    auto column = matrix.col(k).tail(left + 1);
    column.makeHouseholderInPlace(factor, entries[2 * k]);
    if (left == 0) break;
    matrix.bottomRightCorner(left + 1, left).applyHouseholderOnTheLeft(column.tail(left), factor, work.data());
    auto row = matrix.row(k).tail(left);
    row.makeHouseholderInPlace(factor, entries[2 * k + 1]);
    matrix.bottomRightCorner(left, left)
        .applyHouseholderOnTheRight(row.tail(left - 1).transpose(), factor, work.data());
  }
  return entries;
}

}  // namespace

Svd3 svd3(const Mat3& matrix) {
  const Eigen::JacobiSVD<Mat3> found(matrix, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {found.matrixU(), found.singularValues(), found.matrixV()};
}

Vec3 singularValues3(const Mat3& matrix) {
  return Eigen::JacobiSVD<Mat3>(matrix).singularValues();
}

ThinSvd thinSvd(const Eigen::MatrixXd& matrix) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> found(matrix, Eigen::ComputeThinU | Eigen::ComputeThinV);
  return {found.matrixU(), found.singularValues(), found.matrixV()};
}

// Golub and Kahan 1965: of a bidiagonal B, the rows and columns of [0 B^T; B 0] can be ordered so that it is
// tridiagonal with B's entries beside a diagonal of zeros. Its eigenvalues are the singular values, with both signs.
// The library's divide and conquer does the same work and takes ten seconds to compile.
Eigen::VectorXd singularValues(const Eigen::MatrixXd& matrix) {
  const double largest = matrix.size() == 0 ? 0 : matrix.cwiseAbs().maxCoeff();
  if (!(largest > 0)) return Eigen::VectorXd::Zero(std::min(matrix.rows(), matrix.cols()));
  const Eigen::MatrixXd scaled = matrix / largest;
  const Eigen::VectorXd beside =
      bidiagonal(upperFactor(matrix.rows() < matrix.cols() ? Eigen::MatrixXd(scaled.transpose()) : scaled));
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> found;
  found.computeFromTridiagonal(Eigen::VectorXd::Zero(beside.size() + 1), beside, Eigen::EigenvaluesOnly);
  return largest * found.eigenvalues().tail((beside.size() + 1) / 2).reverse().cwiseMax(0);
}

}  // namespace sinew
