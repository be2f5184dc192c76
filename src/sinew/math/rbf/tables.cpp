// What interpolators over the same points and blocks share: values at a position, and between all points.
#include <algorithm>
#include <cmath>

#include "sinew/math/rbf.h"
#include "sinew/math/rbf/point_pairs.h"

namespace sinew {
namespace {

/// Squared distances alone, with the arithmetic of squaredPair: the same bits.
void fillSquares(const Eigen::MatrixXd& points, std::span<const int> blockSizes,
                 const Eigen::Ref<const Eigen::VectorXd>& x, Eigen::MatrixXd& squares) {
  for (Index k = 0; k < points.cols(); ++k) {
    Index i = 0;
    for (Index b = 0; b < squares.cols(); ++b) {
      double sum = 0;
      for (const Index end = i + blockSizes[toSize(b)]; i < end; ++i) {
        const double apart = (x[i] - points(i, 0)) - (points(i, k) - points(i, 0));
        sum += apart * apart;
      }
      squares(k, b) = sum;
    }
  }
}

}  // namespace

void fillTables(const Eigen::MatrixXd& points, std::span<const int> blockSizes, std::span<const char> asked,
                const Eigen::Ref<const Eigen::VectorXd>& x, RbfTables& tables) {
  const auto blocks = static_cast<Index>(blockSizes.size());
  const Index count = points.cols();
  tables.squares.resize(count, blocks);
  const std::span<const RbfKernelRow> kernels = additiveKernels();
  tables.kernels.resize(kernels.size());
  for (std::size_t row = 0; row < tables.kernels.size(); ++row) {
    if (asked[row] != 0) tables.kernels[row].resize(count, blocks);
  }
  if (std::find(asked.begin(), asked.end(), 1) == asked.end()) {
    fillSquares(points, blockSizes, x, tables.squares);
    return;
  }
  for (Index k = 0; k < count; ++k) {
    Index first = 0;
    for (Index b = 0; b < blocks; ++b) {
      const Index end = first + blockSizes[toSize(b)];
      BlockPair pair = rbf::squaredPair(x, points, k, first, end);
      first = end;
      tables.squares(k, b) = pair.distance;
      pair.distance = std::sqrt(pair.distance);
      for (std::size_t row = 0; row < tables.kernels.size(); ++row) {
        if (asked[row] != 0) tables.kernels[row](k, b) = kernels[row].block(pair);
      }
    }
  }
}

RbfPairs pairsOf(const Eigen::MatrixXd& points, std::span<const int> blockSizes, std::span<const char> asked) {
  RbfPairs pairs;
  pairs.kernels.resize(additiveKernels().size());
  RbfTables tables;
  for (Index i = 0; i < points.cols(); ++i) {
    fillTables(points, blockSizes, asked, points.col(i), tables);
    for (std::size_t row = 0; row < pairs.kernels.size(); ++row) {
      if (asked[row] == 0) continue;
      if (i == 0) pairs.kernels[row].resize(points.cols() * points.cols(), tables.squares.cols());
      pairs.kernels[row].middleRows(i * points.cols(), points.cols()) = tables.kernels[row];
    }
  }
  return pairs;
}

}  // namespace sinew
