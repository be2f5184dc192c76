#include "sinew/learn/fit/weights_smooth.h"

#include <algorithm>
#include <utility>

namespace sinew::fit {
namespace {

constexpr std::size_t kLeastNeighbours = 3;
constexpr double kSticksOut = 0.05;

double weightOf(const std::vector<Influence>& column, std::uint32_t binding) {
  for (const Influence& influence : column) {
    if (influence.binding == binding) return influence.weight;
  }
  return 0;
}

}  // namespace

PointNeighbours::PointNeighbours(const Mesh& mesh, const FitProblem& problem)
    : start_(toSize(problem.pointCount()) + 1, 0) {
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

double ExpectedWeights::excess(std::size_t point, std::uint32_t binding) const {
  return weightOf(columns[point], binding) - weightOf(expected(point), binding);
}

bool ExpectedWeights::sticksOut(std::size_t point, std::span<const std::uint32_t> neighbours) const {
  if (neighbours.size() < kLeastNeighbours) return false;
  const auto outside = [&](std::uint32_t binding) {
    double least = 1;
    double most = -1;
    for (const std::uint32_t n : neighbours) {
      const double other = excess(n, binding);
      least = std::min(least, other);
      most = std::max(most, other);
    }
    const double own = excess(point, binding);
    return own > most + kSticksOut || own < least - kSticksOut;
  };
  const auto any = [&](const std::vector<Influence>& column) {
    return std::any_of(column.begin(), column.end(), [&](const Influence& i) { return outside(i.binding); });
  };
  // A joint that all neighbours have and the point lacks: the first neighbour names it.
  return any(columns[point]) || any(expected(point)) || any(columns[neighbours.front()]) ||
         any(expected(neighbours.front()));
}

void ExpectedWeights::meanWeights(std::size_t point, std::span<const std::uint32_t> neighbours,
                                  const std::vector<int>& placeOf, Eigen::Ref<Eigen::VectorXd> mean) const {
  mean.setZero();
  const auto add = [&](const std::vector<Influence>& column, double factor) {
    for (const Influence& influence : column) {
      if (placeOf[influence.binding] >= 0) mean[placeOf[influence.binding]] += factor * influence.weight;
    }
  };
  add(expected(point), 1);
  const double share = 1 / static_cast<double>(neighbours.size());
  for (const std::uint32_t n : neighbours) {
    add(columns[n], share);
    add(expected(n), -share);
  }
}

}  // namespace sinew::fit
