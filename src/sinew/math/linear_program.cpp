// min c^T x over A x = b, 0 <= x <= u: Dantzig's simplex method with upper bounds (Dantzig 1955), on a dense tableau.
// Phase 1 minimises the sum of one artificial unknown per row, phase 2 the cost.
// An unknown at its upper bound is replaced by u - x (its column changes sign), so nonbasic unknowns are always 0.
// Entering by the most negative reduced cost; after a run of steps that gain nothing, by Bland's rule (1977: the lowest
// index enters and leaves), which cannot cycle. Unknowns with upper bound 0 never enter, so every move from bound to
// bound gains.
#include "sinew/math/linear_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/base/check.h"

namespace sinew {
namespace {

constexpr const char* kLinearProgramWhere = "linear program";
constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Entries of the tableau below this are rounding: rows are scaled to a largest entry of 1 at the start.
constexpr double kLinearProgramLeastPivot = 1e-11;
/// Steps without gain before Bland's rule takes over.
constexpr int kPatience = 12;

}  // namespace

void LinearProgram::reset(int rows, int columns) {
  SINEW_CHECK(rows >= 0 && rows <= kMostRows && columns >= 1 && columns <= kMostColumns, kLinearProgramWhere,
              fmt::format("{} equations in {} unknowns are out of range; the maximum is {} and {}", rows, columns,
                          kMostRows, kMostColumns));
  rows_ = rows;
  columns_ = columns;
  for (int i = 0; i < rows; ++i) {
    std::fill_n(table_[at(i)].begin(), columns + rows, 0.0);
    right_[at(i)] = 0;
  }
  std::fill_n(cost_.begin(), columns + rows, 0.0);
  std::fill_n(upper_.begin(), columns + rows, kInfinity);
}

void LinearProgram::check() const {
  bool finite = true;
  for (int i = 0; i < rows_; ++i) {
    finite = finite && std::isfinite(right_[at(i)]);
    for (int j = 0; j < columns_; ++j) finite = finite && std::isfinite(table_[at(i)][at(j)]);
  }
  for (int j = 0; j < columns_; ++j) finite = finite && std::isfinite(cost_[at(j)]) && !std::isnan(upper_[at(j)]);
  SINEW_CHECK(finite, kLinearProgramWhere, "the problem has a value that is not a finite number");
  for (int j = 0; j < columns_; ++j) {
    SINEW_CHECK(upper_[at(j)] >= 0, kLinearProgramWhere,
                fmt::format("unknown {} has the upper bound {}, below its lower bound 0", j, upper_[at(j)]));
  }
}

/// Rows scaled and with right-hand sides of 0 or more; the artificial unknowns are the basis.
void LinearProgram::begin() {
  size_ = 0;
  for (int i = 0; i < rows_; ++i) {
    auto& row = table_[at(i)];
    double largest = 0;
    for (int j = 0; j < columns_; ++j) largest = std::max(largest, std::abs(row[at(j)]));
    const double factor = (largest > 0 ? 1 / largest : 1) * (right_[at(i)] < 0 ? -1 : 1);
    for (int j = 0; j < columns_; ++j) row[at(j)] *= factor;
    right_[at(i)] *= factor;
    row[at(columns_ + i)] = 1;
    basis_[at(i)] = columns_ + i;
    size_ = std::max(size_, right_[at(i)]);
  }
  for (int j = 0; j < columns_ + rows_; ++j) {
    flipped_[at(j)] = false;
    basic_[at(j)] = j >= columns_;
    if (j < columns_ && std::isfinite(upper_[at(j)])) size_ = std::max(size_, upper_[at(j)]);
  }
  if (!(size_ > 0)) size_ = 1;
}

int LinearProgram::entering(int columns, double tolerance, bool firstIndex) const {
  int best = -1;
  double least = -tolerance;
  for (int j = 0; j < columns; ++j) {
    if (basic_[at(j)] || !(upper_[at(j)] > 0) || !(reduced_[at(j)] < least)) continue;
    best = j;
    if (firstIndex) break;
    least = reduced_[at(j)];
  }
  return best;
}

/// How far the entering unknown may rise, and the row that stops it: -1 where its own bound does, -2 if nothing does.
int LinearProgram::leaving(int column, bool firstIndex, double& length, bool& atUpper) const {
  length = upper_[at(column)];
  int row = std::isfinite(length) ? -1 : -2;
  double size = 0;  // of the pivot: the larger one of equals is safer
  for (int i = 0; i < rows_; ++i) {
    const double entry = table_[at(i)][at(column)];
    if (std::abs(entry) < kLinearProgramLeastPivot) continue;
    const double room = entry > 0 ? right_[at(i)] : upper_[at(basis_[at(i)])] - right_[at(i)];
    if (!std::isfinite(room)) continue;
    const double ratio = std::max(0.0, room) / std::abs(entry);
    const bool tie = ratio <= length + 1e-13 * size_ && row >= 0 && ratio >= length - 1e-13 * size_;
    const bool better = firstIndex ? tie && basis_[at(i)] < basis_[at(row)] : tie && std::abs(entry) > size;
    if (!(tie ? better : ratio < length)) continue;
    length = tie ? std::min(length, ratio) : ratio;
    row = i;
    size = std::abs(entry);
    atUpper = entry < 0;
  }
  return row;
}

/// A nonbasic unknown moves to its other bound.
void LinearProgram::flipColumn(int column) {
  for (int i = 0; i < rows_; ++i) {
    double& entry = table_[at(i)][at(column)];
    right_[at(i)] -= entry * upper_[at(column)];
    entry = -entry;
  }
  reduced_[at(column)] = -reduced_[at(column)];
  flipped_[at(column)] = !flipped_[at(column)];
}

/// x + sum T y = r becomes (u - x) - sum T y = u - r.
void LinearProgram::flipBasic(int row) {
  const int column = basis_[at(row)];
  for (int j = 0; j < columns_ + rows_; ++j) {
    if (j != column) table_[at(row)][at(j)] = -table_[at(row)][at(j)];
  }
  right_[at(row)] = upper_[at(column)] - right_[at(row)];
  flipped_[at(column)] = !flipped_[at(column)];
}

void LinearProgram::pivot(int row, int column) {
  auto& lead = table_[at(row)];
  const double factor = 1 / lead[at(column)];
  const int width = columns_ + rows_;
  for (int j = 0; j < width; ++j) lead[at(j)] *= factor;
  right_[at(row)] = std::max(0.0, right_[at(row)] * factor);
  lead[at(column)] = 1;
  for (int i = 0; i < rows_; ++i) {
    const double entry = table_[at(i)][at(column)];
    if (i == row || entry == 0) continue;
    for (int j = 0; j < width; ++j) table_[at(i)][at(j)] -= entry * lead[at(j)];
    table_[at(i)][at(column)] = 0;
    right_[at(i)] -= entry * right_[at(row)];
    // Rounding only: the ratio test keeps basic unknowns within their bounds.
    right_[at(i)] = std::clamp(right_[at(i)], 0.0, upper_[at(basis_[at(i)])]);
  }
  const double price = reduced_[at(column)];
  for (int j = 0; j < width; ++j) reduced_[at(j)] -= price * lead[at(j)];
  reduced_[at(column)] = 0;
  basic_[at(basis_[at(row)])] = false;
  basic_[at(column)] = true;
  basis_[at(row)] = column;
}

LinearProgramEnd LinearProgram::minimise(int columns, double tolerance, int& steps) {
  const int most = steps + 50 * (rows_ + columns_) + 200;
  int idle = 0;
  for (; steps < most; ++steps) {
    const bool bland = idle > kPatience;
    const int column = entering(columns, tolerance, bland);
    if (column < 0) return LinearProgramEnd::Optimal;
    double length = 0;
    bool atUpper = false;
    const int row = leaving(column, bland, length, atUpper);
    if (row == -2) return LinearProgramEnd::Unbounded;
    idle = length > 1e-13 * size_ ? 0 : idle + 1;
    if (row == -1) {
      flipColumn(column);
      continue;
    }
    if (atUpper) flipBasic(row);
    pivot(row, column);
  }
  return LinearProgramEnd::TooManySteps;
}

/// Reduced costs of the true cost at the present basis.
void LinearProgram::priceOut() {
  const int width = columns_ + rows_;
  for (int j = 0; j < width; ++j) reduced_[at(j)] = flipped_[at(j)] ? -cost_[at(j)] : cost_[at(j)];
  for (int i = 0; i < rows_; ++i) {
    const int column = basis_[at(i)];
    const double price = flipped_[at(column)] ? -cost_[at(column)] : cost_[at(column)];
    if (price == 0) continue;
    for (int j = 0; j < width; ++j) reduced_[at(j)] -= price * table_[at(i)][at(j)];
  }
  for (int i = 0; i < rows_; ++i) reduced_[at(basis_[at(i)])] = 0;
}

void LinearProgram::readSolution() {
  for (int j = 0; j < columns_; ++j) x_[at(j)] = 0;
  for (int i = 0; i < rows_; ++i) {
    if (basis_[at(i)] < columns_) x_[at(basis_[at(i)])] = right_[at(i)];
  }
  for (int j = 0; j < columns_; ++j) {
    if (flipped_[at(j)]) x_[at(j)] = upper_[at(j)] - x_[at(j)];
  }
}

LinearProgramReport LinearProgram::solve(double tolerance) {
  check();
  LinearProgramReport report;
  begin();

  // Phase 1: the sum of the artificial unknowns, which only leave.
  for (int j = 0; j < columns_ + rows_; ++j) {
    reduced_[at(j)] = 0;
    if (j < columns_) {
      for (int i = 0; i < rows_; ++i) reduced_[at(j)] -= table_[at(i)][at(j)];
    }
  }
  report.end = minimise(columns_, tolerance, report.steps);
  for (int i = 0; i < rows_; ++i) {
    if (basis_[at(i)] < columns_) continue;
    report.violation += right_[at(i)];
    // Those that remain keep their value: rows that depend on others, and rounding.
    upper_[at(basis_[at(i)])] = right_[at(i)];
  }
  for (int j = columns_; j < columns_ + rows_; ++j) {
    if (!basic_[at(j)]) upper_[at(j)] = 0;
  }
  if (report.end == LinearProgramEnd::Optimal && report.violation > 1e-9 * size_)
    report.end = LinearProgramEnd::Infeasible;

  // Phase 2.
  if (report.end == LinearProgramEnd::Optimal) {
    double largest = 0;
    for (int j = 0; j < columns_; ++j) largest = std::max(largest, std::abs(cost_[at(j)]));
    priceOut();
    report.end = minimise(columns_, tolerance * std::max(largest, 1e-300), report.steps);
  }
  readSolution();
  for (int j = 0; j < columns_; ++j) report.value += cost_[at(j)] * x_[at(j)];
  return report;
}

}  // namespace sinew
