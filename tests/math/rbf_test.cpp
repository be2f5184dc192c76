#include "sinew/math/rbf.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sinew/base/error.h"
#include "sinew/base/random.h"
#include "support/allocations.h"
#include "support/message_of.h"

namespace sinew::rbf_test {
namespace {

using test::messageOf;

constexpr double kDegree = std::numbers::pi / 180;

Eigen::MatrixXd line(const std::vector<double>& degrees) {
  Eigen::MatrixXd points(1, static_cast<Index>(degrees.size()));
  for (std::size_t i = 0; i < degrees.size(); ++i) points(0, static_cast<Index>(i)) = degrees[i] * kDegree;
  return points;
}

Eigen::VectorXd at(double degrees) {
  return Eigen::VectorXd::Constant(1, degrees * kDegree);
}

Eigen::MatrixXd cloudIn(Index dimensions, Index count) {
  Lcg random(11);
  Eigen::MatrixXd points(dimensions, count);
  for (Index i = 0; i < count; ++i) {
    for (Index d = 0; d < dimensions; ++d) points(d, i) = random.symmetric();
  }
  return points;
}

TEST(RbfInterpolator, EveryKernelHasCardinalWeightsAtItsPoints) {
  const Eigen::MatrixXd points = cloudIn(4, 12);
  for (const RbfKernelRow& row : rbfKernels()) {
    const RbfInterpolator interpolator(points, {.kernel = std::string(row.name)});
    for (Index k = 0; k < points.cols(); ++k) {
      const Eigen::VectorXd weights = interpolator.weights(points.col(k));
      EXPECT_LT((weights - Eigen::VectorXd::Unit(points.cols(), k)).cwiseAbs().maxCoeff(), 1e-9) << row.name;
    }
  }
}

TEST(RbfInterpolator, ReproducesLinearDataWithALinearPolynomial) {
  const Eigen::MatrixXd points = cloudIn(3, 9);
  const Eigen::Vector3d slope(1, -2, 0.5);
  for (const char* kernel : {"cubic", "thin-plate"}) {
    const RbfInterpolator interpolator(points, {.kernel = kernel});
    const Eigen::Vector3d x(2, 3, -1);
    EXPECT_NEAR(interpolator.weights(x).dot(points.transpose() * slope), slope.dot(x), 1e-10) << kernel;
  }
}

TEST(RbfInterpolator, DoesNotDependOnTheUnitsOfThePoints) {
  const Eigen::MatrixXd points = cloudIn(3, 9);
  const Eigen::Vector3d x(0.3, -0.2, 0.9);
  for (const char* kernel : {"cubic", "linear"}) {
    const Eigen::VectorXd here = RbfInterpolator(points, {.kernel = kernel, .ridge = 1e-3}).weights(x);
    const RbfInterpolator small(points * 1e-4, {.kernel = kernel, .ridge = 1e-3});
    EXPECT_LT((small.weights(x * 1e-4) - here).cwiseAbs().maxCoeff(), 1e-8) << kernel;
  }
}

TEST(RbfInterpolator, ScalesStretchTheDistances) {
  const Eigen::MatrixXd points = cloudIn(2, 7);
  const Eigen::Vector2d scales(2, 0.3);
  const Eigen::Vector2d x(0.4, 0.1);
  const Eigen::VectorXd scaled = RbfInterpolator(points, {}, scales).weights(x);
  const RbfInterpolator stretched(scales.asDiagonal() * points, {});
  EXPECT_LT((scaled - stretched.weights(scales.cwiseProduct(x))).cwiseAbs().maxCoeff(), 1e-10);
}

// C5 of the notes on pose-space deformation: condition of the Gaussian against its width.
TEST(RbfInterpolator, TellsTheConditionOfTheGaussian) {
  const Eigen::MatrixXd points = line({0, 40, 80, 120, 160});
  const std::pair<double, double> rows[] = {{1, 4.32}, {2, 222}, {3, 5161}, {5, 3.26e5}, {8, 1.47e7}};
  for (const auto& [radii, condition] : rows) {
    const RbfInterpolator interpolator(points, {.kernel = "gaussian", .radius = radii * 40 * kDegree});
    EXPECT_NEAR(interpolator.condition() / condition, 1, 0.02) << radii;
  }
}

TEST(RbfInterpolator, AveragesTheDataOfEqualPoints) {
  const RbfInterpolator interpolator(line({0, 40, 80, 80, 120}), {.kernel = "gaussian", .radius = 60 * kDegree});
  Eigen::VectorXd data(5);
  data << 0, 1, 2, 4, 5;
  const double value = interpolator.weights(at(80)).dot(data);
  EXPECT_NEAR(value, 3, 1e-3);
  EXPECT_EQ(interpolator.groups()[2], interpolator.groups()[3]);
}

TEST(RbfInterpolator, LeavesOutDirectionsThatThePointsDoNotShow) {
  // Points on a line in space: as good as the line alone.
  Eigen::MatrixXd points = Eigen::MatrixXd::Zero(3, 4);
  points.row(1) = line({0, 40, 80, 120});
  const RbfInterpolator inSpace(points, {});
  const RbfInterpolator onLine(line({0, 40, 80, 120}), {});
  EXPECT_EQ(inSpace.basis().cols(), 1);
  const Eigen::Vector3d x(0, 60 * kDegree, 0);
  EXPECT_LT((inSpace.weights(x) - onLine.weights(at(60))).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(RbfInterpolator, InterpolatesTwoPointsLinearly) {
  const RbfInterpolator interpolator(line({0, 90}), {});
  EXPECT_NEAR(interpolator.weights(at(30))[1], 1.0 / 3, 1e-12);
}

TEST(RbfInterpolator, TrustsAPointByItsConfidence) {
  const Eigen::MatrixXd points = line({0, 40, 80, 120});
  const RbfInterpolator sure(points, {});
  const RbfInterpolator unsure(points, {.confidence = {1, 1, 0.3, 1}});
  EXPECT_NEAR(sure.weights(at(80))[2], 1, 1e-10);
  EXPECT_LT(unsure.weights(at(80))[2], 0.99);
  EXPECT_NEAR(unsure.weights(at(80)).sum(), 1, 1e-10);
}

TEST(RbfInterpolator, RefusesWhatIsIllPosed) {
  const Eigen::MatrixXd points = cloudIn(2, 5);
  const auto says = [&](const RbfOptions& options, const char* words) {
    const std::string message = messageOf([&] { RbfInterpolator(points, options); });
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  says({.kernel = "thin-plate", .polynomial = RbfPolynomial::None}, "ill-posed");
  says({.kernel = "thin-plate", .polynomial = RbfPolynomial::Constant}, "ill-posed");
  says({.kernel = "gausian"}, "did you mean 'gaussian'");
  says({.polynomial = static_cast<RbfPolynomial>(9)}, "unknown polynomial '9'");
  says({.radius = -1}, "the radius is -1");
  says({.ridge = -0.1}, "the ridge is -0.1");
  says({.confidence = {1, 1}}, "2 confidences for 5 points");
  says({.confidence = {1, 1, 0, 1, 1}}, "a confidence is 0");
  const std::string none = messageOf([] { RbfInterpolator(Eigen::MatrixXd(2, 0), {}); });
  EXPECT_NE(none.find("no point"), std::string::npos);
}

TEST(RbfInterpolator, DoesNotAllocateForWeights) {
  const Eigen::MatrixXd points = cloudIn(30, 20);
  const RbfInterpolator interpolator(points, {});
  const Eigen::VectorXd x = cloudIn(30, 1);
  Eigen::VectorXd weights(20);
  const std::size_t before = test::allocationCount();
  interpolator.weights(x, weights);
  EXPECT_EQ(test::allocationCount(), before);
}

}  // namespace
}  // namespace sinew::rbf_test
