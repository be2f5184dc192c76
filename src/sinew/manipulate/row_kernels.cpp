// Eigen's general products reach a third of this on matrices of 20 to 60 columns: they store the result after every
// term, and know no wider registers than the project is built for. Here a block of columns stays in registers over a
// whole row. Where the processor has no AVX2, and for narrow matrices, plain loops over rows or columns do it.
#include "sinew/manipulate/row_kernels.h"

#include <cstddef>
#include <cstring>

namespace sinew {
namespace {

using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;

#if defined(__x86_64__) && defined(__GNUC__)

using Four = double __attribute__((vector_size(32)));

constexpr Index kLanes = 4;
constexpr Index kBlock = 4 * kLanes;  ///< columns that stay in registers

bool hasWideRegisters() {
  static const bool has = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  return has;
}

/// Sum of values[i] * row indices[i]; `indices` null: rows 0, 1, 2, ...
struct Terms {
  const double* values;
  const int* indices;
  Index count;
  const double* rows;
  Index stride;
};

/// A block of columns, as values rather than as an array, so that it lives in registers.
struct Block {
  Four a, b, c, d;
};

[[gnu::always_inline]] [[gnu::target("avx2,fma")]] inline Four load(const double* from) {
  Four four;
  std::memcpy(&four, from, sizeof four);
  return four;
}

[[gnu::always_inline]] [[gnu::target("avx2,fma")]] inline void store(const Block& block, double* to) {
  std::memcpy(to, &block.a, sizeof block.a);
  std::memcpy(to + kLanes, &block.b, sizeof block.b);
  std::memcpy(to + 2 * kLanes, &block.c, sizeof block.c);
  std::memcpy(to + 3 * kLanes, &block.d, sizeof block.d);
}

/// start + terms, for the block at `column`.
[[gnu::always_inline]] [[gnu::target("avx2,fma")]] inline void addBlock(const Terms& terms, Index column,
                                                                        const double* start, Block& sum) {
  Four a = load(start);
  Four b = load(start + kLanes);
  Four c = load(start + 2 * kLanes);
  Four d = load(start + 3 * kLanes);
  for (Index i = 0; i < terms.count; ++i) {
    const Index index = terms.indices != nullptr ? static_cast<Index>(terms.indices[i]) : i;
    const double* row = terms.rows + index * terms.stride + column;
    const double value = terms.values[i];
    a += value * load(row);
    b += value * load(row + kLanes);
    c += value * load(row + 2 * kLanes);
    d += value * load(row + 3 * kLanes);
  }
  sum.a = a;
  sum.b = b;
  sum.c = c;
  sum.d = d;
}

/// sums += terms for at least kBlock columns. The last block may overlap the one before: it is computed first, from
/// what stood there, and stored last.
[[gnu::always_inline]] [[gnu::target("avx2,fma")]] inline void addTerms(const Terms& terms, Index columns,
                                                                        double* sums) {
  const Index last = columns - kBlock;
  Block end;
  addBlock(terms, last, sums + last, end);
  for (Index c = 0; c < last; c += kBlock) {
    Block block;
    addBlock(terms, c, sums + c, block);
    store(block, sums + c);
  }
  store(end, sums + last);
}

[[gnu::target("avx2,fma")]] void multiplyWide(const Sparse& sparse, const RowMatrix& rows, RowMatrix& result) {
  const int* starts = sparse.outerIndexPtr();
  const Index columns = rows.cols();
  for (Index i = 0; i < sparse.rows(); ++i) {
    double* sums = result.data() + i * columns;
    std::memset(sums, 0, static_cast<std::size_t>(columns) * sizeof(double));
    addTerms({sparse.valuePtr() + starts[i], sparse.innerIndexPtr() + starts[i], starts[i + 1] - starts[i], rows.data(),
              columns},
             columns, sums);
  }
}

/// Forward substitution by rows: column i of `upper`, which lies in one piece, is row i of its transpose.
[[gnu::target("avx2,fma")]] void solveWide(const Eigen::MatrixXd& upper, RowMatrix& rows) {
  const Index columns = rows.cols();
  for (Index i = 0; i < upper.rows(); ++i) {
    double* sums = rows.data() + i * columns;
    const double* column = upper.data() + i * upper.rows();
    for (Index c = 0; c < columns; ++c) sums[c] = -sums[c];
    addTerms({column, nullptr, i, rows.data(), columns}, columns, sums);
    const double scale = -1 / column[i];
    for (Index c = 0; c < columns; ++c) sums[c] *= scale;
  }
}

#else

constexpr Index kBlock = 16;
bool hasWideRegisters() {
  return false;
}
void multiplyWide(const Sparse& /*sparse*/, const RowMatrix& /*rows*/, RowMatrix& /*result*/) {}
void solveWide(const Eigen::MatrixXd& /*upper*/, RowMatrix& /*rows*/) {}

#endif

}  // namespace

void multiplyRows(const Sparse& sparse, const RowMatrix& rows, RowMatrix& result) {
  result.resize(sparse.rows(), rows.cols());
  if (rows.cols() >= kBlock && hasWideRegisters()) {
    multiplyWide(sparse, rows, result);
  } else {
    result.noalias() = sparse * rows;
  }
}

void solveTransposed(const Eigen::MatrixXd& upper, RowMatrix& rows) {
  if (rows.cols() >= kBlock && hasWideRegisters()) {
    solveWide(upper, rows);
    return;
  }
  for (Index i = 0; i < upper.rows(); ++i) {
    auto row = rows.row(i);
    for (Index k = 0; k < i; ++k) row -= upper(k, i) * rows.row(k);
    row *= 1 / upper(i, i);
  }
}

// A column of `upper` is read once for all right-hand sides.
void solveTransposedColumns(const Eigen::MatrixXd& upper, Eigen::MatrixXd& columns) {
  for (Index i = 0; i < upper.rows(); ++i) {
    const double scale = 1 / upper(i, i);
    for (Index c = 0; c < columns.cols(); ++c)
      columns(i, c) = scale * (columns(i, c) - upper.col(i).head(i).dot(columns.col(c).head(i)));
  }
}

void solveColumns(const Eigen::MatrixXd& upper, Eigen::MatrixXd& columns) {
  for (Index i = upper.rows() - 1; i >= 0; --i) {
    const double scale = 1 / upper(i, i);
    for (Index c = 0; c < columns.cols(); ++c) {
      columns(i, c) *= scale;
      columns.col(c).head(i) -= columns(i, c) * upper.col(i).head(i);
    }
  }
}

}  // namespace sinew
