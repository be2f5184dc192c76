// Sums over blocks of coordinates, and kernels that interpolators share.
#include "sinew/math/rbf/block_sums.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "sinew/base/random.h"
#include "sinew/math/rbf.h"

namespace sinew::block_sums_test {
namespace {

Eigen::MatrixXd randomNumbers(Index rows, Index columns, std::uint32_t seed) {
  Eigen::MatrixXd numbers(rows, columns);
  Lcg random(seed);
  for (double& number : numbers.reshaped()) number = random.symmetric();
  return numbers;
}

// The order of additions decides the last bit of weights, and files must deform to the same bits in every version.
TEST(BlockSums, HaveTheBitsOfDotProducts) {
  for (const Index blocks : {1, 2, 3, 4, 5, 6, 7, 8, 11, 25}) {
    const Eigen::MatrixXd table = randomNumbers(13, blocks, 3);
    Eigen::VectorXd factors = randomNumbers(blocks, 1, 4);
    if (blocks > 5) factors[2] = factors[5] = 0;
    std::vector<Index> rows(13);
    std::iota(rows.begin(), rows.end(), Index{0});
    for (const bool gap : {false, true}) {
      if (gap) rows.erase(rows.begin() + 4);
      std::vector<double> sums(rows.size());
      rbf::blockSums(table, factors, rows, sums);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const Eigen::VectorXd row = table.row(rows[i]).transpose();
        EXPECT_EQ(sums[i], row.dot(factors)) << blocks << " blocks, row " << rows[i];
      }
    }
  }
}

TEST(BlockSums, AddColumnsOneAfterTheOther) {
  for (const Index rows : {1, 7, 8, 19}) {
    const Eigen::MatrixXd matrix = randomNumbers(rows, 9, 5);
    const std::vector<double> factors{0.5, -1.25, 3, 0.1};
    Eigen::VectorXd sum = randomNumbers(rows, 1, 6);
    Eigen::VectorXd wanted = sum;
    for (std::size_t i = 0; i < factors.size(); ++i) wanted += factors[i] * matrix.col(3 + static_cast<Index>(i));
    rbf::addColumns(matrix, 3, factors, sum);
    EXPECT_EQ(sum, wanted) << rows;
  }
}

TEST(SharedPairs, ChangeNoBitOfAnInterpolation) {
  Eigen::MatrixXd points = randomNumbers(7, 12, 7);
  points.col(0).setZero();
  points.col(8) = points.col(4);  // one centre
  const RbfBlocks blocks{.sizes = {3, 1, 3}, .weights = Eigen::Vector3d(1, 0, 0.4)};
  const std::vector<char> asked(additiveKernels().size(), 1);
  const RbfPairs pairs = pairsOf(points, blocks.sizes, asked);
  for (const char* kernel : {"joint-even", "joint-quadratic", "joint-linear", "none", "cubic"}) {
    const RbfOptions options{.kernel = kernel, .local = 0.03};
    const Eigen::VectorXd scales = Eigen::VectorXd::Ones(7);
    const RbfInterpolator alone(points, options, scales, blocks);
    const RbfInterpolator shared(points, options, scales, blocks, Eigen::MatrixXd(), &pairs);
    EXPECT_EQ(shared.cardinal(), alone.cardinal()) << kernel;
  }
}

}  // namespace
}  // namespace sinew::block_sums_test
