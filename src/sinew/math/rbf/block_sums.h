// Sums over blocks of coordinates, at many points at once.
#pragma once

#include <Eigen/Core>
#include <span>

#include "sinew/base/types.h"

namespace sinew::rbf {

/// sums[i] = sum over blocks of table(rows[i], block) * factors[block]. `rows` ascend, the table is points x blocks.
/// The order of the additions is that of Eigen's dot product of two numbers at a time: models of earlier versions play
/// to the same bits. Does not allocate.
void blockSums(const Eigen::MatrixXd& table, const Eigen::VectorXd& factors, std::span<const Index> rows,
               std::span<double> sums);

/// weights += sum over i of factors[i] * matrix.col(first + i), added one after the other. Does not allocate.
void addColumns(const Eigen::MatrixXd& matrix, Index first, std::span<const double> factors,
                Eigen::Ref<Eigen::VectorXd> weights);

}  // namespace sinew::rbf
