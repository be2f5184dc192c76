#include <Eigen/SVD>

#include "sinew/math/decompositions.h"

namespace sinew {

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

Eigen::VectorXd singularValues(const Eigen::MatrixXd& matrix) {
  if (matrix.size() == 0) return {};  // the library looks for the largest entry of none
  return Eigen::BDCSVD<Eigen::MatrixXd>(matrix).singularValues();
}

}  // namespace sinew
