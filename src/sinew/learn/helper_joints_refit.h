// Weights of single points with few joints to choose from: what the selection of helper joints does again and again.
#pragma once

#include <span>
#include <vector>

#include "sinew/learn/weights.h"

namespace sinew {

/// The fit of fitWeights, point by point, each with joints of its own to choose from. Keeps references.
class PointFits {
 public:
  /// `candidates`: per point the bindings that may move it, ascending, with all that its prior names.
  PointFits(const FitProblem& problem, const WeightOptions& options,
            std::vector<std::vector<std::uint32_t>> candidates);

  /// Columns of some points, with those bindings alone for which `allowed` is not 0. Same bits on any number of
  /// threads.
  [[nodiscard]] std::vector<std::vector<Influence>> fit(std::span<const Index> points,
                                                        const std::vector<char>& allowed) const;

  /// Per example: the sum over some points of factor * squared distance, for a column each.
  [[nodiscard]] Eigen::VectorXd exampleErrors(std::span<const Index> points,
                                              const std::vector<std::vector<Influence>>& columns) const;

 private:
  struct Bench;
  [[nodiscard]] std::vector<Influence> fitPoint(Index point, const std::vector<char>& allowed, Bench& bench) const;

  const FitProblem& problem_;
  const WeightOptions& options_;
  std::vector<std::vector<std::uint32_t>> candidates_;
  std::vector<char> locked_;  // per binding
};

}  // namespace sinew
