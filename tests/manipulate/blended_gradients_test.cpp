#include "sinew/math/blended_gradients.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "sinew/base/random.h"

namespace sinew::blended_gradients_test {
namespace {

Mat3 randomGradient(Lcg& random, double angle) {
  Mat3 stretch = Mat3::Identity();
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k <= i; ++k) stretch(i, k) = stretch(k, i) = (i == k ? 1 : 0) + 0.2 * random.symmetric();
  }
  return Eigen::AngleAxisd(angle, random.vector().normalized()).toRotationMatrix() * stretch;
}

BlendedGradients randomGradients(Index items, Index examples) {
  Lcg random(5);
  BlendedGradients gradients(items, examples);
  for (Index j = 0; j < items; ++j) {
    for (Index p = 0; p < examples; ++p)
      gradients.set(j, p, randomGradient(random, 2.8 * std::abs(random.symmetric())));
  }
  return gradients;
}

Mat3 gradientOf(const RowMatrix& blend, Index item, Index width, Index column) {
  Mat3 gradient;
  for (Index k = 0; k < 3; ++k) {
    for (Index r = 0; r < 3; ++r) gradient(r, k) = blend(3 * item + k, r * width + column);
  }
  return gradient;
}

TEST(BlendedGradients, GivesTheRestAndEachExampleBack) {
  Lcg random(7);
  BlendedGradients gradients(6, 3);
  std::vector<Mat3> given;
  for (Index j = 0; j < 6; ++j) {
    for (Index p = 0; p < 3; ++p) {
      given.push_back(randomGradient(random, 3.0 * std::abs(random.symmetric())));
      gradients.set(j, p, given.back());
    }
  }
  RowMatrix blend;
  gradients.evaluate(Eigen::VectorXd::Zero(3), blend);
  for (Index j = 0; j < 6; ++j) EXPECT_LT((gradientOf(blend, j, 1, 0) - Mat3::Identity()).norm(), 1e-15);
  for (Index p = 0; p < 3; ++p) {
    gradients.evaluate(Eigen::VectorXd::Unit(3, p), blend);
    for (Index j = 0; j < 6; ++j)
      EXPECT_LT((gradientOf(blend, j, 1, 0) - given[static_cast<std::size_t>(3 * j + p)]).norm(), 1e-13);
  }
}

TEST(BlendedGradients, HasTheDerivativesThatDifferencesShow) {
  const BlendedGradients gradients = randomGradients(40, 5);
  Lcg random(11);
  RowMatrix blend;
  RowMatrix more;
  RowMatrix less;
  for (const double size : {0.3, 1e-4, 0.0}) {  // far from the rest, inside the series, and at the rest
    Eigen::VectorXd weights(5);
    for (double& w : weights) w = size * random.symmetric();
    gradients.evaluateWithDerivatives(weights, blend);
    for (Index p = 0; p < 5; ++p) {
      constexpr double kStep = 1e-5;
      gradients.evaluate(weights + kStep * Eigen::VectorXd::Unit(5, p), more);
      gradients.evaluate(weights - kStep * Eigen::VectorXd::Unit(5, p), less);
      double worst = 0;
      for (Index r = 0; r < 3; ++r) {
        const Eigen::VectorXd difference = (more.col(r) - less.col(r)) / (2 * kStep);
        worst = std::max(worst, (difference - blend.col(r * gradients.width() + p)).cwiseAbs().maxCoeff());
      }
      EXPECT_LT(worst, 1e-8) << "weights of about " << size << ", derivative " << p;
    }
  }
}

TEST(BlendedGradients, HasTheSameValuesWithAndWithoutDerivatives) {
  const BlendedGradients gradients = randomGradients(9, 4);
  const Eigen::VectorXd weights = Eigen::VectorXd::LinSpaced(4, -0.4, 0.7);
  RowMatrix values;
  RowMatrix all;
  gradients.evaluate(weights, values);
  gradients.evaluateWithDerivatives(weights, all);
  for (Index r = 0; r < 3; ++r) EXPECT_EQ(values.col(r), all.col(r * gradients.width() + 4));
}

TEST(BlendedGradients, SlopeIsTheSquareOfTheDerivativesAtTheRest) {
  const BlendedGradients gradients = randomGradients(20, 3);
  RowMatrix blend;
  gradients.evaluateWithDerivatives(Eigen::VectorXd::Zero(3), blend);
  double square = 0;
  for (Index r = 0; r < 3; ++r) square += blend.middleCols(r * gradients.width(), 3).squaredNorm();
  EXPECT_NEAR(gradients.squaredSlope(), square, 1e-10 * square);
}

TEST(BlendedGradients, MirroredGradientKeepsTheTurnOfItsNeighbours) {
  // A stretch that passes through zero: the rotation must not jump.
  const Mat3 turn = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  const SignedPolar before = signedPolar(turn * Vec3(1, 0.8, 0.01).asDiagonal());
  const SignedPolar after = signedPolar(turn * Vec3(1, 0.8, -0.01).asDiagonal());
  EXPECT_LT((before.rotation - after.rotation).norm(), 1e-12);
  EXPECT_NEAR(after.rotation.determinant(), 1, 1e-12);
  EXPECT_LT((after.rotation * after.stretch - turn * Vec3(1, 0.8, -0.01).asDiagonal()).norm(), 1e-14);
  EXPECT_LT(after.stretch.determinant(), 0);
}

TEST(BlendedGradients, CountsTurnsWhoseWayRoundIsDoubtful) {
  Lcg random(3);
  BlendedGradients gradients(4, 1);
  for (Index j = 0; j < 4; ++j) gradients.set(j, 0, randomGradient(random, j < 3 ? 1.0 : 3.0));
  EXPECT_EQ(gradients.turnsBeyond(2.6), 1);
}

}  // namespace
}  // namespace sinew::blended_gradients_test
