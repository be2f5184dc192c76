// Neighbours over the surface, for weights that should change slowly.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "sinew/learn/fit/problem.h"

namespace sinew::fit {

/// Points that share an edge of a face, ascending.
class PointNeighbours {
 public:
  PointNeighbours(const Mesh& mesh, const FitProblem& problem);
  [[nodiscard]] std::span<const std::uint32_t> operator[](Index point) const {
    const auto p = toSize(point);
    return {neighbour_.data() + start_[p], neighbour_.data() + start_[p + 1]};
  }

 private:
  std::vector<std::size_t> start_;
  std::vector<std::uint32_t> neighbour_;
};

/// The mean weights of a point's neighbours by index (`placeOf` per binding, -1 for joints that the point cannot use),
/// normalised to sum 1. False if there is nothing to average.
bool neighbourMean(const std::vector<std::vector<Influence>>& columns, std::span<const std::uint32_t> neighbours,
                   const std::vector<int>& placeOf, Eigen::Ref<Eigen::VectorXd> mean);

/// Weights to compare with weights that were expected, point by point: what is left is what a fit made of them.
struct ExpectedWeights {
  const std::vector<std::vector<Influence>>& columns;
  const FitProblem& problem;  ///< expected: the targets of its pulls

  [[nodiscard]] const std::vector<Influence>& expected(std::size_t point) const {
    return problem.pulls[point].target.empty() ? problem.prior[point] : problem.pulls[point].target;
  }
  /// Weight minus expected weight.
  [[nodiscard]] double excess(std::size_t point, std::uint32_t binding) const;

  /// Whether the excess of a joint is more than 0.05 outside the range of the neighbours. Never with fewer than three
  /// neighbours.
  [[nodiscard]] bool sticksOut(std::size_t point, std::span<const std::uint32_t> neighbours) const;

  /// The expected weights of a point and the mean excess of its neighbours, by index as in neighbourMean.
  void meanWeights(std::size_t point, std::span<const std::uint32_t> neighbours, const std::vector<int>& placeOf,
                   Eigen::Ref<Eigen::VectorXd> mean) const;
};

}  // namespace sinew::fit
