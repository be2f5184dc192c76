#include "sinew/math/linear_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "sinew/base/random.h"
#include "sinew/math/decompositions.h"
#include "support/allocations.h"
#include "support/message_of.h"

namespace sinew::linear_program_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Problem {
  Eigen::MatrixXd A;
  Eigen::VectorXd b;
  Eigen::VectorXd cost;
  Eigen::VectorXd upper;
};

LinearProgramReport solve(LinearProgram& program, const Problem& problem) {
  program.reset(static_cast<int>(problem.A.rows()), static_cast<int>(problem.A.cols()));
  for (int j = 0; j < problem.A.cols(); ++j) {
    program.cost(j) = problem.cost[j];
    program.upper(j) = problem.upper[j];
    for (int i = 0; i < problem.A.rows(); ++i) program.coefficient(i, j) = problem.A(i, j);
  }
  for (int i = 0; i < problem.A.rows(); ++i) program.right(i) = problem.b[i];
  return program.solve();
}

/// The least cost over all basic solutions: every choice of basic unknowns, every other at one of its bounds.
std::optional<double> bruteForce(const Problem& problem) {
  const auto rows = static_cast<int>(problem.A.rows());
  const auto columns = static_cast<int>(problem.A.cols());
  std::optional<double> best;
  for (int mask = 0; mask < 1 << columns; ++mask) {
    if (__builtin_popcount(static_cast<unsigned>(mask)) != rows) continue;
    for (int high = 0; high < 1 << columns; ++high) {
      if ((high & mask) != 0) continue;
      Eigen::MatrixXd basis(rows, rows);
      Eigen::VectorXd x = Eigen::VectorXd::Zero(columns);
      int at = 0;
      bool finite = true;
      for (int j = 0; j < columns; ++j) {
        if ((mask >> j & 1) != 0) basis.col(at++) = problem.A.col(j);
        if ((high >> j & 1) != 0) x[j] = problem.upper[j];
        finite = finite && std::isfinite(x[j]);
      }
      if (!finite) continue;
      const Eigen::VectorXd right = problem.b - problem.A * x;
      const Eigen::VectorXd values = leastSquares(basis, right, 1e-12);
      if ((basis * values - right).norm() > 1e-9 * (1 + right.norm())) continue;
      at = 0;
      for (int j = 0; j < columns; ++j) {
        if ((mask >> j & 1) != 0) x[j] = values[at++];
      }
      if ((x.array() < -1e-9).any() || (x.array() > problem.upper.array() + 1e-9).any()) continue;
      best = std::min(best.value_or(kInfinity), problem.cost.dot(x));
    }
  }
  return best;
}

TEST(LinearProgram, FindsTheLeastOfAllBasicSolutions) {
  const auto program = std::make_unique<LinearProgram>();
  Lcg random(7);
  int feasible = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const int rows = 1 + trial % 3;
    const int columns = rows + 2 + trial % 4;
    Problem problem;
    problem.A.resize(rows, columns);
    problem.cost.resize(columns);
    problem.upper.resize(columns);
    Eigen::VectorXd inside(columns);
    for (int j = 0; j < columns; ++j) {
      for (int i = 0; i < rows; ++i) problem.A(i, j) = random.symmetric();
      problem.cost[j] = 0.3 + random.symmetric();
      problem.upper[j] = 0.2 + random.uniform();
      inside[j] = problem.upper[j] * random.uniform();
    }
    problem.b = problem.A * inside;
    if (trial % 5 == 4) problem.b *= 3;  // some of these have no solution
    const std::optional<double> truth = bruteForce(problem);
    const LinearProgramReport report = solve(*program, problem);
    ASSERT_EQ(report.usable(), truth.has_value()) << trial;
    if (!truth) {
      EXPECT_EQ(report.end, LinearProgramEnd::Infeasible);
      EXPECT_GT(report.violation, 0);
      continue;
    }
    ++feasible;
    EXPECT_NEAR(report.value, *truth, 1e-9) << trial;
    Eigen::VectorXd x(columns);
    for (int j = 0; j < columns; ++j) x[j] = program->value(j);
    EXPECT_LT((problem.A * x - problem.b).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_GE(x.minCoeff(), 0);
    EXPECT_LE((x - problem.upper).maxCoeff(), 1e-12);
  }
  EXPECT_GT(feasible, 150);
}

TEST(LinearProgram, EndsOnProblemsThatCycleUnderTheTextbookRule) {
  // Beale's example: the most negative reduced cost with ties by the lowest row goes round for ever.
  Problem beale;
  beale.A.resize(3, 7);
  beale.A << 0.25, -60, -0.04, 9, 1, 0, 0, /**/ 0.5, -90, -0.02, 3, 0, 1, 0, /**/ 0, 0, 1, 0, 0, 0, 1;
  beale.b = Vec3(0, 0, 1);
  beale.cost.setZero(7);
  beale.cost.head(4) << -0.75, 150, -0.02, 6;
  beale.upper.setConstant(7, kInfinity);
  const auto program = std::make_unique<LinearProgram>();
  const LinearProgramReport report = solve(*program, beale);
  EXPECT_EQ(report.end, LinearProgramEnd::Optimal);
  EXPECT_NEAR(report.value, -0.05, 1e-12);
  EXPECT_LT(report.steps, 40);
}

TEST(LinearProgram, TellsWhereTheCostHasNoEnd) {
  Problem problem;
  problem.A = Eigen::RowVector2d(1, -1);
  problem.b = Eigen::VectorXd::Constant(1, 1);
  problem.cost = Eigen::Vector2d(0, -1);
  problem.upper.setConstant(2, kInfinity);
  const auto program = std::make_unique<LinearProgram>();
  EXPECT_EQ(solve(*program, problem).end, LinearProgramEnd::Unbounded);
  problem.upper[1] = 4;
  const LinearProgramReport report = solve(*program, problem);
  EXPECT_EQ(report.end, LinearProgramEnd::Optimal);
  EXPECT_NEAR(report.value, -4, 1e-14);
  EXPECT_NEAR(program->value(0), 5, 1e-14);
}

TEST(LinearProgram, TakesEquationsThatDependOnEachOther) {
  Problem problem;
  problem.A.resize(3, 3);
  problem.A << 1, 1, 1, /**/ 2, 2, 2, /**/ 1, 0, -1;
  problem.b = Vec3(1, 2, 0.25);
  problem.cost = Vec3(1, 3, 1);
  problem.upper.setConstant(3, kInfinity);
  const auto program = std::make_unique<LinearProgram>();
  const LinearProgramReport report = solve(*program, problem);
  EXPECT_TRUE(report.usable());
  EXPECT_NEAR(report.value, 1, 1e-14);
  problem.b[1] = 2.5;
  EXPECT_EQ(solve(*program, problem).end, LinearProgramEnd::Infeasible);
}

TEST(LinearProgram, DoesNotAllocate) {
  const auto program = std::make_unique<LinearProgram>();
  const std::size_t before = test::allocationCount();
  program->reset(2, 4);
  for (int j = 0; j < 4; ++j) {
    program->coefficient(0, j) = 1;
    program->coefficient(1, j) = j;
    program->cost(j) = (j - 1) * (j - 1);
  }
  program->right(0) = 1;
  program->right(1) = 1.5;
  const LinearProgramReport report = program->solve();
  EXPECT_EQ(test::allocationCount(), before);
  EXPECT_NEAR(report.value, 0.5, 1e-14);
}

TEST(LinearProgram, RefusesWhatItCannotHold) {
  const auto program = std::make_unique<LinearProgram>();
  EXPECT_NE(test::messageOf([&] { program->reset(LinearProgram::kMostRows + 1, 4); }).find("49 equations"),
            std::string::npos);
  program->reset(1, 2);
  program->cost(0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(test::messageOf([&] { program->solve(); }).find("not a finite number"), std::string::npos);
  program->reset(1, 2);
  program->upper(1) = -1;
  EXPECT_NE(test::messageOf([&] { program->solve(); }).find("unknown 1"), std::string::npos);
}

}  // namespace
}  // namespace sinew::linear_program_test
