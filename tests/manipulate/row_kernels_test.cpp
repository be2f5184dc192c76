#include "sinew/math/row_kernels.h"

#include <gtest/gtest.h>

#include <vector>

#include "sinew/base/random.h"
#include "support/allocations.h"

namespace sinew::row_kernels_test {
namespace {

/// Controls at some of 40 proxies: with a weight, with a slope, with both, and one control with nothing.
GradientTerms randomTerms(Lcg& random) {
  GradientTerms terms;
  for (int control = 0; control < 9; ++control) {
    std::vector<GradientTerm> some;
    for (Index proxy = control; proxy < 40 && control != 4; proxy += 1 + control % 3) {
      GradientTerm term{.row = 3 * proxy, .place = Vec3(random.symmetric(), random.symmetric(), random.symmetric())};
      if (proxy % 3 != 0) term.weight = random.symmetric();
      if (proxy % 4 != 0) term.slope = Vec3(random.symmetric(), random.symmetric(), random.symmetric());
      some.push_back(term);
    }
    terms.add(some);
  }
  return terms;
}

/// G^T, 36 x 120.
Eigen::MatrixXd dense(const GradientTerms& terms) {
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(4 * terms.controlCount(), 120);
  for (Index i = 0; i < terms.controlCount(); ++i) {
    for (auto t = terms.start[static_cast<std::size_t>(i)]; t < terms.start[static_cast<std::size_t>(i) + 1]; ++t) {
      const GradientTerm& term = terms.terms[t];
      all.block<3, 3>(4 * i, term.row) = term.weight * Mat3::Identity() + term.place * term.slope.transpose();
      all.block<1, 3>(4 * i + 3, term.row) = term.slope.transpose();
    }
  }
  return all;
}

RowMatrix randomRows(Index rows, Index columns, Lcg& random) {
  RowMatrix matrix(rows, columns);
  for (double& value : matrix.reshaped()) value = random.symmetric();
  return matrix;
}

TEST(RowKernels, MultiplyAsEigenDoesForEveryWidth) {
  Lcg random(1);
  const GradientTerms terms = randomTerms(random);
  for (Index columns = 12; columns <= 72; columns += 12) {
    const RowMatrix rows = randomRows(120, columns, random);
    RowMatrix result = RowMatrix::Constant(7, columns, 7);
    multiplyTerms(terms, rows, result);
    EXPECT_LT((result - dense(terms) * rows).cwiseAbs().maxCoeff(), 1e-13) << columns;
  }
}

TEST(RowKernels, ProjectAsEigenDoes) {
  Lcg random(5);
  const GradientTerms terms = randomTerms(random);
  const Eigen::MatrixXd unknowns = randomRows(36, 3, random);
  const RowMatrix blend = randomRows(120, 3, random);
  RowMatrix misfit = blend;
  Eigen::MatrixXd projected;
  projectMisfit(terms, unknowns, misfit, projected);
  const Eigen::MatrixXd expected = blend - dense(terms).transpose() * unknowns;
  EXPECT_LT((misfit - expected).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_LT((projected - dense(terms) * expected).cwiseAbs().maxCoeff(), 1e-12);
}

// Terms that are zero would cost as much as others.
TEST(RowKernels, KeepNoTermThatIsZero) {
  GradientTerms terms;
  terms.add({{.row = 0, .slope = Vec3::UnitX()}, {.row = 3}, {.row = 6, .weight = 1}});
  ASSERT_EQ(terms.terms.size(), 2u);
  EXPECT_EQ(terms.terms[0].row, 6);  // weights first
  EXPECT_EQ(terms.both, std::vector<std::size_t>{1});
  EXPECT_EQ(terms.sloped, std::vector<std::size_t>{1});
}

TEST(RowKernels, SumProductsAsEigenDoesForEveryWidth) {
  Lcg random(6);
  for (Index width = 4; width <= 64; width += 4) {
    const RowMatrix rows = randomRows(71, 3 * width, random);  // more than one chunk, and an odd number of rows
    RowMatrix sums = RowMatrix::Constant(width, width, 2);
    addProducts(rows, -0.5, sums);
    const Eigen::Map<const RowMatrix> tall(rows.data(), 213, width);
    const Eigen::MatrixXd expected =
        Eigen::MatrixXd::Constant(width, width, 2) - 0.5 * (tall.transpose() * tall).eval();
    const Eigen::MatrixXd upper = (sums - expected).triangularView<Eigen::Upper>();
    EXPECT_LT(upper.cwiseAbs().maxCoeff(), 1e-12) << width;
  }
}

TEST(RowKernels, SolveAsEigenDoesForEveryWidth) {
  Lcg random(2);
  const Eigen::MatrixXd square = randomRows(36, 36, random);
  const Eigen::MatrixXd upper = (square + 8 * Eigen::MatrixXd::Identity(36, 36)).triangularView<Eigen::Upper>();
  for (Index columns = 12; columns <= 72; columns += 12) {
    const RowMatrix rows = randomRows(36, columns, random);
    RowMatrix result = rows;
    solveTransposed(upper, result);
    EXPECT_LT((upper.transpose() * result - rows).cwiseAbs().maxCoeff(), 1e-13) << columns;
  }
}

TEST(RowKernels, SolveColumnsAsEigenDoes) {
  Lcg random(3);
  const Eigen::MatrixXd square = randomRows(57, 57, random);
  const Eigen::MatrixXd upper = (square + 8 * Eigen::MatrixXd::Identity(57, 57)).triangularView<Eigen::Upper>();
  for (Index columns = 0; columns <= 5; ++columns) {
    const Eigen::MatrixXd right = randomRows(57, columns, random);
    Eigen::MatrixXd result = right;
    solveColumns(upper, result);
    EXPECT_TRUE((upper * result).isApprox(right, 1e-13)) << columns;
    result = right;
    solveTransposedColumns(upper, result);
    EXPECT_TRUE((upper.transpose() * result).isApprox(right, 1e-13)) << columns;
  }
}

// Eigen's solve takes a work space of unknowns x unknowns here, more than it puts on the stack.
TEST(RowKernels, SolveManyUnknownsWithoutAllocating) {
  Lcg random(4);
  const Eigen::MatrixXd upper = 300 * Eigen::MatrixXd::Identity(300, 300) + randomRows(300, 300, random);
  for (const Index columns : {12, 36, 156}) {
    RowMatrix rows = randomRows(300, columns, random);
    Eigen::MatrixXd few = rows.leftCols<3>();
    RowMatrix sums = RowMatrix::Zero(columns / 3, columns / 3);
    const std::size_t before = test::allocationCount();
    solveTransposed(upper, rows);
    addProducts(rows, 1, sums);
    solveTransposedColumns(upper, few);
    solveColumns(upper, few);
    EXPECT_EQ(test::allocationCount(), before) << columns;
  }
}

}  // namespace
}  // namespace sinew::row_kernels_test
