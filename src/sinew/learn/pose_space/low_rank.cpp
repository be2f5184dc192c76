// Brand, "Incremental singular value decomposition" (2002), in blocks. With D = W C what was read so far, W orthogonal
// directions times their values and C with orthonormal rows, and X the columns that came since,
//   [W X] = Q S V^T,  [D X] = [W X] [C 0; 0 I] = (Q S) (V^T [C 0; 0 I]),
// whose right factor has orthonormal rows again. V comes from the small Gram matrix [W X]^T [W X], so the long side is
// passed twice per block and nothing of its length is allocated. Vertices that no column moves are left out of both.
#include "sinew/learn/pose_space/low_rank.h"

#include <algorithm>
#include <span>
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

/// Some rows of some columns, one below the other.
Eigen::MatrixXd packed(const Eigen::MatrixXd& from, std::span<const Index> rows, Index firstColumn, Index columns) {
  Eigen::MatrixXd few(static_cast<Index>(rows.size()), columns);
  for (Index c = 0; c < columns; ++c) {
    const double* const column = from.col(firstColumn + c).data();
    for (std::size_t i = 0; i < rows.size(); ++i) few(static_cast<Index>(i), c) = column[rows[i]];
  }
  return few;
}

std::span<const Index> part(const std::vector<Index>& rows, Index first, Index most) {
  return std::span(rows).subspan(toSize(first), toSize(std::min(most, static_cast<Index>(rows.size()) - first)));
}

}  // namespace

Index LowRankColumns::capacityFor(Index rows, Index columns, double bytes) {
  const double most = bytes / (1.1 * 8 * static_cast<double>(std::max<Index>(1, rows)));
  const auto fits = static_cast<Index>(std::min(most, static_cast<double>(kMostCapacity)));
  return std::min(columns, std::max(fits, kLeastCapacity));
}

LowRankColumns::LowRankColumns(Index rows, Index columns, Index capacity, const LowRankNoise& noise)
    : noise_(noise),
      work_(Eigen::MatrixXd::Zero(rows, std::max<Index>(1, std::min(columns, capacity)))),
      coefficients_(Eigen::MatrixXd::Zero(0, columns)) {}

Eigen::Ref<Eigen::VectorXd> LowRankColumns::next() {
  if (filled_ == work_.cols()) {
    const auto touched = noise_.touched == nullptr ? 0 : std::count(noise_.touched->begin(), noise_.touched->end(), 1);
    compress(std::max<Index>(1, work_.cols() * 3 / 4),
             noise_.squares * static_cast<double>(touched) * static_cast<double>(columns_) - lost_);
    work_.rightCols(work_.cols() - filled_).setZero();
  }
  ++columns_;
  return work_.col(filled_++);
}

std::vector<Index> LowRankColumns::activeRows() const {
  std::vector<Index> active;
  for (Index row = 0; row < work_.rows(); ++row) {
    const bool known = noise_.touched != nullptr;
    if (!known || (*noise_.touched)[toSize(row / 3) % noise_.touched->size()] != 0) active.push_back(row);
  }
  return active;
}

Eigen::MatrixXd LowRankColumns::gram(const std::vector<Index>& active) const {
  const auto rows = static_cast<Index>(active.size());
  const Index run = runLength(rows);
  const Index runs = (rows + run - 1) / run;
  const Index added = filled_ - directions_;
  std::vector<Eigen::MatrixXd> parts(toSize(runs));
  parallelFor(runs, 1, [&](Index r) {
    const std::span<const Index> few = part(active, r * run, run);
    const Eigen::MatrixXd fresh = packed(work_, few, directions_, added);
    Eigen::MatrixXd& sum = parts[toSize(r)];
    sum.setZero(filled_, added);
    sum.topRows(directions_).noalias() = packed(work_, few, 0, directions_).transpose() * fresh;
    sum.bottomRows(added).selfadjointView<Eigen::Lower>().rankUpdate(fresh.transpose());
  });
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(filled_, filled_);
  gram.diagonal().head(directions_) = squares_.head(directions_);  // directions are orthogonal
  for (const Eigen::MatrixXd& sum : parts) {
    gram.bottomLeftCorner(added, directions_) += sum.topRows(directions_).transpose();
    gram.bottomRightCorner(added, added) += sum.bottomRows(added);
  }
  return gram;
}

void LowRankColumns::compress(Index most, double negligible) {
  const std::vector<Index> active = activeRows();
  const SymmetricEigen found = symmetricEigen(gram(active));
  const Index count = found.values.size();
  const double least = kRounding * std::max(0.0, count > 0 ? found.values[count - 1] : 0);
  Index kept = 0;
  while (kept < std::min(most, count) && found.values[count - 1 - kept] > least) ++kept;
  double dropped = found.values.head(count - kept).cwiseMax(0).sum();
  while (kept > 1 && dropped + found.values[count - kept] <= negligible) dropped += found.values[count - kept--];
  lost_ += dropped;
  const Eigen::MatrixXd turn = found.vectors.rightCols(kept).rowwise().reverse();
  squares_ = found.values.tail(kept).reverse();

  // Fixed blocks: a product's bits may depend on where its rows begin.
  const auto rows = static_cast<Index>(active.size());
  parallelFor((rows + kRows - 1) / kRows, 1, [&](Index block) {
    const std::span<const Index> few = part(active, block * kRows, kRows);
    const Eigen::MatrixXd turned = packed(work_, few, 0, filled_) * turn;
    for (Index c = 0; c < kept; ++c) {
      for (std::size_t i = 0; i < few.size(); ++i) work_(few[i], c) = turned(static_cast<Index>(i), c);
    }
  });
  if (rows < work_.rows()) clearOthers(kept);
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

void LowRankColumns::clearOthers(Index columns) {
  for (Index c = 0; c < columns; ++c) {
    for (Index row = 0; row < work_.rows(); ++row) {
      if ((*noise_.touched)[toSize(row / 3) % noise_.touched->size()] == 0) work_(row, c) = 0;
    }
  }
}

LowRank LowRankColumns::finish() {
  compress(work_.cols(), 0);
  LowRank result;
  work_.conservativeResize(work_.rows(), directions_);
  result.shapes = std::move(work_);
  result.squares = std::move(squares_);
  result.coefficients = std::move(coefficients_);
  result.lost = lost_;
  return result;
}

}  // namespace sinew::pose_space
