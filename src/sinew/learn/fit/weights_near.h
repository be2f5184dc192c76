// Which joints are adjacent in the skeleton, for fits in which no distant joint may move a point.
#pragma once

#include <vector>

#include "sinew/learn/fit/problem.h"

namespace sinew::fit {

/// Joints of one row of FitProblem::candidates, by index. Adjacent to a joint: the nearest joints above and below it in
/// the row, and helper joints that follow it or a joint just below it.
class NearJoints {
 public:
  NearJoints(const Character& character, const std::vector<std::uint32_t>& candidates);

  /// 1 for the joints of a column and those next to them, 0 for others. Bindings that the row does not have are
  /// skipped.
  void mark(const std::vector<Influence>& column, std::vector<char>& near) const;

  /// Index of a binding, or -1.
  [[nodiscard]] int place(std::uint32_t binding) const { return placeOf_[binding]; }

  /// A better initial guess with half joints: for two adjacent joints that share a point, the half joint between them
  /// takes twice the smaller share, so that the point rotates by the same angle without shrinking. The same column if
  /// there is no such half joint, or none whose binding is `allowed` (empty: all are).
  [[nodiscard]] std::vector<Influence> halfway(const std::vector<Influence>& column,
                                               const std::vector<char>& allowed = {}) const;

  [[nodiscard]] bool hasHalves() const { return !halves_.empty(); }

  /// A half joint between two others, by index.
  struct Half {
    int above;
    int below;
    int half;
  };
  [[nodiscard]] const std::vector<Half>& halves() const { return halves_; }

 private:
  std::vector<std::uint32_t> candidates_;
  std::vector<int> placeOf_;
  std::vector<std::vector<int>> next_;
  std::vector<Half> halves_;
};

}  // namespace sinew::fit
