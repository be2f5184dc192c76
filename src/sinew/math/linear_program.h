// A small dense linear program: the few unknowns of one vertex, solved thousands of times without allocation.
#pragma once

#include <array>
#include <span>

#include "sinew/base/types.h"

namespace sinew {

enum class LinearProgramEnd { Optimal, Infeasible, Unbounded, TooManySteps };

struct LinearProgramReport {
  LinearProgramEnd end = LinearProgramEnd::Optimal;
  int steps = 0;         ///< pivots and moves from bound to bound
  double value = 0;      ///< cost^T x
  double violation = 0;  ///< sum of |A x - b| that no x within the bounds can avoid

  [[nodiscard]] bool usable() const { return end == LinearProgramEnd::Optimal; }
};

/// minimise cost^T x over A x = b, 0 <= x <= upper, by the simplex method with bounded variables on a dense tableau.
/// All memory is inside: keep one and use it again.
///
///   LinearProgram program;
///   program.reset(rows, columns);
///   program.coefficient(i, j) = ...; program.right(i) = ...; program.cost(j) = ...; program.upper(j) = ...;
///   const LinearProgramReport report = program.solve();
///   program.value(j);
class LinearProgram {
 public:
  static constexpr int kMostRows = 48;
  static constexpr int kMostColumns = 160;

  /// Zero coefficients, right-hand sides and costs; no upper bounds. Throws BadInput beyond the sizes above.
  void reset(int rows, int columns);

  double& coefficient(int row, int column) { return table_[at(row)][at(column)]; }
  double& right(int row) { return right_[at(row)]; }
  double& cost(int column) { return cost_[at(column)]; }
  /// Infinite by default.
  double& upper(int column) { return upper_[at(column)]; }

  /// `tolerance` is relative to the largest right-hand side and bound (feasibility) and cost (optimality). Solving
  /// overwrites the tableau: call reset() before the next problem. Values that are not finite throw BadInput.
  LinearProgramReport solve(double tolerance = 1e-10);

  /// Of the solution.
  [[nodiscard]] double value(int column) const { return x_[at(column)]; }

 private:
  static std::size_t at(int index) { return toSize(index); }
  void check() const;
  void begin();
  LinearProgramEnd minimise(int columns, double tolerance, int& steps);
  [[nodiscard]] int entering(int columns, double tolerance, bool firstIndex) const;
  [[nodiscard]] int leaving(int column, bool firstIndex, double& length, bool& atUpper) const;
  void flipColumn(int column);
  void flipBasic(int row);
  void pivot(int row, int column);
  void priceOut();
  void readSolution();

  /// Columns of the unknowns, then one artificial unknown per row.
  static constexpr int kWidth = kMostColumns + kMostRows;
  int rows_ = 0;
  int columns_ = 0;
  std::array<std::array<double, kWidth>, kMostRows> table_{};
  std::array<double, kMostRows> right_{};  ///< values of the basic unknowns
  std::array<double, kWidth> cost_{};      ///< as given; of the artificial ones 0
  std::array<double, kWidth> reduced_{};   ///< reduced costs of the phase
  std::array<double, kWidth> upper_{};
  std::array<bool, kWidth> flipped_{};  ///< stands for upper - x
  std::array<bool, kWidth> basic_{};
  std::array<int, kMostRows> basis_{};  ///< the basic unknown of each row
  std::array<double, kMostColumns> x_{};
  double size_ = 1;  ///< of right-hand sides and bounds
};

}  // namespace sinew
