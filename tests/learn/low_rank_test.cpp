#include "sinew/learn/pose_space/low_rank.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "sinew/math/decompositions.h"

namespace sinew::low_rank_test {
namespace {

using pose_space::LowRank;
using pose_space::LowRankColumns;

Eigen::MatrixXd random(Index rows, Index columns, std::uint32_t seed) {
  Lcg lcg(seed);
  Eigen::MatrixXd matrix(rows, columns);
  for (double& number : matrix.reshaped()) number = lcg.symmetric();
  return matrix;
}

/// Directions of falling size, as corrections have them.
Eigen::MatrixXd falling(Index rows, Index columns, Index rank, double ratio) {
  Eigen::MatrixXd mix = random(rank, columns, 2);
  for (Index k = 0; k < rank; ++k) mix.row(k) *= std::pow(ratio, static_cast<double>(k));
  return random(rows, rank, 1) * mix;
}

LowRank decompose(const Eigen::MatrixXd& columns, Index capacity) {
  LowRankColumns few(columns.rows(), columns.cols(), capacity);
  for (Index k = 0; k < columns.cols(); ++k) few.next() = columns.col(k);
  return few.finish();
}

/// What the best approximation of this rank leaves: squares of the smaller singular values.
double leastLoss(const Eigen::MatrixXd& columns, Index rank) {
  const SymmetricEigen found = symmetricEigen(columns.transpose() * columns);
  return found.values.head(found.values.size() - rank).cwiseMax(0).sum();
}

TEST(LowRankColumns, GiveTheColumnsBackWhereFewDirectionsMakeThem) {
  const Eigen::MatrixXd columns = falling(900, 150, 20, 0.7);
  for (const Index capacity : {150, 64, 32}) {
    const LowRank few = decompose(columns, capacity);
    EXPECT_LT((few.shapes * few.coefficients - columns).norm(), 1e-6 * columns.norm()) << capacity;
    const Index rank = few.coefficients.rows();
    EXPECT_LT((few.coefficients * few.coefficients.transpose() - Eigen::MatrixXd::Identity(rank, rank)).norm(), 1e-10)
        << capacity;
    EXPECT_LT((few.shapes.colwise().squaredNorm().transpose() - few.squares).norm(), 1e-9 * few.squares.sum())
        << capacity;
    EXPECT_NEAR(few.squares.sum() + few.lost, columns.squaredNorm(), 1e-9 * columns.squaredNorm()) << capacity;
  }
}

TEST(LowRankColumns, LoseLittleMoreThanTheBestOfTheirRankWhereTheyMustCutOff) {
  const Eigen::MatrixXd columns = falling(600, 200, 120, 0.9);
  const LowRank few = decompose(columns, 40);
  ASSERT_LE(few.coefficients.rows(), 40);
  const double left = (few.shapes * few.coefficients - columns).squaredNorm();
  EXPECT_NEAR(left, few.lost, 1e-6 * columns.squaredNorm());
  // It is cut to 30 directions whenever 40 are full.
  EXPECT_LT(left, 1.5 * leastLoss(columns, 30));
  EXPECT_GE(left, leastLoss(columns, 40));
}

TEST(LowRankColumns, SkipColumnsOfZeros) {
  Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(30, 50);
  EXPECT_EQ(decompose(columns, 32).squares.size(), 0);
  columns.col(7).setOnes();
  columns.col(40) = -2 * columns.col(7);
  const LowRank few = decompose(columns, 32);
  ASSERT_EQ(few.squares.size(), 1);
  EXPECT_NEAR(few.squares[0], 150, 1e-9);
  EXPECT_EQ(few.coefficients.col(3).norm(), 0);
}

TEST(LowRankColumns, GiveTheSameBitsOnOneAndManyThreads) {
  const Eigen::MatrixXd columns = falling(20000, 70, 60, 0.8);
  LowRank one;
  {
    const ThreadLimit limit(1);
    one = decompose(columns, 32);
  }
  const LowRank many = decompose(columns, 32);
  EXPECT_EQ(one.shapes, many.shapes);
  EXPECT_EQ(one.coefficients, many.coefficients);
}

TEST(LowRankColumns, TakeTheMemoryThatTheyMay) {
  EXPECT_EQ(LowRankColumns::capacityFor(300000, 1000, 1e12), 384);
  EXPECT_EQ(LowRankColumns::capacityFor(300000, 20, 1e12), 20);
  const Index fits = LowRankColumns::capacityFor(300000, 1000, 240e6);
  EXPECT_LE(static_cast<double>(fits) * 300000 * 8, 240e6);
  EXPECT_GE(fits, 60);
  EXPECT_EQ(LowRankColumns::capacityFor(300000, 1000, 1), 32);
}

}  // namespace
}  // namespace sinew::low_rank_test
