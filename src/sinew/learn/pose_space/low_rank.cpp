// Brand, "Incremental singular value decomposition" (2002), in blocks. With D = W C what was read so far, W orthogonal
// directions times their values and C with orthonormal rows, and X the columns that came since,
//   [W X] = Q S V^T,  [D X] = [W X] [C 0; 0 I] = (Q S) (V^T [C 0; 0 I]),
// whose right factor has orthonormal rows again. V comes from the small Gram matrix [W X]^T [W X], so the long side is
// passed twice per block and nothing of its length is allocated.
#include "sinew/learn/pose_space/low_rank.h"

#include <algorithm>
#include <vector>

#include "sinew/base/parallel.h"
#include "sinew/math/decompositions.h"

namespace sinew::pose_space {
namespace {

constexpr Index kMostCapacity = 384;
constexpr Index kLeastCapacity = 32;
/// Squares below this share of the largest are rounding.
constexpr double kRounding = 1e-14;
/// Rows of the sums that are added up in order, so that threads change no bit.
constexpr Index kLeastRun = 3072;
constexpr Index kMostRuns = 48;
constexpr Index kRows = 768;

Index runLength(Index rows) {
  return std::max(kLeastRun, (rows + kMostRuns - 1) / kMostRuns);
}

Eigen::MatrixXd gramOf(const Eigen::Ref<const Eigen::MatrixXd>& columns) {
  const Index run = runLength(columns.rows());
  const Index runs = (columns.rows() + run - 1) / run;
  std::vector<Eigen::MatrixXd> parts(toSize(runs));
  parallelFor(runs, 1, [&](Index r) {
    const Index first = r * run;
    const auto rows = columns.middleRows(first, std::min(run, columns.rows() - first));
    parts[toSize(r)].setZero(columns.cols(), columns.cols());
    parts[toSize(r)].selfadjointView<Eigen::Lower>().rankUpdate(rows.transpose());
  });
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(columns.cols(), columns.cols());
  for (const Eigen::MatrixXd& part : parts) gram += part;
  return gram;
}

}  // namespace

Index LowRankColumns::capacityFor(Index rows, Index columns, double bytes) {
  const double most = bytes / (1.1 * 8 * static_cast<double>(std::max<Index>(1, rows)));
  const auto fits = static_cast<Index>(std::min(most, static_cast<double>(kMostCapacity)));
  return std::min(columns, std::max(fits, kLeastCapacity));
}

LowRankColumns::LowRankColumns(Index rows, Index columns, Index capacity)
    : work_(Eigen::MatrixXd::Zero(rows, std::max<Index>(1, std::min(columns, capacity)))),
      coefficients_(Eigen::MatrixXd::Zero(0, columns)) {}

Eigen::Ref<Eigen::VectorXd> LowRankColumns::next() {
  if (filled_ == work_.cols()) {
    compress(std::max<Index>(1, work_.cols() * 3 / 4));
    work_.rightCols(work_.cols() - filled_).setZero();
  }
  ++columns_;
  return work_.col(filled_++);
}

void LowRankColumns::compress(Index most) {
  const SymmetricEigen found = symmetricEigen(gramOf(work_.leftCols(filled_)));
  const Index count = found.values.size();
  const double least = kRounding * std::max(0.0, count > 0 ? found.values[count - 1] : 0);
  Index kept = 0;
  while (kept < std::min(most, count) && found.values[count - 1 - kept] > least) ++kept;
  lost_ += found.values.head(count - kept).cwiseMax(0).sum();
  const Eigen::MatrixXd turn = found.vectors.rightCols(kept).rowwise().reverse();
  squares_ = found.values.tail(kept).reverse();

  // Fixed blocks: a product's bits may depend on where its rows begin.
  parallelFor((work_.rows() + kRows - 1) / kRows, 1, [&](Index block) {
    const Index first = block * kRows;
    const Index rows = std::min(kRows, work_.rows() - first);
    const Eigen::MatrixXd turned = work_.block(first, 0, rows, filled_) * turn;
    work_.block(first, 0, rows, kept) = turned;
  });
  // What the new columns are is the identity: each is itself.
  Eigen::MatrixXd coefficients(kept, coefficients_.cols());
  const Index before = columns_ - (filled_ - directions_);
  coefficients.leftCols(before) = turn.topRows(directions_).transpose() * coefficients_.leftCols(before);
  coefficients.middleCols(before, filled_ - directions_) = turn.bottomRows(filled_ - directions_).transpose();
  coefficients.rightCols(coefficients_.cols() - columns_).setZero();
  coefficients_ = std::move(coefficients);
  directions_ = kept;
  filled_ = kept;
}

LowRank LowRankColumns::finish() {
  compress(work_.cols());
  LowRank result;
  work_.conservativeResize(work_.rows(), directions_);
  result.shapes = std::move(work_);
  result.squares = std::move(squares_);
  result.coefficients = std::move(coefficients_);
  result.lost = lost_;
  return result;
}

}  // namespace sinew::pose_space
