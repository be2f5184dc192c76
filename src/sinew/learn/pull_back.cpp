#include "sinew/learn/pull_back.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>

namespace sinew {

Vec3 pullBack(const Mat3& jacobian, const Vec3& correction, double mu) {
  if (mu == 0) return jacobian.partialPivLu().solve(correction);
  const Mat3 normal = jacobian.transpose() * jacobian + mu * Mat3::Identity();
  return normal.llt().solve(jacobian.transpose() * correction);
}

}  // namespace sinew
