// Neighbours over the surface, for weights that should change slowly.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "sinew/learn/fit_problem.h"

namespace sinew {

/// Points that share an edge of a face, ascending.
class PointNeighbours {
 public:
  PointNeighbours(const Mesh& mesh, const FitProblem& problem);
  [[nodiscard]] std::span<const std::uint32_t> operator[](Index point) const {
    const auto p = static_cast<std::size_t>(point);
    return {neighbour_.data() + start_[p], neighbour_.data() + start_[p + 1]};
  }

 private:
  std::vector<std::size_t> start_;
  std::vector<std::uint32_t> neighbour_;
};

/// The mean weights of a point's neighbours by place (`placeOf` per binding, -1 for joints that the point cannot use),
/// scaled to sum 1. False where there is nothing to take a mean of.
bool neighbourMean(const std::vector<std::vector<Influence>>& columns, std::span<const std::uint32_t> neighbours,
                   const std::vector<int>& placeOf, Eigen::Ref<Eigen::VectorXd> mean);

}  // namespace sinew
