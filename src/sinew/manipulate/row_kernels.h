// Products with matrices of few columns, a row at a time: what a step of posing spends its time on.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "sinew/manipulate/blended_gradients.h"

namespace sinew {

/// result = sparse * rows, sizes as they must be; `result` is resized.
void multiplyRows(const Eigen::SparseMatrix<double, Eigen::RowMajor>& sparse, const RowMatrix& rows, RowMatrix& result);

/// rows = U^-T rows, with U the upper triangle of `upper`. No allocation, whatever the sizes: Eigen's solve for several
/// columns takes work space that grows with both.
void solveTransposed(const Eigen::MatrixXd& upper, RowMatrix& rows);

/// columns = U^-T columns and columns = U^-1 columns, for a few columns. No allocation either.
void solveTransposedColumns(const Eigen::MatrixXd& upper, Eigen::MatrixXd& columns);
void solveColumns(const Eigen::MatrixXd& upper, Eigen::MatrixXd& columns);

}  // namespace sinew
