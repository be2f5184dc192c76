#include "sinew/learn/weights_smooth.h"

#include <algorithm>
#include <utility>

namespace sinew {

PointNeighbours::PointNeighbours(const Mesh& mesh, const FitProblem& problem)
    : start_(static_cast<std::size_t>(problem.pointCount()) + 1, 0) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    const auto corners = mesh.faces[f];
    for (std::size_t c = 0; c < corners.size(); ++c) {
      const std::uint32_t a = problem.pointOfVertex[corners[c]];
      const std::uint32_t b = problem.pointOfVertex[corners[(c + 1) % corners.size()]];
      if (a == kNotFitted || b == kNotFitted || a == b) continue;
      edges.emplace_back(a, b);
      edges.emplace_back(b, a);
    }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  neighbour_.reserve(edges.size());
  for (const auto& [from, to] : edges) {
    ++start_[from + 1];
    neighbour_.push_back(to);
  }
  for (std::size_t p = 1; p < start_.size(); ++p) start_[p] += start_[p - 1];
}

bool neighbourMean(const std::vector<std::vector<Influence>>& columns, std::span<const std::uint32_t> neighbours,
                   const std::vector<int>& placeOf, Eigen::Ref<Eigen::VectorXd> mean) {
  mean.setZero();
  for (const std::uint32_t n : neighbours) {
    for (const Influence& influence : columns[n]) {
      if (placeOf[influence.binding] >= 0) mean[placeOf[influence.binding]] += influence.weight;
    }
  }
  const double sum = mean.sum();
  if (!(sum > 0)) return false;
  mean /= sum;
  return true;
}

}  // namespace sinew
