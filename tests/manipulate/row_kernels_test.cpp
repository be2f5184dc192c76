#include "sinew/manipulate/row_kernels.h"

#include <gtest/gtest.h>

#include <vector>

#include "sinew/base/random.h"
#include "support/allocations.h"

namespace sinew {
namespace {

Eigen::SparseMatrix<double, Eigen::RowMajor> randomSparse(Index rows, Index columns, Lcg& random) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int row = 0; row < static_cast<int>(rows); ++row) {
    for (int k = 0; k < row % 7; ++k) {  // some rows have none
      entries.emplace_back(row, static_cast<int>(random.uniform() * static_cast<double>(columns)), random.symmetric());
    }
  }
  Eigen::SparseMatrix<double, Eigen::RowMajor> sparse(rows, columns);
  sparse.setFromTriplets(entries.begin(), entries.end());
  return sparse;
}

RowMatrix randomRows(Index rows, Index columns, Lcg& random) {
  RowMatrix matrix(rows, columns);
  for (double& value : matrix.reshaped()) value = random.symmetric();
  return matrix;
}

TEST(RowKernels, MultiplyAsEigenDoesForEveryWidth) {
  Lcg random(1);
  const auto sparse = randomSparse(40, 50, random);
  for (Index columns = 1; columns <= 70; ++columns) {
    const RowMatrix rows = randomRows(50, columns, random);
    RowMatrix result = RowMatrix::Constant(40, columns, 7);
    multiplyRows(sparse, rows, result);
    EXPECT_LT((result - Eigen::MatrixXd(sparse) * rows).cwiseAbs().maxCoeff(), 1e-13) << columns;
  }
}

TEST(RowKernels, SolveAsEigenDoesForEveryWidth) {
  Lcg random(2);
  const Eigen::MatrixXd square = randomRows(33, 33, random);
  const Eigen::MatrixXd upper = (square + 8 * Eigen::MatrixXd::Identity(33, 33)).triangularView<Eigen::Upper>();
  for (Index columns = 1; columns <= 70; ++columns) {
    const RowMatrix rows = randomRows(33, columns, random);
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
  for (const Index columns : {3, 15, 40}) {
    RowMatrix rows = randomRows(300, columns, random);
    Eigen::MatrixXd few = rows.leftCols<3>();
    const std::size_t before = test::allocationCount();
    solveTransposed(upper, rows);
    solveTransposedColumns(upper, few);
    solveColumns(upper, few);
    EXPECT_EQ(test::allocationCount(), before) << columns;
  }
}

}  // namespace
}  // namespace sinew
