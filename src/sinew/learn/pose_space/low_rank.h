// Corrections of many examples as few shapes: a truncated singular value decomposition of columns that come one after
// the other.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sinew/base/types.h"

namespace sinew::pose_space {

/// The columns D as D = shapes * coefficients.
struct LowRank {
  Eigen::MatrixXd shapes;        ///< rows x rank: left singular vectors times their values, the largest first
  Eigen::VectorXd squares;       ///< of the values
  Eigen::MatrixXd coefficients;  ///< rank x columns, with orthonormal rows
  double lost = 0;               ///< squares of all that was cut off
};

/// What may be dropped of columns that are x y z of vertices (of several parts, one below the other).
struct LowRankNoise {
  const std::vector<char>* touched = nullptr;  ///< per vertex: others count as zero so far; null: all rows count
  double squares = 0;  ///< per column and touched vertex: squared sizes up to this are dropped before the last column
};

/// Takes columns in order and keeps at most `capacity` of them in memory: where there are more, what was read is
/// replaced by its main directions, three quarters of the capacity. Exact to rounding (1e-7 of the largest) where the
/// columns depend on no more than these.
class LowRankColumns {
 public:
  /// Refers to `noise.touched`, which may change between columns.
  LowRankColumns(Index rows, Index columns, Index capacity, const LowRankNoise& noise = {});

  /// The next column, zero, to be filled before the next call.
  Eigen::Ref<Eigen::VectorXd> next();
  /// After the last column. The object is empty then.
  LowRank finish();

  /// A capacity whose memory stays below `bytes`, but at least what a decomposition needs.
  static Index capacityFor(Index rows, Index columns, double bytes);

 private:
  /// `negligible`: squares that may be dropped, of all columns.
  void compress(Index most, double negligible);
  [[nodiscard]] std::vector<Index> activeRows() const;
  void clearOthers(Index columns);
  /// Products of the columns of work_ (lower half).
  [[nodiscard]] Eigen::MatrixXd gram(const std::vector<Index>& active) const;

  LowRankNoise noise_;
  Eigen::MatrixXd work_;          // directions times their values, then columns as they came
  Eigen::MatrixXd coefficients_;  // of the directions
  Index filled_ = 0;              // columns of work_
  Index directions_ = 0;          // the first of them
  Index columns_ = 0;             // that were read
  double lost_ = 0;
  Eigen::VectorXd squares_;
};

}  // namespace sinew::pose_space
