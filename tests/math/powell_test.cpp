#include "sinew/math/powell.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "sinew/math/line_search.h"

namespace sinew::powell_test {
namespace {

class PowellBothLines : public ::testing::TestWithParam<LineSearchKind> {};

INSTANTIATE_TEST_SUITE_P(Lines, PowellBothLines, ::testing::Values(LineSearchKind::Brent, LineSearchKind::Parabola),
                         [](const auto& row) {
                           return std::string(row.param == LineSearchKind::Brent ? "Brent" : "Parabola");
                         });

/// The same function at every column.
template <class Function>
BatchedValues each(const Function& function) {
  return [function](const Eigen::MatrixXd& x, Eigen::VectorXd& f) {
    f.resize(x.cols());
    for (Index i = 0; i < x.cols(); ++i) f[i] = function(Eigen::VectorXd(x.col(i)));
  };
}

double rosenbrock(const Eigen::VectorXd& x) {
  return 100 * std::pow(x[1] - x[0] * x[0], 2) + std::pow(1 - x[0], 2);
}

TEST_P(PowellBothLines, FindsTheMinimumOfRosenbrocksValley) {
  Eigen::MatrixXd start(2, 3);
  start << -1.2, 0, 2, 1, 0, -1;
  const PowellResult result = minimisePowell(each(rosenbrock), start, {.lineSearch = GetParam(), .maxCalls = 4000});
  for (Index i = 0; i < 3; ++i) {
    EXPECT_NEAR(result.x(0, i), 1, 1e-5) << i;
    EXPECT_NEAR(result.x(1, i), 1, 1e-5) << i;
    EXPECT_EQ(result.f[i], rosenbrock(result.x.col(i)));
  }
}

TEST_P(PowellBothLines, SolvesAQuadraticInAsManyCyclesAsItHasUnknowns) {
  const Index n = 4;
  Lcg random(11);
  Eigen::MatrixXd root(n, n);
  for (Index i = 0; i < root.size(); ++i) root.data()[i] = random.symmetric();
  const Eigen::MatrixXd matrix = root.transpose() * root + 0.5 * Eigen::MatrixXd::Identity(n, n);
  const Eigen::VectorXd least = Eigen::VectorXd::LinSpaced(n, -1, 2);
  const auto quadratic = [&](const Eigen::VectorXd& x) { return (x - least).dot(matrix * (x - least)); };
  const PowellResult result = minimisePowell(each(quadratic), Eigen::MatrixXd::Zero(n, 1),
                                             {.lineSearch = GetParam(), .step = 0.5, .enough = 1e-12});
  EXPECT_EQ(result.stop[0], PowellStop::Enough);
  EXPECT_LE((result.x.col(0) - least).norm(), 1e-5);
  EXPECT_LE(result.cycles[0], n + 1);
}

TEST_P(PowellBothLines, ProblemsDoNotDisturbEachOther) {
  Eigen::MatrixXd together(2, 2);
  together << -1.2, 0.5, 1, 0.3;
  const PowellOptions options{.lineSearch = GetParam(), .enough = 1e-10, .maxCalls = 4000};
  const PowellResult both = minimisePowell(each(rosenbrock), together, options);
  for (Index i = 0; i < 2; ++i) {
    const PowellResult alone = minimisePowell(each(rosenbrock), together.col(i), options);
    EXPECT_EQ(alone.x.col(0), both.x.col(i));
    EXPECT_EQ(alone.evaluations[0], both.evaluations[static_cast<std::size_t>(i)]);
  }
  EXPECT_EQ(both.calls, std::max(both.evaluations[0], both.evaluations[1])) << "lock step costs the slowest one";
}

TEST_P(PowellBothLines, StopsWithTheCallsThatItMayMake) {
  int calls = 0;
  const BatchedValues counted = [&](const Eigen::MatrixXd& x, Eigen::VectorXd& f) {
    ++calls;
    f = Eigen::VectorXd::Constant(x.cols(), rosenbrock(x.col(0)));
  };
  const PowellResult result =
      minimisePowell(counted, Eigen::Vector2d(-1.2, 1), {.lineSearch = GetParam(), .maxCalls = 17});
  EXPECT_EQ(calls, 17);
  EXPECT_EQ(result.calls, 17);
  EXPECT_EQ(result.stop[0], PowellStop::OutOfCalls);
  EXPECT_LT(result.f[0], rosenbrock(Eigen::Vector2d(-1.2, 1))) << "the best so far is kept";
}

TEST_P(PowellBothLines, StepsOverValuesThatAreNotNumbers) {
  const auto guarded = [](const Eigen::VectorXd& x) {
    return x[0] < 0.05 ? std::numeric_limits<double>::quiet_NaN() : std::pow(x[0] - 0.4, 2) + std::pow(x[1] + 1, 2);
  };
  const PowellResult result =
      minimisePowell(each(guarded), Eigen::Vector2d(0.1, 0), {.lineSearch = GetParam(), .enough = 1e-14});
  EXPECT_LE((result.x.col(0) - Eigen::Vector2d(0.4, -1)).norm(), 1e-6);
}

TEST_P(PowellBothLines, GivesTheSameBitsOnAnyNumberOfThreads) {
  Lcg random(5);
  Eigen::MatrixXd start(2, 700);
  for (Index i = 0; i < start.size(); ++i) start.data()[i] = 2 * random.symmetric();
  const PowellOptions options{.lineSearch = GetParam(), .maxCalls = 200};
  const PowellResult all = minimisePowell(each(rosenbrock), start, options);
  const ThreadLimit limit(1);
  const PowellResult one = minimisePowell(each(rosenbrock), start, options);
  EXPECT_EQ(all.x, one.x);
  EXPECT_EQ(all.evaluations, one.evaluations);
}

TEST(Powell, LeavesAProblemAloneThatIsDoneAtTheStart) {
  const auto norm = [](const Eigen::VectorXd& x) { return x.squaredNorm(); };
  const PowellResult result = minimisePowell(each(norm), Eigen::MatrixXd::Zero(3, 5));
  EXPECT_EQ(result.calls, 1);
  EXPECT_TRUE(result.x.isZero(0));
  EXPECT_EQ(result.meanEvaluations(), 1);
}

TEST(Powell, StopsWhereProgressSaysSo) {
  const Progress stop = [](const ProgressState&) { return false; };
  try {
    minimisePowell(each(rosenbrock), Eigen::Vector2d(-1.2, 1), {}, stop);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Cancelled);
  }
}

TEST(Powell, RefusesWhatCannotWork) {
  const auto notANumber = [](const Eigen::VectorXd&) { return std::numeric_limits<double>::quiet_NaN(); };
  EXPECT_THROW(minimisePowell(each(notANumber), Eigen::Vector2d(1, 1)), Error);
  EXPECT_THROW(minimisePowell(each(rosenbrock), Eigen::Vector2d(1, 1), {.step = 0}), Error);
}

TEST(LineSearch, ParabolaFindsTheVertexOfAParabolaInThreeValues) {
  LineSearch line;
  const auto phi = [](double a) { return 3 * (a - 0.7) * (a - 0.7) + 2; };
  line.start(LineSearchKind::Parabola, phi(0), 0.1);
  int values = 1;
  while (!line.feed(phi(line.trial()))) ++values;
  EXPECT_EQ(values, 3);
  EXPECT_NEAR(line.best(), 0.7, 1e-12);
  EXPECT_NEAR(line.bestValue(), 2, 1e-12);
}

TEST(LineSearch, BrentFindsTheNearestMinimumOfACosine) {
  LineSearch line;
  const auto phi = [](double a) { return std::cos(a + 1); };
  line.start(LineSearchKind::Brent, phi(0), 0.1);
  int values = 1;
  while (!line.feed(phi(line.trial()))) ++values;
  EXPECT_NEAR(line.best(), std::acos(-1) - 1, 3e-3);
  EXPECT_LE(values, 20);
}

}  // namespace
}  // namespace sinew::powell_test
