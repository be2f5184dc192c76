#include "sinew/math/dual_quaternion.h"

#include <gtest/gtest.h>

#include "sinew/base/random.h"
#include "sinew/math/rotation.h"

namespace sinew::dual_quaternion_test {
namespace {

Eigen::Isometry3d randomMotion(Lcg& random) {
  Eigen::Isometry3d motion = Eigen::Isometry3d::Identity();
  motion.linear() = quaternionFromRotationVector(3 * random.vector()).toRotationMatrix();
  motion.translation() = 2 * random.vector();
  return motion;
}

TEST(DualQuaternion, OfAPureTranslationIsOneAndHalfTheVector) {
  const DualQuaternion moved = DualQuaternion::fromRigid(Quat::Identity(), Vec3(2, 4, 6));
  EXPECT_EQ(moved.real.coeffs(), Eigen::Vector4d(0, 0, 0, 1));
  EXPECT_EQ(moved.dual.coeffs(), Eigen::Vector4d(1, 2, 3, 0));
  EXPECT_TRUE(moved.transformPoint(Vec3(1, 1, 1)).isApprox(Vec3(3, 5, 7), 1e-15));
}

TEST(DualQuaternion, MovesPointsAsItsMatrixDoes) {
  Lcg random(2);
  for (int i = 0; i < 50; ++i) {
    const Eigen::Isometry3d motion = randomMotion(random);
    const Vec3 point = random.vector();
    const DualQuaternion moved = DualQuaternion::fromRigid(motion);
    EXPECT_LE((moved.transformPoint(point) - motion * point).norm(), 1e-13);
    EXPECT_LE((moved.translation() - motion.translation()).norm(), 1e-13);
  }
}

TEST(DualQuaternion, ProductIsTheMotionOneAfterTheOther) {
  Lcg random(3);
  for (int i = 0; i < 50; ++i) {
    const Eigen::Isometry3d first = randomMotion(random);
    const Eigen::Isometry3d second = randomMotion(random);
    const Vec3 point = random.vector();
    const DualQuaternion both = DualQuaternion::fromRigid(second) * DualQuaternion::fromRigid(first);
    EXPECT_LE((both.transformPoint(point) - second * (first * point)).norm(), 1e-13);
    EXPECT_LE((both.inverse().transformPoint(both.transformPoint(point)) - point).norm(), 1e-13);
  }
}

TEST(DualQuaternion, NormalisedHasUnitLengthAndIsTheSameMotion) {
  Lcg random(4);
  const DualQuaternion a = DualQuaternion::fromRigid(randomMotion(random));
  const DualQuaternion b = DualQuaternion::fromRigid(randomMotion(random));
  DualQuaternion sum;
  sum.real.coeffs() = 0.3 * a.real.coeffs() + 0.9 * b.real.coeffs();
  sum.dual.coeffs() = 0.3 * a.dual.coeffs() + 0.9 * b.dual.coeffs();
  const DualQuaternion unit = sum.normalised();
  EXPECT_NEAR(unit.real.norm(), 1, 1e-15);
  EXPECT_NEAR(unit.real.dot(unit.dual), 0, 1e-15);
  EXPECT_GT(std::abs(sum.real.dot(sum.dual)), 1e-3) << "or the test says nothing";
  const Vec3 point(1, 2, 3);
  EXPECT_LE((unit.transformPoint(point) - sum.transformPoint(point)).norm(), 1e-14);
}

TEST(DualQuaternion, HalfWayBetweenTwoPosesOfAScrewIsHalfTheScrew) {
  Eigen::Isometry3d screw = Eigen::Isometry3d::Identity();
  screw.linear() = Eigen::AngleAxisd(1.2, Vec3::UnitZ()).toRotationMatrix();
  screw.translation() = Vec3(0, 0, 3);
  const DualQuaternion end = DualQuaternion::fromRigid(screw);
  DualQuaternion middle;
  middle.real.coeffs() += end.real.coeffs();
  middle.dual.coeffs() += end.dual.coeffs();
  middle = middle.normalised();
  EXPECT_LE(middle.rotation().angularDistance(Quat(Eigen::AngleAxisd(0.6, Vec3::UnitZ()))), 1e-7);
  EXPECT_LE((middle.translation() - Vec3(0, 0, 1.5)).norm(), 1e-14);
}

}  // namespace
}  // namespace sinew::dual_quaternion_test
