#include "sinew/math/rotation.h"

#include <gtest/gtest.h>

#include <numbers>

#include "sinew/base/random.h"
#include "sinew/math/decompositions.h"

namespace sinew::rotation_test {
namespace {

constexpr double kPi = std::numbers::pi;

double angleBetween(const Quat& a, const Quat& b) {
  return a.angularDistance(b);
}

TEST(Rotation, VectorOfAQuarterTurnIsItsAxisTimesHalfPi) {
  const Quat turn(Eigen::AngleAxisd(kPi / 2, Vec3::UnitY()));
  EXPECT_TRUE(rotationVector(turn).isApprox(Vec3(0, kPi / 2, 0), 1e-14));
  const Quat same(-turn.w(), -turn.x(), -turn.y(), -turn.z());
  EXPECT_TRUE(rotationVector(same).isApprox(Vec3(0, kPi / 2, 0), 1e-14)) << "q and -q are one rotation";
}

TEST(Rotation, VectorAndQuaternionAreInverseFromTinyToHalfTurns) {
  for (const double length : {0.0, 1e-200, 1e-9, 9.9e-5, 1.1e-4, 0.5, 2.0, kPi - 1e-7}) {
    const Vec3 vector = length * Vec3(1, -2, 3).normalized();
    const Vec3 back = rotationVector(quaternionFromRotationVector(vector));
    EXPECT_LE((back - vector).norm(), 1e-14 * (1 + length)) << length;
    EXPECT_NEAR(quaternionFromRotationVector(vector).norm(), 1, 1e-15);
  }
}

TEST(Rotation, EulerAnglesTurnAboutXThenYThenZ) {
  const Quat turn = quaternionFromEuler(Vec3(90, 0, 90));
  // x stays under Rx and goes to y under Rz; y goes to z and stays.
  EXPECT_TRUE((turn * Vec3::UnitX()).isApprox(Vec3::UnitY(), 1e-14));
  EXPECT_TRUE((turn * Vec3::UnitY()).isApprox(Vec3::UnitZ(), 1e-14));
}

TEST(Rotation, EulerAnglesComeBackAlsoInGimbalLock) {
  Lcg random(11);
  for (int i = 0; i < 200; ++i) {
    const Vec3 s = random.vector();
    const Vec3 degrees(179 * s.x(), 89 * s.y(), 179 * s.z());
    EXPECT_LE((eulerFromQuaternion(quaternionFromEuler(degrees)) - degrees).norm(), 1e-9);
  }
  for (const double y : {90.0, -90.0}) {
    const Quat locked = quaternionFromEuler(Vec3(25, y, 40));
    const Vec3 degrees = eulerFromQuaternion(locked);
    EXPECT_EQ(degrees.x(), 0);
    EXPECT_LE(angleBetween(quaternionFromEuler(degrees), locked), 1e-7);
  }
}

TEST(Polar, SplitsAMatrixIntoRotationAndSymmetricStretch) {
  Lcg random(5);
  for (int i = 0; i < 100; ++i) {
    Mat3 matrix;
    matrix << random.vector(), random.vector(), random.vector();
    const PolarDecomposition polar = polarDecomposition(matrix);
    EXPECT_LE((polar.rotation * polar.stretch - matrix).norm(), 1e-13);
    EXPECT_LE((polar.stretch - polar.stretch.transpose()).norm(), 1e-13);
    EXPECT_LE((polar.rotation.transpose() * polar.rotation - Mat3::Identity()).norm(), 1e-13);
    EXPECT_GT(polar.rotation.determinant(), 0);
    const double sign = matrix.determinant() < 0 ? -1 : 1;
    EXPECT_GE(symmetricEigen3(sign * polar.stretch).values.minCoeff(), 0);
  }
}

TEST(Polar, RecoversAKnownRotationAndScale) {
  const Mat3 rotation = Eigen::AngleAxisd(2.5, Vec3(1, 2, -1).normalized()).toRotationMatrix();
  const PolarDecomposition polar = polarDecomposition(rotation * Vec3(2, 0.5, 3).asDiagonal());
  EXPECT_LE((polar.rotation - rotation).norm(), 1e-14);
  EXPECT_LE((polar.stretch - Mat3(Vec3(2, 0.5, 3).asDiagonal())).norm(), 1e-14);
}

TEST(Polar, OfAMirroredMatrixIsMinusThatOfItsMirrorImage) {
  Mat3 matrix;
  matrix << 1.2, 0.3, -0.1, 0.2, 0.8, 0.4, -0.5, 0.1, 1.1;
  const Mat3 mirror = Vec3(-1, 1, 1).asDiagonal();
  const PolarDecomposition plain = polarDecomposition(matrix);
  const PolarDecomposition mirrored = polarDecomposition(mirror * matrix);
  EXPECT_LE((mirrored.rotation + mirror * plain.rotation).norm(), 1e-13);
  EXPECT_LE((mirrored.stretch + plain.stretch).norm(), 1e-13);
}

TEST(Polar, OfAFlatMatrixStillIsARotationTimesAStretch) {
  for (const Vec3& scale : {Vec3(1, 2, 0), Vec3(0, 3, 0), Vec3(0, 0, 0), Vec3(-1, 1, 0)}) {
    const Mat3 matrix = Eigen::AngleAxisd(0.7, Vec3::UnitX()).toRotationMatrix() * scale.asDiagonal();
    const PolarDecomposition polar = polarDecomposition(matrix);
    EXPECT_NEAR(polar.rotation.determinant(), 1, 1e-13);
    EXPECT_LE((polar.rotation * polar.stretch - matrix).norm(), 1e-14);
  }
}

TEST(SwingTwist, SplitsARotationIntoATurnAboutTheAxisAndOneAcrossIt) {
  const Vec3 axis = Vec3(1, 1, 0).normalized();
  const Quat twist(Eigen::AngleAxisd(1.1, axis));
  const Quat swing(Eigen::AngleAxisd(0.8, Vec3(1, -1, 2).normalized()));
  const SwingTwist parts = swingTwist(swing * twist, axis);
  EXPECT_LE(angleBetween(parts.twist, twist), 1e-7);
  EXPECT_LE(angleBetween(parts.swing, swing), 1e-7);
  EXPECT_NEAR(parts.swing.vec().dot(axis), 0, 1e-14);
}

TEST(SwingTwist, OfAHalfTurnAcrossTheAxisIsAllSwing) {
  const Quat half(Eigen::AngleAxisd(kPi, Vec3::UnitY()));
  const SwingTwist parts = swingTwist(Quat(0, half.x(), half.y(), half.z()), Vec3::UnitX());
  EXPECT_EQ(parts.twist.coeffs(), Quat::Identity().coeffs());
  EXPECT_LE(angleBetween(parts.swing, half), 1e-7);
}

}  // namespace
}  // namespace sinew::rotation_test
