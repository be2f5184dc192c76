// Interpolation by sums over blocks of coordinates, and errors of left-out points in closed form.
#include <gtest/gtest.h>

#include <cmath>

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

TEST(AdditiveKernels, ChordsExpressWhatGrowsWithTheCosineOfAnAngle) {
  // A muscle grows as 1 - cos(angle), which is a quadratic of the chord.
  Eigen::MatrixXd points = Eigen::MatrixXd::Zero(3, 4);
  points.row(0) << 0, 0.9, 1.8, 2.6;
  const auto error = [&](const char* kernel) {
    const RbfInterpolator interpolator(points, {.kernel = kernel, .local = 0.001}, Eigen::VectorXd(), {{3}, {}});
    Eigen::VectorXd data(points.cols());
    for (Index k = 0; k < points.cols(); ++k) data[k] = 1 - std::cos(points(0, k));
    double largest = 0;
    for (double angle = 0.2; angle < 2.6; angle += 0.2)
      largest = std::max(largest, std::abs(interpolator.weights(Vec3(angle, 0, 0)).dot(data) - 1 + std::cos(angle)));
    return largest;
  };
  EXPECT_LT(error("joint-chord"), 0.3 * error("joint-quadratic"));
}

TEST(AdditiveKernels, ChordsDoNotDependOnAnglesBeyondAHalfTurn) {
  // Weights of morph targets may be large: chords end at 2, so that they do not come back.
  const auto chord = [](double x) {
    BlockPair pair{x, x * x, 1, std::abs(x - 1)};
    for (const RbfKernelRow& row : additiveKernels()) {
      if (row.name == "joint-chord") return row.block(pair);
    }
    return 0.0;
  };
  EXPECT_GT(chord(3), chord(2));
  EXPECT_NEAR(chord(9), chord(4), 1e-12);
}

TEST(AdditiveKernels, SmoothOnesAreFlatAtTheAnchorAndMeetASpline) {
  Eigen::MatrixXd points = Eigen::MatrixXd::Zero(3, 6);
  for (Index k = 1; k < 6; ++k) points(0, k) = 0.4 * static_cast<double>(k);
  const auto truth = [](double x) { return x * x * x - 0.5 * x * x; };
  Eigen::VectorXd data(points.cols());
  for (Index k = 0; k < points.cols(); ++k) data[k] = truth(points(0, k));
  const RbfInterpolator smooth(points, {.kernel = "joint-smooth", .local = 1e-7}, Eigen::VectorXd(), {{3}, {}});
  for (double x = 0.1; x < 2; x += 0.3) EXPECT_NEAR(smooth.weights(Vec3(x, 0, 0)).dot(data), truth(x), 0.1);
  EXPECT_NEAR(smooth.weights(Vec3(1e-3, 0, 0)).dot(data), 0, 1e-5);
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
    const RbfLeftOut without = RbfInterpolator(points, options).weightsWithoutEach();
    ASSERT_TRUE(without.undetermined.empty()) << kernel;
    for (const Index k : {0, 7, 19}) {
      Eigen::MatrixXd others(12, 19);
      others << points.leftCols(k), points.rightCols(19 - k);
      RbfOptions same = options;
      // Ridges are relative to the largest entry of the kernel.
      if (ridge > 0 && std::string(kernel) == "linear")
        same.ridge = ridge * largestDistance(points) / largestDistance(others);
      const Eigen::VectorXd refit = RbfInterpolator(others, same).weights(points.col(k));
      Eigen::VectorXd closed(19);
      closed << without.weights.row(k).head(k).transpose(), without.weights.row(k).tail(19 - k).transpose();
      EXPECT_LT((closed - refit).cwiseAbs().maxCoeff(), 1e-9) << kernel << " " << k;
      EXPECT_EQ(without.weights(k, k), 0);
    }
  }
}

TEST(LeaveOneOut, NamesThePointsThatAPolynomialNeeds) {
  // Eight points in twelve dimensions: each adds a direction.
  const RbfLeftOut none = RbfInterpolator(jointPoses(8), {.kernel = "cubic"}).weightsWithoutEach();
  EXPECT_EQ(none.undetermined.size(), 8u);
  EXPECT_TRUE(none.weights.array().isNaN().all());
  EXPECT_TRUE(RbfInterpolator(jointPoses(8), {.kernel = "linear"}).weightsWithoutEach().undetermined.empty());
}

TEST(LeaveOneOut, StaysInClosedFormForAllOthers) {
  // Points 3 and 8 alone leave the plane of the others, one in each direction.
  Eigen::MatrixXd points = Eigen::MatrixXd::Zero(4, 11);
  Lcg random(5);
  for (double& number : points.topRows(2).reshaped()) number = random.symmetric();
  points(2, 3) = 0.7;
  points(3, 8) = -0.4;
  const RbfLeftOut without = RbfInterpolator(points, {.kernel = "cubic"}).weightsWithoutEach();
  EXPECT_EQ(without.undetermined, (std::vector<Index>{3, 8}));
  for (Index k = 0; k < 11; ++k) {
    if (k == 3 || k == 8) {
      EXPECT_TRUE(without.weights.row(k).array().isNaN().all()) << k;
      continue;
    }
    Eigen::MatrixXd others(4, 10);
    others << points.leftCols(k), points.rightCols(10 - k);
    const Eigen::VectorXd refit = RbfInterpolator(others, {.kernel = "cubic"}).weights(points.col(k));
    Eigen::VectorXd closed(10);
    closed << without.weights.row(k).head(k).transpose(), without.weights.row(k).tail(10 - k).transpose();
    EXPECT_LT((closed - refit).cwiseAbs().maxCoeff(), 1e-9) << k;
  }
}

TEST(LeaveOneOut, GapsAreThoseOfThePointsThatAreLeft) {
  Eigen::MatrixXd points = jointPoses(15);
  points.col(9) = points.col(4);  // one centre, omitted together
  const Eigen::Matrix2Xd gaps = RbfInterpolator(points, {.kernel = "linear"}).gapsWithoutEach();
  ASSERT_EQ(gaps.cols(), 15);
  for (Index k = 0; k < 15; ++k) {
    std::vector<Index> kept;
    for (Index j = 0; j < 15; ++j) {
      if (j != k && points.col(j) != points.col(k)) kept.push_back(j);
    }
    const RbfInterpolator others(points(Eigen::all, kept), {.kernel = "linear"});
    EXPECT_NEAR(gaps(0, k), others.nearest(points.col(k)), 1e-14) << k;
    EXPECT_NEAR(gaps(1, k), others.largestGap(), 1e-14) << k;
  }
  EXPECT_TRUE(RbfInterpolator(points.leftCols(1), {.kernel = "linear"}).gapsWithoutEach().isZero(0));
  const Eigen::Matrix2Xd two = RbfInterpolator(points.leftCols(2), {.kernel = "linear"}).gapsWithoutEach();
  EXPECT_NEAR(two(0, 0), (points.col(0) - points.col(1)).norm(), 1e-14);
  EXPECT_EQ(two(1, 0), 0);
}

/// All of one block with equal scales, as tables need it.
RbfTables tablesAt(const Eigen::MatrixXd& points, const Eigen::VectorXd& x) {
  RbfTables tables;
  const std::vector<char> asked(additiveKernels().size(), 1);
  fillTables(points, kJoints.sizes, asked, x, tables);
  return tables;
}

TEST(MixedWeights, AreTheMixtureOfTheWeightsOfThePoints) {
  Eigen::MatrixXd points = jointPoses(14);
  points.col(6) = points.col(5);
  Eigen::MatrixXd mixing(3, 14);
  Lcg random(8);
  for (double& number : mixing.reshaped()) number = random.symmetric();
  std::vector<double> confidence(14, 1);
  confidence[5] = 0.5;
  const Eigen::VectorXd x = 0.3 * (points.col(2) + points.col(7)) + 0.1 * points.col(11);
  const RbfTables tables = tablesAt(points, x);
  for (const char* kernel : {"cubic", "linear", "gaussian", "thin-plate", "joint-even", "joint-linear"}) {
    const RbfOptions options{.kernel = kernel, .confidence = confidence, .local = 0.03};
    const RbfInterpolator plain(points, options, Eigen::VectorXd(), kJoints);
    const RbfInterpolator mixed(points, options, Eigen::VectorXd(), kJoints, mixing);
    EXPECT_EQ(mixed.weightCount(), 3);
    EXPECT_EQ(mixed.pointCount(), 14);
    const Eigen::VectorXd wanted = mixing * plain.weights(x);
    ASSERT_GT(wanted.norm(), 1e-3) << kernel;
    EXPECT_LT((mixed.weights(x) - wanted).norm(), 1e-11) << kernel;
    Eigen::VectorXd sum = Eigen::VectorXd::Ones(3);
    EXPECT_EQ(mixed.addWeights(x, tables, 2, sum), plain.nearest(tables)) << kernel;
    EXPECT_LT((sum - Eigen::VectorXd::Ones(3) - 2 * wanted).norm(), 1e-11) << kernel;
    // The same by a matrix of the caller.
    sum.setZero();
    plain.addWeights(Eigen::MatrixXd(mixing * plain.cardinal()), x, tables, 1, sum);
    EXPECT_LT((sum - wanted).norm(), 1e-11) << kernel;
  }
}

TEST(MixedWeights, AreTheShortestWhereTheSystemIsSingular) {
  // A single centre of a kernel that is 0 there.
  const Eigen::MatrixXd points = Eigen::MatrixXd::Zero(2, 1);
  const RbfInterpolator mixed(points, {.kernel = "linear"}, Eigen::VectorXd(), {}, Eigen::MatrixXd::Ones(2, 1));
  EXPECT_EQ(mixed.weights(Eigen::Vector2d(1, 1)), Eigen::Vector2d(0, 0));
}

TEST(MixedWeights, WithoutRowsKnowOnlyDistances) {
  const Eigen::MatrixXd points = jointPoses(6);
  const RbfInterpolator distances(points, {.kernel = "cubic"}, Eigen::VectorXd(), kJoints, Eigen::MatrixXd(0, 6));
  const RbfInterpolator whole(points, {.kernel = "cubic"}, Eigen::VectorXd(), kJoints);
  EXPECT_EQ(distances.weightCount(), 0);
  EXPECT_EQ(distances.largestGap(), whole.largestGap());
  const Eigen::VectorXd x = 0.5 * (points.col(2) + points.col(3));
  EXPECT_EQ(distances.nearest(tablesAt(points, x)), whole.nearest(tablesAt(points, x)));
}

TEST(MixedWeights, RefuseWhatDoesNotFit) {
  const Eigen::MatrixXd points = jointPoses(6);
  const std::string columns = test::messageOf(
      [&] { RbfInterpolator(points, {.kernel = "cubic"}, Eigen::VectorXd(), kJoints, Eigen::MatrixXd::Ones(2, 5)); });
  EXPECT_NE(columns.find("5 columns for 6 points"), std::string::npos) << columns;
  const RbfInterpolator mixed(points, {.kernel = "cubic"}, Eigen::VectorXd(), kJoints, Eigen::MatrixXd::Ones(2, 6));
  const std::string leftOut = test::messageOf([&] { static_cast<void>(mixed.weightsWithoutEach()); });
  EXPECT_NE(leftOut.find("cannot leave out"), std::string::npos) << leftOut;
  Eigen::VectorXd three = Eigen::VectorXd::Zero(3);
  const std::string rows =
      test::messageOf([&] { mixed.addWeights(points.col(0), tablesAt(points, points.col(0)), 1, three); });
  EXPECT_NE(rows.find("3 weights"), std::string::npos) << rows;
}

}  // namespace
}  // namespace sinew::additive_kernels_test
