#include "sinew/math/rigid_fit.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <vector>

#include "sinew/base/random.h"
#include "sinew/math/decompositions.h"
#include "support/message_of.h"
#include "support/random_points.h"

namespace sinew::rigid_fit_test {
namespace {

using test::randomPoints;

Mat3 random3x3(Lcg& random) {
  Mat3 m;
  for (Index c = 0; c < 3; ++c) m.col(c) = random.vector();
  return m;
}

Mat3 rotationBySvd(const Mat3& m) {
  const Svd3 svd = svd3(m);
  const double sign = (svd.u * svd.v.transpose()).determinant() < 0 ? -1 : 1;
  return svd.u * Vec3(1, 1, sign).asDiagonal() * svd.v.transpose();
}

TEST(NearestRotation, EqualsTheSvdForMatricesOfAnySign) {
  auto random = Lcg(3);
  int mirrored = 0;
  for (int i = 0; i < 500; ++i) {
    const Mat3 m = random3x3(random);
    mirrored += m.determinant() < 0 ? 1 : 0;
    if (std::abs(m.determinant()) < 1e-3) continue;
    EXPECT_LT((nearestRotation(m) - rotationBySvd(m)).norm(), 1e-9) << m;
  }
  EXPECT_GT(mirrored, 100);
}

TEST(NearestRotation, StaysProperForSingularAndTinyMatrices) {
  auto random = Lcg(4);
  const Vec3 u = random.vector();
  const Vec3 v = random.vector();
  const std::vector<Mat3> matrices{Mat3(Mat3::Zero()), Mat3(u * v.transpose()), Mat3(1e-200 * Mat3::Identity()),
                                   Mat3(1e150 * random3x3(random)), Mat3(Vec3(1, 1, 0).asDiagonal())};
  for (const Mat3& m : matrices) {
    const Mat3 rotation = nearestRotation(m);
    EXPECT_LT((rotation * rotation.transpose() - Mat3::Identity()).norm(), 1e-12) << m;
    EXPECT_NEAR(rotation.determinant(), 1, 1e-12) << m;
  }
}

TEST(RigidFit, GivesAPlantedMotionBack) {
  auto random = Lcg(5);
  const Points from = randomPoints(20, random);
  Eigen::Isometry3d motion = Eigen::Isometry3d::Identity();
  motion.linear() = nearestRotation(random3x3(random));
  motion.translation() = 10 * random.vector();
  const Points to = (motion.linear() * from).colwise() + motion.translation();
  const RigidFit fit = fitRigid(from, to);
  EXPECT_LT((fit.toFromFrom.matrix() - motion.matrix()).norm(), 1e-12);
  EXPECT_NEAR(fit.squaredError, 0, 1e-10);
  EXPECT_GT(fit.mirroredError, 1);
}

TEST(RigidFit, PassesOverPointsWithoutWeight) {
  auto random = Lcg(6);
  const Points from = randomPoints(10, random);
  Points to = from.colwise() + Vec3(1, 2, 3);
  to.col(4) += Vec3(100, 0, 0);
  std::vector<double> weights(10, 0.5);
  weights[4] = 0;
  const RigidFit fit = fitRigid(from, to, weights);
  EXPECT_LT((fit.toFromFrom.translation() - Vec3(1, 2, 3)).norm(), 1e-12);
  EXPECT_LT((fit.toFromFrom.linear() - Mat3::Identity()).norm(), 1e-12);
}

TEST(RigidFit, TellsAMirrorImage) {
  auto random = Lcg(7);
  const Points from = randomPoints(30, random);
  Points to = from;
  to.row(1) *= -1;
  const RigidFit fit = fitRigid(from, to);
  EXPECT_NEAR(fit.mirroredError, 0, 1e-10);
  EXPECT_GT(fit.squaredError, 1);
  EXPECT_NEAR(fit.toFromFrom.linear().determinant(), 1, 1e-12);
}

TEST(RigidFit, RefusesSizesThatDiffer) {
  EXPECT_EQ(test::messageOf([] { fitRigid(Points::Zero(3, 2), Points::Zero(3, 3)); }),
            "rigid fit: the points and weights to fit differ in number");
}

}  // namespace
}  // namespace sinew::rigid_fit_test
