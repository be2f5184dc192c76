// A dot product of n numbers, two at a time, is  ((l0 + l2) + t0) + ((l1 + l3) + t1) + e:  l_j are the sums of every
// fourth product of the largest multiple of four, t the next two, e a last one. Here all of these are vectors over
// points.
#include "sinew/math/rbf/block_sums.h"

#include <type_traits>

namespace sinew::rbf {
namespace {

template <int Size>
using Few = Eigen::Array<double, Size, 1>;

/// Of `Size` rows from the first on: consecutive ones, or those listed.
template <int Size>
Few<Size> rowsOf(const Eigen::MatrixXd& table, Index block, const Index* rows, bool consecutive) {
  const double* const column = table.data() + block * table.rows();
  if (consecutive) return Eigen::Map<const Few<Size>>(column + rows[0]);
  Few<Size> few;
  for (int i = 0; i < Size; ++i) few[i] = column[rows[i]];
  return few;
}

template <int Size>
Few<Size> sumOf(const Eigen::MatrixXd& table, const Eigen::VectorXd& factors, const Index* rows, bool consecutive) {
  const Index count = factors.size();
  const auto add = [&](Index block, Few<Size>& sum) {
    if (factors[block] != 0) sum += rowsOf<Size>(table, block, rows, consecutive) * factors[block];
  };
  Few<Size> first = Few<Size>::Zero();
  Few<Size> second = Few<Size>::Zero();
  Few<Size> third = Few<Size>::Zero();
  Few<Size> fourth = Few<Size>::Zero();
  Index block = 0;
  for (; block + 4 <= count; block += 4) {
    add(block, first);
    add(block + 1, second);
    add(block + 2, third);
    add(block + 3, fourth);
  }
  first += third;
  second += fourth;
  if (block + 2 <= count) {
    add(block, first);
    add(block + 1, second);
    block += 2;
  }
  first += second;
  if (block < count) add(block, first);
  return first;
}

template <int Size>
void addRows(const Eigen::MatrixXd& matrix, Index first, std::span<const double> factors, Index row,
             Eigen::Ref<Eigen::VectorXd> weights) {
  Few<Size> sum = weights.segment<Size>(row);
  const double* column = matrix.data() + first * matrix.rows() + row;
  for (const double factor : factors) {
    sum += factor * Eigen::Map<const Few<Size>>(column);
    column += matrix.rows();
  }
  weights.segment<Size>(row) = sum;
}

}  // namespace

void blockSums(const Eigen::MatrixXd& table, const Eigen::VectorXd& factors, std::span<const Index> rows,
               std::span<double> sums) {
  const auto count = static_cast<Index>(rows.size());
  const bool consecutive = count > 0 && rows[toSize(count - 1)] - rows[0] == count - 1;
  Index i = 0;
  const auto take = [&]<int Size>(std::integral_constant<int, Size>) {
    for (; i + Size <= count; i += Size)
      Eigen::Map<Few<Size>>(sums.data() + i) = sumOf<Size>(table, factors, rows.data() + i, consecutive);
  };
  take(std::integral_constant<int, 4>());
  take(std::integral_constant<int, 2>());
  take(std::integral_constant<int, 1>());
}

void addColumns(const Eigen::MatrixXd& matrix, Index first, std::span<const double> factors,
                Eigen::Ref<Eigen::VectorXd> weights) {
  Index row = 0;
  const auto take = [&]<int Size>(std::integral_constant<int, Size>) {
    for (; row + Size <= weights.size(); row += Size) addRows<Size>(matrix, first, factors, row, weights);
  };
  take(std::integral_constant<int, 16>());
  take(std::integral_constant<int, 8>());
  take(std::integral_constant<int, 4>());
  take(std::integral_constant<int, 2>());
  take(std::integral_constant<int, 1>());
}

}  // namespace sinew::rbf
