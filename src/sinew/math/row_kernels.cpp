// Eigen's general products reach a third of this on matrices of 20 to 60 columns: they store the result after every
// term, and know no wider registers than the project is built for. Here a block of 12 columns stays in registers, for
// four rows at a time. Where the processor has no AVX2 plain loops do it.
#include "sinew/math/row_kernels.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace sinew {
namespace {

constexpr Index kBlock = 3 * kRowLanes;  ///< columns that stay in registers
constexpr Index kNearRows = 64;          ///< rows that stay in the nearest cache while all their products are taken

/// Field of the symmetric S - I at (row, column).
constexpr Index kStretchField[3][3] = {{3, 4, 5}, {4, 6, 7}, {5, 7, 8}};

#if defined(__x86_64__) && defined(__GNUC__)

using Four = double __attribute__((vector_size(32)));

#define SINEW_WIDE [[gnu::target("avx2,fma")]]
#define SINEW_WIDE_INLINE [[gnu::always_inline]] [[gnu::target("avx2,fma")]] inline

bool hasWideRegisters() {
  static const bool has = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  return has;
}

SINEW_WIDE_INLINE Four load(const double* from) {
  Four four;
  std::memcpy(&four, from, sizeof four);
  return four;
}

SINEW_WIDE_INLINE void store(const Four& four, double* to) {
  std::memcpy(to, &four, sizeof four);
}

/// Twelve columns of a row, as values rather than as an array, so that they live in registers.
struct Block {
  Four a, b, c;
};

SINEW_WIDE_INLINE void loadBlock(const double* from, Block& block) {
  block.a = load(from);
  block.b = load(from + kRowLanes);
  block.c = load(from + 2 * kRowLanes);
}

SINEW_WIDE_INLINE void storeBlock(const Block& block, double* to) {
  store(block.a, to);
  store(block.b, to + kRowLanes);
  store(block.c, to + 2 * kRowLanes);
}

SINEW_WIDE_INLINE void addScaled(double factor, const Block& from, Block& sum) {
  sum.a += factor * from.a;
  sum.b += factor * from.b;
  sum.c += factor * from.c;
}

SINEW_WIDE_INLINE void addScaled(double factor, const double* from, Block& sum) {
  sum.a += factor * load(from);
  sum.b += factor * load(from + kRowLanes);
  sum.c += factor * load(from + 2 * kRowLanes);
}

/// Four rows of a block.
struct Tile {
  Block x, y, z, w;
};

SINEW_WIDE_INLINE void addWeighted(const GradientTerm& term, const double* rows, Index stride, Tile& sum) {
  addScaled(term.weight, rows, sum.x);
  addScaled(term.weight, rows + stride, sum.y);
  addScaled(term.weight, rows + 2 * stride, sum.z);
}

SINEW_WIDE_INLINE void addSloped(const GradientTerm& term, const double* rows, Index stride, Tile& sum) {
  Block along;
  along.a = term.slope[0] * load(rows);
  along.b = term.slope[0] * load(rows + kRowLanes);
  along.c = term.slope[0] * load(rows + 2 * kRowLanes);
  addScaled(term.slope[1], rows + stride, along);
  addScaled(term.slope[2], rows + 2 * stride, along);
  addScaled(term.place[0], along, sum.x);
  addScaled(term.place[1], along, sum.y);
  addScaled(term.place[2], along, sum.z);
  sum.w.a += along.a;
  sum.w.b += along.b;
  sum.w.c += along.c;
}

SINEW_WIDE void multiplyWide(const GradientTerms& terms, const RowMatrix& rows, RowMatrix& result) {
  const Index stride = rows.cols();
  const GradientTerm* all = terms.terms.data();
  for (Index column = 0; column < stride; column += kBlock) {
    const double* block = rows.data() + column;
    for (std::size_t i = 0; i < terms.both.size(); ++i) {
      const GradientTerm* term = all + terms.start[i];
      const GradientTerm* both = all + terms.both[i];
      const GradientTerm* sloped = all + terms.sloped[i];
      const GradientTerm* end = all + terms.start[i + 1];
      Tile sum{};
      for (; term != both; ++term) addWeighted(*term, block + term->row * stride, stride, sum);
      for (; term != sloped; ++term) {
        addWeighted(*term, block + term->row * stride, stride, sum);
        addSloped(*term, block + term->row * stride, stride, sum);
      }
      for (; term != end; ++term) addSloped(*term, block + term->row * stride, stride, sum);
      double* out = result.data() + 4 * static_cast<Index>(i) * stride + column;
      storeBlock(sum.x, out);
      storeBlock(sum.y, out + stride);
      storeBlock(sum.z, out + 2 * stride);
      storeBlock(sum.w, out + 3 * stride);
    }
  }
}

SINEW_WIDE_INLINE void scale(double factor, Block& block) {
  block.a *= factor;
  block.b *= factor;
  block.c *= factor;
}

/// Forward substitution, four rows at a time: column i of `upper`, which is contiguous, is row i of its transpose.
SINEW_WIDE void solveWide(const Eigen::MatrixXd& upper, RowMatrix& rows) {
  const Index stride = rows.cols();
  const Index count = upper.rows();
  for (Index column = 0; column < stride; column += kBlock) {
    for (Index i = 0; i < count; i += 4) {
      const double* u0 = upper.data() + i * count;
      const double* u1 = u0 + count;
      const double* u2 = u1 + count;
      const double* u3 = u2 + count;
      double* out = rows.data() + i * stride + column;
      Tile sum;
      loadBlock(out, sum.x);
      loadBlock(out + stride, sum.y);
      loadBlock(out + 2 * stride, sum.z);
      loadBlock(out + 3 * stride, sum.w);
      const double* known = rows.data() + column;
      for (Index k = 0; k < i; ++k, known += stride) {
        Block row;
        loadBlock(known, row);
        addScaled(-u0[k], row, sum.x);
        addScaled(-u1[k], row, sum.y);
        addScaled(-u2[k], row, sum.z);
        addScaled(-u3[k], row, sum.w);
      }
      scale(1 / u0[i], sum.x);
      addScaled(-u1[i], sum.x, sum.y);
      scale(1 / u1[i + 1], sum.y);
      addScaled(-u2[i], sum.x, sum.z);
      addScaled(-u2[i + 1], sum.y, sum.z);
      scale(1 / u2[i + 2], sum.z);
      addScaled(-u3[i], sum.x, sum.w);
      addScaled(-u3[i + 1], sum.y, sum.w);
      addScaled(-u3[i + 2], sum.z, sum.w);
      scale(1 / u3[i + 3], sum.w);
      storeBlock(sum.x, out);
      storeBlock(sum.y, out + stride);
      storeBlock(sum.z, out + 2 * stride);
      storeBlock(sum.w, out + 3 * stride);
    }
  }
}

/// Products of four columns at `i` with twelve at `k`.
SINEW_WIDE_INLINE void productTile(const double* rows, Index count, Index width, double factor, Index i, Index k,
                                   double* sums) {
  Tile sum{};
  for (Index row = 0; row < count; ++row, rows += width) {
    Block right;
    loadBlock(rows + k, right);
    addScaled(rows[i], right, sum.x);
    addScaled(rows[i + 1], right, sum.y);
    addScaled(rows[i + 2], right, sum.z);
    addScaled(rows[i + 3], right, sum.w);
  }
  const Block* parts[4] = {&sum.x, &sum.y, &sum.z, &sum.w};
  for (Index part = 0; part < 4; ++part) {
    double* out = sums + (i + part) * width + k;
    Block total;
    loadBlock(out, total);
    addScaled(factor, *parts[part], total);
    storeBlock(total, out);
  }
}

/// The same with four columns at `k`, two rows at a time, since four sums alone would wait for each other.
SINEW_WIDE_INLINE void smallProductTile(const double* rows, Index count, Index width, double factor, Index i, Index k,
                                        double* sums) {
  Four x{}, y{}, z{}, w{}, nextX{}, nextY{}, nextZ{}, nextW{};
  Index row = 0;
  for (; row + 1 < count; row += 2, rows += 2 * width) {
    const Four right = load(rows + k);
    const Four next = load(rows + width + k);
    x += rows[i] * right;
    y += rows[i + 1] * right;
    z += rows[i + 2] * right;
    w += rows[i + 3] * right;
    nextX += rows[width + i] * next;
    nextY += rows[width + i + 1] * next;
    nextZ += rows[width + i + 2] * next;
    nextW += rows[width + i + 3] * next;
  }
  if (row < count) {
    const Four right = load(rows + k);
    x += rows[i] * right;
    y += rows[i + 1] * right;
    z += rows[i + 2] * right;
    w += rows[i + 3] * right;
  }
  double* out = sums + i * width + k;
  store(load(out) + factor * (x + nextX), out);
  store(load(out + width) + factor * (y + nextY), out + width);
  store(load(out + 2 * width) + factor * (z + nextZ), out + 2 * width);
  store(load(out + 3 * width) + factor * (w + nextW), out + 3 * width);
}

SINEW_WIDE void productsWide(const double* rows, Index count, Index width, double factor, double* sums) {
  for (Index first = 0; first < count; first += kNearRows) {
    const Index some = std::min(kNearRows, count - first);
    const double* chunk = rows + first * width;
    for (Index i = 0; i < width; i += kRowLanes) {
      Index k = i;
      for (; (width - k) % kBlock != 0; k += kRowLanes) smallProductTile(chunk, some, width, factor, i, k, sums);
      for (; k < width; k += kBlock) productTile(chunk, some, width, factor, i, k, sums);
    }
  }
}

SINEW_WIDE void combineWide(const double* fields, Index width, const Vec3 (&turns)[9], const Mat3& rotation,
                            double* out) {
  for (Index column = 0; column < width; column += kRowLanes) {
    const double* at = fields + column;
    const Four w0 = load(at);
    const Four w1 = load(at + width);
    const Four w2 = load(at + 2 * width);
    for (Index k = 0; k < 3; ++k) {
      const Four s0 = load(at + kStretchField[0][k] * width);
      const Four s1 = load(at + kStretchField[1][k] * width);
      const Four s2 = load(at + kStretchField[2][k] * width);
      for (Index r = 0; r < 3; ++r) {
        const Vec3& turn = turns[3 * k + r];
        Four sum = turn[0] * w0;
        sum += turn[1] * w1;
        sum += turn[2] * w2;
        sum += rotation(r, 0) * s0;
        sum += rotation(r, 1) * s1;
        sum += rotation(r, 2) * s2;
        store(sum, out + (3 * k + r) * width + column);
      }
    }
  }
}

#undef SINEW_WIDE
#undef SINEW_WIDE_INLINE

#else

bool hasWideRegisters() {
  return false;
}
void multiplyWide(const GradientTerms& /*terms*/, const RowMatrix& /*rows*/, RowMatrix& /*result*/) {}
void solveWide(const Eigen::MatrixXd& /*upper*/, RowMatrix& /*rows*/) {}
void productsWide(const double* /*rows*/, Index /*count*/, Index /*width*/, double /*factor*/, double* /*sums*/) {}
void combineWide(const double* /*fields*/, Index /*width*/, const Vec3 (&/*turns*/)[9], const Mat3& /*rotation*/,
                 double* /*out*/) {}

#endif

}  // namespace

void GradientTerms::add(std::vector<GradientTerm> ofControl) {
  const auto kind = [](const GradientTerm& term) { return term.slope.isZero(0) ? 0 : term.weight != 0 ? 1 : 2; };
  std::erase_if(ofControl, [](const GradientTerm& term) { return term.slope.isZero(0) && term.weight == 0; });
  std::stable_sort(ofControl.begin(), ofControl.end(),
                   [&](const GradientTerm& a, const GradientTerm& b) { return kind(a) < kind(b); });
  std::size_t count[3] = {0, 0, 0};
  for (const GradientTerm& term : ofControl) ++count[kind(term)];
  both.push_back(start.back() + count[0]);
  sloped.push_back(both.back() + count[1]);
  start.push_back(sloped.back() + count[2]);
  terms.insert(terms.end(), ofControl.begin(), ofControl.end());
}

void multiplyTerms(const GradientTerms& terms, const RowMatrix& rows, RowMatrix& result) {
  result.resize(4 * terms.controlCount(), rows.cols());
  if (hasWideRegisters()) {
    multiplyWide(terms, rows, result);
    return;
  }
  result.setZero();
  for (Index i = 0; i < terms.controlCount(); ++i) {
    const auto control = toSize(i);
    for (std::size_t t = terms.start[control]; t < terms.start[control + 1]; ++t) {
      const GradientTerm& term = terms.terms[t];
      for (Index k = 0; k < 3; ++k) {
        const auto row = rows.row(term.row + k);
        result.row(4 * i + k) += term.weight * row;
        for (Index r = 0; r < 3; ++r) result.row(4 * i + r) += (term.place[r] * term.slope[k]) * row;
        result.row(4 * i + 3) += term.slope[k] * row;
      }
    }
  }
}

void projectMisfit(const GradientTerms& terms, const Eigen::MatrixXd& unknowns, RowMatrix& misfit,
                   Eigen::MatrixXd& projected) {
  using Rows3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  for (std::size_t i = 0; i < terms.both.size(); ++i) {
    const Rows3 linear = unknowns.middleRows<3>(4 * static_cast<Index>(i));
    const Eigen::RowVector3d moved = unknowns.row(4 * static_cast<Index>(i) + 3);
    for (std::size_t t = terms.start[i]; t < terms.start[i + 1]; ++t) {
      const GradientTerm& term = terms.terms[t];
      const Eigen::RowVector3d at = term.place.transpose() * linear + moved;
      Eigen::Map<Rows3>(misfit.data() + 3 * term.row) -= term.weight * linear + term.slope * at;
    }
  }
  projected.resize(4 * terms.controlCount(), 3);
  for (std::size_t i = 0; i < terms.both.size(); ++i) {
    Rows3 linear = Rows3::Zero();
    Eigen::RowVector3d moved = Eigen::RowVector3d::Zero();
    for (std::size_t t = terms.start[i]; t < terms.start[i + 1]; ++t) {
      const GradientTerm& term = terms.terms[t];
      const Rows3 rows = Eigen::Map<const Rows3>(misfit.data() + 3 * term.row);
      const Eigen::RowVector3d along = term.slope.transpose() * rows;
      linear += term.weight * rows + term.place * along;
      moved += along;
    }
    projected.middleRows<3>(4 * static_cast<Index>(i)) = linear;
    projected.row(4 * static_cast<Index>(i) + 3) = moved;
  }
}

void solveTransposed(const Eigen::MatrixXd& upper, RowMatrix& rows) {
  if (hasWideRegisters()) {
    solveWide(upper, rows);
    return;
  }
  for (Index i = 0; i < upper.rows(); ++i) {
    auto row = rows.row(i);
    for (Index k = 0; k < i; ++k) row -= upper(k, i) * rows.row(k);
    row *= 1 / upper(i, i);
  }
}

void addProducts(const RowMatrix& rows, double factor, RowMatrix& sums) {
  const Index width = sums.cols();
  const Index count = rows.size() / width;
  if (hasWideRegisters()) {
    productsWide(rows.data(), count, width, factor, sums.data());
    return;
  }
  const Eigen::Map<const RowMatrix> tall(rows.data(), count, width);
  for (Index row = 0; row < count; ++row)
    for (Index i = 0; i < width; ++i) sums.row(i) += (factor * tall(row, i)) * tall.row(row);
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

void combineFields(const double* fields, Index width, const Vec3 (&turns)[9], const Mat3& rotation, double* out) {
  if (hasWideRegisters()) {
    combineWide(fields, width, turns, rotation, out);
    return;
  }
  const Eigen::Map<const RowMatrix> rows(fields, 9, width);
  for (Index k = 0; k < 3; ++k) {
    for (Index r = 0; r < 3; ++r) {
      const Vec3& turn = turns[3 * k + r];
      Eigen::Map<Eigen::RowVectorXd>(out + (3 * k + r) * width, width) =
          turn[0] * rows.row(0) + turn[1] * rows.row(1) + turn[2] * rows.row(2) +
          rotation(r, 0) * rows.row(kStretchField[0][k]) + rotation(r, 1) * rows.row(kStretchField[1][k]) +
          rotation(r, 2) * rows.row(kStretchField[2][k]);
    }
  }
}

}  // namespace sinew
