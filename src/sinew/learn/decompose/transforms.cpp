// With weights fixed, an example's bones T_b = [R | t] minimise sum_v |sum_b w_b T_b x - y|^2, of which only the
// moments N_bc = sum_v w_b w_c x x^T and A_b = sum_v w_b y x^T matter. For one bone, the others' part removed, P = A_b
// - sum_{c != b} T_c N_cb and N_bb = [S s; s^T m]:
//   R = polar(P_linear - p s^T / m),   t = (p - R s) / m   (Le and Deng 2012, section 4.2)
// Departure: sums over vertices are taken once, so that sweeps over the bones cost nothing per vertex.
#include "sinew/learn/decompose/transforms.h"

#include <Eigen/Cholesky>

#include "sinew/base/parallel.h"
#include "sinew/math/rigid_fit.h"

namespace sinew::decompose {
namespace {

constexpr double kPull = 1e-7;   // of the mean diagonal, towards where an affine bone is
constexpr double kEmpty = 1e-9;  // total squared weight below which a bone stays where it is

using Map = Eigen::Matrix<double, 3, 4>;

}  // namespace

void solveRigidBones(const BoneMoments& moments, int sweeps, Bones& bones) {
  const Index count = bones.cols() / 4;
  std::vector<std::vector<Index>> near(toSize(count));
  for (Index b = 0; b < count; ++b)
    for (Index c = 0; c < count; ++c)
      if (c != b && moments.restRest(4 * b + 3, 4 * c + 3) > 0) near[toSize(b)].push_back(c);
  parallelFor(bones.rows() / 3, 1, [&](Index p) {
    Eigen::Matrix<double, 3, Eigen::Dynamic> maps = bones.middleRows(3 * p, 3);
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (Index b = 0; b < count; ++b) {
        const Eigen::Matrix4d own = moments.restRest.block<4, 4>(4 * b, 4 * b);
        const double mass = own(3, 3);
        if (!(mass > kEmpty)) continue;
        Map wanted = moments.posedRest.block<3, 4>(3 * p, 4 * b);
        for (const Index c : near[toSize(b)])
          wanted.noalias() -= maps.middleCols<4>(4 * c) * moments.restRest.block<4, 4>(4 * c, 4 * b);
        const Vec3 shift = wanted.col(3);
        const Vec3 mean = own.col(3).head<3>() / mass;
        const Mat3 rotation = nearestRotation(wanted.leftCols<3>() - shift * mean.transpose());
        maps.middleCols<3>(4 * b) = rotation;
        maps.col(4 * b + 3) = shift / mass - rotation * mean;
      }
    }
    bones.middleRows(3 * p, 3) = maps;
  });
}

void solveAffineBones(const BoneMoments& moments, Bones& bones) {
  Eigen::MatrixXd system = moments.restRest;
  const double pull = kPull * system.trace() / static_cast<double>(system.rows()) + 1e-12;
  system.diagonal().array() += pull;
  const Eigen::MatrixXd right = (moments.posedRest + pull * bones).transpose();
  // Positive definite by the pull, up to rounding: the blocked factor is several times as fast.
  const Eigen::LLT<Eigen::MatrixXd> solver(system);
  if (solver.info() == Eigen::Success) {
    bones = solver.solve(right).transpose();
  } else {
    bones = Eigen::LDLT<Eigen::MatrixXd>(system).solve(right).transpose();
  }
}

}  // namespace sinew::decompose
