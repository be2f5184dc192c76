#include "sinew/math/simplex_least_squares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "sinew/base/random.h"
#include "sinew/math/decompositions.h"
#include "support/allocations.h"
#include "support/message_of.h"

namespace sinew::simplex_least_squares_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd randomColumns(Index rows, Index cols, std::uint32_t seed) {
  Lcg random(seed);
  MatrixXd A(rows, cols);
  for (double& value : A.reshaped()) value = random.symmetric();
  return A;
}

MatrixXd gramOf(const MatrixXd& A, const VectorXd& b) {
  const MatrixXd centred = A.colwise() - b;
  return centred.transpose() * centred;
}

VectorXd solve(const MatrixXd& A, const VectorXd& b) {
  SimplexScratch scratch;
  VectorXd w(A.cols());
  EXPECT_TRUE(solveSimplex(gramOf(A, b), VectorXd(), 1, {}, scratch, w).converged);
  return w;
}

void expectFeasible(const VectorXd& w, double total = 1) {
  EXPECT_TRUE(w.allFinite());
  EXPECT_GE(w.minCoeff(), 0);
  EXPECT_LE(w.maxCoeff(), total);
  EXPECT_NEAR(w.sum(), total, 1e-12 * total);
}

/// Lawson and Hanson's algorithm by the book, with a heavy row for the sum. Nothing is shared with the solver.
VectorXd bookNnls(const MatrixXd& A, const VectorXd& b) {
  constexpr double kSum = 1e4;
  MatrixXd B(A.rows() + 1, A.cols());
  B << A, MatrixXd::Constant(1, A.cols(), kSum);
  VectorXd d(b.size() + 1);
  d << b, kSum;
  VectorXd x = VectorXd::Zero(A.cols());
  std::vector<bool> passive(static_cast<std::size_t>(A.cols()), false);
  const auto solvePassive = [&] {
    std::vector<Index> which;
    for (Index i = 0; i < A.cols(); ++i) {
      if (passive[static_cast<std::size_t>(i)]) which.push_back(i);
    }
    MatrixXd columns(B.rows(), static_cast<Index>(which.size()));
    for (std::size_t k = 0; k < which.size(); ++k) columns.col(static_cast<Index>(k)) = B.col(which[k]);
    const VectorXd part = leastSquares(columns, d, 1e-15);
    VectorXd all = VectorXd::Zero(A.cols());
    for (std::size_t k = 0; k < which.size(); ++k) all[which[k]] = part[static_cast<Index>(k)];
    return all;
  };
  for (int round = 0; round < 200; ++round) {
    const VectorXd slope = B.transpose() * (d - B * x);
    Index best = -1;
    for (Index i = 0; i < x.size(); ++i) {
      if (!passive[static_cast<std::size_t>(i)] && slope[i] > 1e-9 && (best < 0 || slope[i] > slope[best])) best = i;
    }
    if (best < 0) break;
    passive[static_cast<std::size_t>(best)] = true;
    for (VectorXd s = solvePassive();; s = solvePassive()) {
      double share = 1;
      for (Index i = 0; i < x.size(); ++i) {
        if (passive[static_cast<std::size_t>(i)] && s[i] <= 0) share = std::min(share, x[i] / (x[i] - s[i]));
      }
      x += share * (s - x);
      if (share == 1) break;
      for (Index i = 0; i < x.size(); ++i) {
        if (x[i] > 1e-13) continue;
        x[i] = 0;
        passive[static_cast<std::size_t>(i)] = false;
      }
    }
  }
  return x;
}

/// The least distance over all supports, each by the affine combination that comes nearest.
double leastBySupports(const MatrixXd& A, const VectorXd& b) {
  double least = std::numeric_limits<double>::infinity();
  const auto n = static_cast<unsigned>(A.cols());
  for (unsigned mask = 1; mask < (1U << n); ++mask) {
    std::vector<Index> which;
    for (unsigned i = 0; i < n; ++i) {
      if ((mask >> i & 1U) != 0) which.push_back(i);
    }
    const auto m = static_cast<Index>(which.size());
    VectorXd w = VectorXd::Ones(m);
    if (m > 1) {
      MatrixXd differences(A.rows(), m - 1);
      for (Index k = 1; k < m; ++k)
        differences.col(k - 1) = A.col(which[static_cast<std::size_t>(k)]) - A.col(which[0]);
      w.tail(m - 1) = differences.completeOrthogonalDecomposition().solve(b - A.col(which[0]));
      w[0] = 1 - w.tail(m - 1).sum();
    }
    if (w.minCoeff() < -1e-12) continue;
    VectorXd at = VectorXd::Zero(A.rows());
    for (Index k = 0; k < m; ++k) at += w[k] * A.col(which[static_cast<std::size_t>(k)]);
    least = std::min(least, (at - b).norm());
  }
  return least;
}

TEST(SimplexLeastSquares, AgreesWithNonNegativeLeastSquaresByTheBook) {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    const Index n = 2 + seed % 9;
    const MatrixXd A = randomColumns(n + 6, n, seed);
    const VectorXd b = 0.5 * randomColumns(n + 6, 1, seed + 1000);
    const VectorXd w = solve(A, b);
    expectFeasible(w);
    EXPECT_LT((w - bookNnls(A, b)).cwiseAbs().maxCoeff(), 1e-6) << "seed " << seed;
  }
}

TEST(SimplexLeastSquares, ComesAsNearAsAnySupportCan) {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    const Index n = 2 + seed % 5;
    MatrixXd A = randomColumns(3, n, seed);
    if (seed % 4 == 1) A.row(2) = 0.3 * A.row(0) - 0.2 * A.row(1);  // coplanar
    if (seed % 4 == 2) A = Vec3(1, 0.5, -0.25) * A.row(0).eval();   // collinear
    if (seed % 4 == 3) A.col(n - 1) = A.col(0);                     // coincident
    const VectorXd b = 1.2 * randomColumns(3, 1, seed + 500);
    const VectorXd w = solve(A, b);
    expectFeasible(w);
    EXPECT_NEAR((A * w - b).norm(), leastBySupports(A, b), 1e-9) << "seed " << seed;
  }
}

TEST(SimplexLeastSquares, MeetsTheOptimalityConditions) {
  for (const Index rank : {Index{3}, Index{12}, Index{60}}) {
    const MatrixXd A = randomColumns(rank, 40, static_cast<std::uint32_t>(rank));
    const VectorXd b = 0.05 * randomColumns(rank, 1, 99);
    const MatrixXd Q = gramOf(A, b);
    VectorXd w(40);
    SimplexScratch scratch;
    const SimplexReport report = solveSimplex(Q, VectorXd(), 1, {}, scratch, w);
    EXPECT_TRUE(report.converged);
    expectFeasible(w);
    const VectorXd g = Q * w * (40 / Q.trace());
    const double nu = g.dot(w);
    for (Index i = 0; i < 40; ++i) {
      EXPECT_GE(g[i] - nu, -1e-11);
      EXPECT_TRUE(w[i] == 0 || std::abs(g[i] - nu) < 1e-11);
    }
  }
}

TEST(SimplexLeastSquares, GivesPlantedWeightsBack) {
  const MatrixXd A = randomColumns(30, 12, 7);
  VectorXd truth = VectorXd::Zero(12);
  truth[2] = 0.5;
  truth[7] = 0.3;
  truth[11] = 0.2;
  EXPECT_LT((solve(A, A * truth) - truth).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(SimplexLeastSquares, DoesNotFeelWhereTheOriginIs) {
  const MatrixXd A = randomColumns(9, 6, 3);
  const VectorXd b = randomColumns(9, 1, 4);
  const VectorXd shift = 10 * randomColumns(9, 1, 5);
  EXPECT_LT((solve(A, b) - solve(A.colwise() + shift, b + shift)).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(SimplexLeastSquares, WarmStartKeepsWhatNothingPullsAt) {
  MatrixXd A = randomColumns(6, 4, 8);
  A.col(1) = A.col(0);
  const VectorXd b = 0.5 * (A.col(0) + A.col(2));
  VectorXd w(4);
  w << 0.1, 0.4, 0.5, 0;
  SimplexScratch scratch;
  solveSimplex(gramOf(A, b), VectorXd(), 1, {}, scratch, w, true);
  EXPECT_NEAR(w[0], 0.1, 1e-12);
  EXPECT_NEAR(w[1], 0.4, 1e-12);
  EXPECT_NEAR(w[2], 0.5, 1e-12);
}

TEST(SimplexLeastSquares, ReachesTheSameWeightsFromAnyStart) {
  const MatrixXd A = randomColumns(20, 8, 21);
  const VectorXd b = 0.2 * randomColumns(20, 1, 22);
  const VectorXd cold = solve(A, b);
  Lcg random(5);
  SimplexScratch scratch;
  for (int i = 0; i < 10; ++i) {
    VectorXd w(8);
    for (double& value : w) value = random.symmetric();  // negative ones are taken as 0
    solveSimplex(gramOf(A, b), VectorXd(), 1, {}, scratch, w, true);
    EXPECT_LT((w - cold).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(SimplexLeastSquares, AStrongPriorWins) {
  const MatrixXd Q = gramOf(randomColumns(9, 3, 1), randomColumns(9, 1, 2));
  const Vec3 prior(0.2, 0.5, 0.3);
  const double mu = 1e8 * Q.trace();
  VectorXd w(3);
  SimplexScratch scratch;
  solveSimplex(Q + mu * MatrixXd::Identity(3, 3), -mu * prior, 1, {}, scratch, w);
  EXPECT_LT((w - prior).norm(), 1e-7);
}

TEST(SimplexLeastSquares, SharesOutWhatFixedWeightsLeave) {
  // Column 0 is fixed at 0.4; the others, 0.6 together, must do their best around it.
  const MatrixXd A = randomColumns(12, 4, 31);
  Eigen::Vector4d truth(0.4, 0.35, 0, 0.25);
  const MatrixXd Q = gramOf(A, A * truth);
  VectorXd w(3);
  SimplexScratch scratch;
  const VectorXd c = 0.4 * Q.col(0).tail(3);
  solveSimplex(Q.bottomRightCorner(3, 3), c, 0.6, {}, scratch, w);
  expectFeasible(w, 0.6);
  EXPECT_LT((w - truth.tail(3)).norm(), 1e-12);
  solveSimplex(Q.bottomRightCorner(3, 3), c, 0, {}, scratch, w);
  EXPECT_TRUE(w.isZero(0));
}

TEST(SimplexLeastSquares, StaysFeasibleForDegenerateProblems) {
  SimplexScratch scratch;
  VectorXd one(1);
  solveSimplex(MatrixXd::Constant(1, 1, 3), VectorXd(), 1, {}, scratch, one);
  EXPECT_EQ(one[0], 1);
  VectorXd w(5);
  solveSimplex(MatrixXd::Zero(5, 5), VectorXd(), 1, {}, scratch, w);
  expectFeasible(w);
  const VectorXd c = randomColumns(5, 1, 3);
  Index best = 0;
  c.minCoeff(&best);
  solveSimplex(MatrixXd::Zero(5, 5), c, 1, {}, scratch, w);
  EXPECT_EQ(w[best], 1);
  solveSimplex(MatrixXd::Ones(5, 5), VectorXd(), 1, {}, scratch, w);  // all columns the same
  expectFeasible(w);
  for (const double scale : {1e-305, 1e-200, 1e-30, 1e30, 1e200, 1e300}) {
    const MatrixXd Q = scale * gramOf(randomColumns(8, 5, 2), VectorXd::Zero(8));
    EXPECT_TRUE(solveSimplex(Q, VectorXd(), 1, {}, scratch, w).converged);
    expectFeasible(w);
  }
}

TEST(SimplexLeastSquares, ScaleDoesNotChangeTheWeights) {
  const MatrixXd Q = gramOf(randomColumns(8, 5, 2), 0.1 * randomColumns(8, 1, 3));
  SimplexScratch scratch;
  VectorXd w(5);
  VectorXd scaled(5);
  solveSimplex(Q, VectorXd(), 1, {}, scratch, w);
  for (const double scale : {1e-200, 1e-12, 1e12, 1e200}) {
    solveSimplex(scale * Q, VectorXd(), 1, {}, scratch, scaled);
    EXPECT_LT((w - scaled).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(SimplexLeastSquares, NearlyCoincidentColumnsNeverBreakIt) {
  Lcg random(17);
  SimplexScratch scratch;
  for (int round = 0; round < 300; ++round) {
    MatrixXd A = randomColumns(6, 8, static_cast<std::uint32_t>(round));
    for (Index i = 4; i < 8; ++i) {
      const double size = std::pow(10.0, -16 * random.uniform());
      A.col(i) = A.col(i - 4) + size * A.col(i);
    }
    VectorXd w(8);
    solveSimplex(gramOf(A, 0.3 * randomColumns(6, 1, 7)), VectorXd(), 1, {}, scratch, w);
    expectFeasible(w);
    const double far = (A * w - 0.3 * randomColumns(6, 1, 7)).norm();
    EXPECT_NEAR(far, leastBySupports(A.leftCols(8), 0.3 * randomColumns(6, 1, 7)), 1e-6) << "round " << round;
  }
}

TEST(SimplexLeastSquares, ACapKeepsTheLargestAndFitsThemAgain) {
  const MatrixXd A = randomColumns(20, 8, 12);
  const VectorXd b = A * VectorXd::LinSpaced(8, 1, 8) / 36;  // eight weights that differ
  const MatrixXd Q = gramOf(A, b);
  SimplexScratch scratch;
  VectorXd full(8);
  solveSimplex(Q, VectorXd(), 1, {}, scratch, full);
  for (int most = 1; most <= 8; ++most) {
    VectorXd w(8);
    solveSimplexCapped(Q, VectorXd(), 1, most, {}, scratch, w);
    expectFeasible(w);
    EXPECT_LE((w.array() > 0).count(), most);
    // Not worse than the largest merely scaled.
    std::vector<double> sorted(full.begin(), full.end());
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    VectorXd merely = (full.array() >= sorted[static_cast<std::size_t>(most) - 1]).select(full, 0);
    merely /= merely.sum();
    EXPECT_LE(w.dot(Q * w), merely.dot(Q * merely) + 1e-12);
  }
}

TEST(SimplexLeastSquares, AllocatesNothingOnceItsMemoryHasGrown) {
  const MatrixXd Q = gramOf(randomColumns(20, 10, 1), 0.1 * randomColumns(20, 1, 2));
  const VectorXd c = VectorXd::Zero(10);
  VectorXd w(10);
  SimplexScratch scratch;
  solveSimplexCapped(Q, c, 1, 2, {}, scratch, w);
  const std::size_t before = test::allocationCount();
  solveSimplex(Q, c, 1, {}, scratch, w);
  EXPECT_EQ(test::allocationCount(), before);
}

TEST(SimplexLeastSquares, RefusesWhatIsNoProblem) {
  SimplexScratch scratch;
  VectorXd w(2);
  MatrixXd bad = MatrixXd::Identity(2, 2);
  bad(0, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(test::messageOf([&] { solveSimplex(bad, VectorXd(), 1, {}, scratch, w); }).find("not a finite number"),
            std::string::npos);
  EXPECT_NE(test::messageOf([&] {
              solveSimplex(MatrixXd::Identity(3, 3), VectorXd(), 1, {}, scratch, w);
            }).find("3 x 3 matrix"),
            std::string::npos);
  EXPECT_NE(test::messageOf([&] {
              solveSimplex(MatrixXd::Identity(2, 2), VectorXd(), -1, {}, scratch, w);
            }).find("sum of the weights is -1"),
            std::string::npos);
  EXPECT_NE(test::messageOf([&] {
              solveSimplexCapped(MatrixXd::Identity(2, 2), VectorXd(), 1, 0, {}, scratch, w);
            }).find("number of weights is 0"),
            std::string::npos);
}

TEST(AffineLeastSquares, FindsNegativeWeightsThatSumToOne) {
  const MatrixXd A = randomColumns(9, 4, 41);
  const Eigen::Vector4d truth(-0.5, 1.2, 0.1, 0.2);
  for (int base = 0; base < 4; ++base) {
    const VectorXd w = affineLeastSquares(A, A * truth, 1e-9, base);
    EXPECT_LT((w - truth).norm(), 1e-12);
    EXPECT_NEAR(w.sum(), 1, 1e-14);
  }
}

TEST(AffineLeastSquares, CoincidentColumnsGetNoHugeWeights) {
  // All joints carry the point to one place, up to rounding: a cut-off relative to the largest singular value would
  // take the rounding for a direction.
  Lcg random(3);
  MatrixXd A = randomColumns(9, 1, 5).replicate(1, 4);
  for (double& value : A.reshaped()) value += 1e-14 * random.symmetric();
  const VectorXd w = affineLeastSquares(A, VectorXd::Zero(9), 1e-3, 2);
  EXPECT_EQ(w, Eigen::Vector4d(0, 0, 1, 0));
}

TEST(AffineLeastSquares, OneColumnHasTheWholeWeight) {
  EXPECT_EQ(affineLeastSquares(randomColumns(6, 1, 1), randomColumns(6, 1, 2), 0)[0], 1);
}

}  // namespace
}  // namespace sinew::simplex_least_squares_test
