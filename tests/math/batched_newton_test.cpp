#include "sinew/math/batched_newton.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "support/random_points.h"

namespace sinew::batched_newton_test {
namespace {

using test::randomPoints;

/// A bend that grows with x, other for each column, as a deformer's would.
struct Bend {
  int calls = 0;
  void operator()(const Points& x, Points& y) {
    ++calls;
    y.resize(3, x.cols());
    for (Index i = 0; i < x.cols(); ++i) {
      const double angle = 0.9 * x(0, i) + 0.1 * static_cast<double>(i % 7);
      y.col(i) = Eigen::AngleAxisd(angle, Vec3::UnitZ()) * x.col(i) + 0.2 * Vec3(0, 0, std::sin(x(1, i)));
    }
  }
};

struct Planted {
  Bend bend;
  Points start, startValue, truth, target;
  explicit Planted(Index count) : start(randomPoints(count, 1)), truth(start + 0.1 * randomPoints(count, 2)) {
    bend(start, startValue);
    bend(truth, target);
    bend.calls = 0;
  }
  BatchedFunction function() {
    return [this](const Points& x, Points& y) { bend(x, y); };
  }
};

TEST(BatchedNewton, RecoversPlantedPointsInFewCalls) {
  Planted planted(300);
  const NewtonResult result = solveNewton(planted.function(), planted.start, planted.startValue, planted.target,
                                          Eigen::VectorXd::Zero(300), {});
  EXPECT_LE((result.x - planted.truth).colwise().norm().maxCoeff(), 1e-10);
  EXPECT_EQ(result.calls, planted.bend.calls);
  EXPECT_LE(result.calls, 24);
  for (const NewtonStop stop : result.stop) EXPECT_EQ(stop, NewtonStop::Reached);
}

TEST(BatchedNewton, BroydenSavesCalls) {
  Planted planted(300);
  const NewtonResult plain = solveNewton(planted.function(), planted.start, planted.startValue, planted.target,
                                         Eigen::VectorXd::Zero(300), {});
  const NewtonResult secant = solveNewton(planted.function(), planted.start, planted.startValue, planted.target,
                                          Eigen::VectorXd::Zero(300), {}, {.broyden = true});
  EXPECT_LE((secant.x - planted.truth).colwise().norm().maxCoeff(), 1e-10);
  EXPECT_LT(secant.calls, plain.calls);
}

TEST(BatchedNewton, DifferencesAreTheDerivative) {
  const Mat3 matrix = (Mat3() << 1, 2, 3, -1, 0.5, 0, 0.2, 0, 4).finished();
  const BatchedFunction linear = [&](const Points& x, Points& y) { y = matrix * x; };
  const Points x = randomPoints(5, 4);
  for (const Mat3& jacobian : differenceJacobians(linear, x, matrix * x, 1e-5))
    EXPECT_LE((jacobian - matrix).norm(), 1e-9);
}

TEST(BatchedNewton, RidgeOfALinearFunctionGivesTheNormalEquations) {
  const Mat3 matrix = (Mat3() << 1, 0, 0, 0, 1e-9, 0, 0, 0, 1).finished();
  const BatchedFunction linear = [&](const Points& x, Points& y) { y = matrix * x; };
  const Points start = randomPoints(4, 9);
  const Points target = randomPoints(4, 10);
  const double mu = 0.01;
  const NewtonResult result = solveNewton(linear, start, matrix * start, target, Eigen::VectorXd::Constant(4, mu), {});
  for (Index i = 0; i < 4; ++i) {
    const Vec3 r = target.col(i) - matrix * start.col(i);
    const Vec3 d = (matrix.transpose() * matrix + mu * Mat3::Identity()).inverse() * matrix.transpose() * r;
    EXPECT_LE((result.x.col(i) - start.col(i) - d).norm(), 1e-7);
    EXPECT_EQ(result.stop[static_cast<std::size_t>(i)], NewtonStop::Settled);
  }
}

TEST(BatchedNewton, SettlesWhereTheTargetIsOutOfReach) {
  // All answers lie in a ball of radius 1; the target does not.
  const BatchedFunction ball = [](const Points& x, Points& y) {
    y.resize(3, x.cols());
    for (Index i = 0; i < x.cols(); ++i) y.col(i) = x.col(i) / std::sqrt(1 + x.col(i).squaredNorm());
  };
  const Points start = Points::Constant(3, 1, 0.1);
  Points startValue;
  ball(start, startValue);
  const NewtonResult result =
      solveNewton(ball, start, startValue, Points::Constant(3, 1, 2), Eigen::VectorXd::Constant(1, 1e-4), {});
  EXPECT_EQ(result.stop[0], NewtonStop::Settled);
  EXPECT_TRUE(result.x.allFinite());
  EXPECT_GT(result.y.norm(), 0.9);
}

TEST(BatchedNewton, RejectsTrialsWithoutAValue) {
  const BatchedFunction root = [](const Points& x, Points& y) { y = x.array().sqrt(); };
  const Points start = Points::Constant(3, 2, 1.0);
  const Points target = Points::Constant(3, 2, 0.2);  // Newton's first step leads to -0.6
  const NewtonResult result = solveNewton(root, start, start, target, Eigen::VectorXd::Zero(2), {});
  EXPECT_LE((result.x.array() - 0.04).abs().maxCoeff(), 1e-9);
}

TEST(BatchedNewton, GivesTheSameBitsOnAnyNumberOfThreads) {
  Planted planted(3000);
  const Eigen::VectorXd ridge = Eigen::VectorXd::LinSpaced(3000, 0, 0.1);
  const NewtonResult all =
      solveNewton(planted.function(), planted.start, planted.startValue, planted.target, ridge, {});
  const ThreadLimit limit(1);
  const NewtonResult one =
      solveNewton(planted.function(), planted.start, planted.startValue, planted.target, ridge, {});
  EXPECT_EQ(all.x, one.x);
}

TEST(BatchedNewton, RefusesSizesThatDoNotFit) {
  Planted planted(3);
  EXPECT_THROW(
      solveNewton(planted.function(), planted.start, planted.startValue, planted.target, Eigen::VectorXd::Zero(2), {}),
      Error);
  EXPECT_THROW(solveNewton(planted.function(), planted.start, planted.startValue, planted.target,
                           Eigen::VectorXd::Zero(3), {}, {.difference = 0}),
               Error);
}

}  // namespace
}  // namespace sinew::batched_newton_test
