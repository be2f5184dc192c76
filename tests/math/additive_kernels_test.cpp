// Interpolation by sums over blocks of coordinates, and errors of left-out points in closed form.
#include <gtest/gtest.h>

#include "sinew/base/error.h"
#include "sinew/base/random.h"
#include "sinew/math/rbf.h"
#include "support/message_of.h"

namespace sinew::additive_kernels_test {
namespace {

/// Four joints of three coordinates; the first point is at rest.
Eigen::MatrixXd jointPoses(Index count) {
  Lcg random(3);
  Eigen::MatrixXd points = Eigen::MatrixXd::Zero(12, count);
  for (Index i = 1; i < count; ++i) {
    for (Index d = 0; d < 12; ++d) points(d, i) = random.symmetric();
  }
  return points;
}

double largestDistance(const Eigen::MatrixXd& points) {
  double largest = 0;
  for (Index i = 0; i < points.cols(); ++i)
    largest = std::max(largest, (points.colwise() - points.col(i)).colwise().norm().maxCoeff());
  return largest;
}

const RbfBlocks kJoints{{3, 3, 3, 3}, Eigen::Vector4d(1, 1, 0.5, 0)};

TEST(AdditiveKernels, MeetEveryPoint) {
  const Eigen::MatrixXd points = jointPoses(9);
  for (const RbfKernelRow& row : additiveKernels()) {
    const RbfInterpolator interpolator(points, {.kernel = std::string(row.name), .local = 0.03}, Eigen::VectorXd(),
                                       kJoints);
    for (Index k = 0; k < points.cols(); ++k) {
      const Eigen::VectorXd weights = interpolator.weights(points.col(k));
      EXPECT_LT((weights - Eigen::VectorXd::Unit(points.cols(), k)).cwiseAbs().maxCoeff(), 1e-9) << row.name;
    }
  }
}

TEST(AdditiveKernels, LearnWhatEachJointDoesFromPosesThatMoveAll) {
  // An even quadratic of joints 0 and 1 each: 12 unknowns, in 12 dimensions with 24 points.
  const Eigen::MatrixXd points = jointPoses(25);
  const auto truth = [](const Eigen::VectorXd& x) { return 2 * x[0] * x[1] + x.segment(3, 3).squaredNorm(); };
  Eigen::VectorXd data(points.cols());
  for (Index k = 0; k < points.cols(); ++k) data[k] = truth(points.col(k));
  const RbfInterpolator additive(points, {.kernel = "joint-even", .local = 1e-6}, Eigen::VectorXd(), kJoints);
  const RbfInterpolator radial(points, {.kernel = "cubic"});
  Lcg random(9);
  double additiveError = 0, radialError = 0;
  for (int i = 0; i < 20; ++i) {
    Eigen::VectorXd x(12);
    for (double& number : x) number = random.symmetric();
    additiveError = std::max(additiveError, std::abs(additive.weights(x).dot(data) - truth(x)));
    radialError = std::max(radialError, std::abs(radial.weights(x).dot(data) - truth(x)));
  }
  EXPECT_LT(additiveError, 0.02);
  EXPECT_GT(radialError, 10 * additiveError);
}

TEST(AdditiveKernels, DoNotFeelJointsOfNoWeight) {
  const Eigen::MatrixXd points = jointPoses(9);
  const RbfInterpolator interpolator(points, {.kernel = "joint-linear", .local = 1e-3},
                                     Eigen::VectorXd::Ones(12).cwiseProduct(Eigen::VectorXd::LinSpaced(12, 1, 2)),
                                     kJoints);
  // Away from the points, where the narrow Gaussians have ended.
  Eigen::VectorXd x = Eigen::VectorXd::Constant(12, 4);
  const Eigen::VectorXd before = interpolator.weights(x);
  x.tail(3).setConstant(9);
  EXPECT_LT((interpolator.weights(x) - before).tail(8).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(AdditiveKernels, AreRefusedWithoutALocalPart) {
  const std::string message = test::messageOf([] { RbfInterpolator(jointPoses(4), {.kernel = "joint-even"}); });
  EXPECT_NE(message.find("cannot interpolate every point"), std::string::npos) << message;
  const std::string blocks = test::messageOf([] {
    RbfInterpolator(jointPoses(4), {.kernel = "joint-even", .local = 1}, Eigen::VectorXd(),
                    {{3, 3}, Eigen::VectorXd()});
  });
  EXPECT_NE(blocks.find("6 coordinates, the points 12"), std::string::npos) << blocks;
}

// Rippa 1999.
TEST(LeaveOneOut, IsWhatRefitsGive) {
  const Eigen::MatrixXd points = jointPoses(20);
  const std::pair<const char*, double> kernels[] = {
      {"cubic", 0}, {"linear", 0}, {"gaussian", 0}, {"gaussian", 0.1}, {"linear", 0.2}};
  for (const auto& [kernel, ridge] : kernels) {
    const RbfOptions options{.kernel = kernel, .radius = 2, .ridge = ridge};
    const auto weights = RbfInterpolator(points, options).weightsWithoutEach();
    ASSERT_TRUE(weights.has_value()) << kernel;
    for (const Index k : {0, 7, 19}) {
      Eigen::MatrixXd others(12, 19);
      others << points.leftCols(k), points.rightCols(19 - k);
      RbfOptions same = options;
      // Ridges are relative to the largest entry of the kernel.
      if (ridge > 0 && std::string(kernel) == "linear")
        same.ridge = ridge * largestDistance(points) / largestDistance(others);
      const Eigen::VectorXd refit = RbfInterpolator(others, same).weights(points.col(k));
      Eigen::VectorXd closed(19);
      closed << weights->row(k).head(k).transpose(), weights->row(k).tail(19 - k).transpose();
      EXPECT_LT((closed - refit).cwiseAbs().maxCoeff(), 1e-9) << kernel << " " << k;
      EXPECT_EQ((*weights)(k, k), 0);
    }
  }
}

TEST(LeaveOneOut, IsNotToldWhereAPolynomialNeedsEveryPoint) {
  EXPECT_FALSE(RbfInterpolator(jointPoses(8), {.kernel = "cubic"}).weightsWithoutEach().has_value());
  EXPECT_TRUE(RbfInterpolator(jointPoses(8), {.kernel = "linear"}).weightsWithoutEach().has_value());
}

}  // namespace
}  // namespace sinew::additive_kernels_test
