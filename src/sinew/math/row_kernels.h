// Products with matrices of few columns, the main cost of a posing step. None allocates, and each has its own order of
// summation, independent of caches and threads.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sinew/base/types.h"
#include "sinew/math/blended_gradients.h"

namespace sinew {

constexpr Index kRowLanes = 4;  ///< numbers in a register

/// One control at one proxy: its rows of G^T are [weight I + place slope^T ; slope^T], 4 x 3.
struct GradientTerm {
  Index row = 0;  ///< first of the proxy's three
  double weight = 0;
  Vec3 slope = Vec3::Zero();
  Vec3 place = Vec3::Zero();
};

/// G^T by controls. The terms of control i are [start[i], start[i + 1]): those of a weight without a slope come first,
/// from both[i] on those of both, from sloped[i] on those of a slope alone.
struct GradientTerms {
  GradientTerms() : start(1, 0) {}

  std::vector<std::size_t> start;
  std::vector<std::size_t> both;
  std::vector<std::size_t> sloped;
  std::vector<GradientTerm> terms;

  [[nodiscard]] Index controlCount() const { return static_cast<Index>(both.size()); }
  /// The terms of the next control, in any order; those that are zero are left out.
  void add(std::vector<GradientTerm> ofControl);
};

/// result = G^T rows, 4 rows per control. The columns of `rows` are a multiple of 12.
void multiplyTerms(const GradientTerms& terms, const RowMatrix& rows, RowMatrix& result);

/// misfit = misfit - G unknowns (3 J x 3) and projected = G^T misfit (n x 3).
void projectMisfit(const GradientTerms& terms, const Eigen::MatrixXd& unknowns, RowMatrix& misfit,
                   Eigen::MatrixXd& projected);

/// rows = U^-T rows, with U the upper triangle of `upper`. Rows are a multiple of 4, columns of 12.
void solveTransposed(const Eigen::MatrixXd& upper, RowMatrix& rows);

/// sums += factor X^T X, with X taken as `width` columns (a multiple of 4) and all of `rows` below each other. Only the
/// upper triangle is right.
void addProducts(const RowMatrix& rows, double factor, RowMatrix& sums);

/// columns = U^-T columns and columns = U^-1 columns, for a few columns.
void solveTransposedColumns(const Eigen::MatrixXd& upper, Eigen::MatrixXd& columns);
void solveColumns(const Eigen::MatrixXd& upper, Eigen::MatrixXd& columns);

/// Derivatives of one blended gradient (blended_gradients.cpp): `fields` are 9 rows of `width` numbers (a multiple of
/// 4), w then S - I by the upper triangle. Row 3 k + r of `out` is turns[3 k + r] . w + row r of rotation . S(., k).
void combineFields(const double* fields, Index width, const Vec3 (&turns)[9], const Mat3& rotation, double* out);

}  // namespace sinew
