// For a handle i and a joint j, with N the points that share an edge with i, weights after the step w and before it
// w_0,
//
//   min_N w_j - below <= w_ij <= max_N w_j + above,   above = max(0.04, w_0ij - max_N w_0j),   below likewise:
//
// no vertex differs from its neighbours more than before. Excess weight goes to joints of which the neighbours have
// more, then to those with room; missing weight is taken from joints above their lower bound.
#include "sinew/manipulate/drag_weights/level.h"

#include <algorithm>

#include "sinew/manipulate/drag_weights/solve.h"

namespace sinew::drag_weights {

Levels::Levels(const Character& character, const DragPoints& points, std::size_t handles, const DragSurface& surface)
    : character_(character), points_(points), around_(handles) {
  bounds_.resize(toSize(ReachSolver::kMostCorners));
  room_.resize(toSize(ReachSolver::kMostCorners));
  const WeldMap& weld = surface.weld();
  std::vector<std::int64_t> handleOf(weld.firstVertex.size(), -1);
  std::vector<std::int64_t> dragged(weld.pointOfVertex.size(), -1);
  for (std::size_t k = points.points.size(); k-- > 0;) {
    const DragPoint& point = points.points[k];
    for (std::uint32_t s = point.firstSeam; s < point.lastSeam; ++s)
      dragged[points.seams[s]] = static_cast<std::int64_t>(k);
    if (k < handles) handleOf[weld.pointOfVertex[toSize(point.vertex)]] = static_cast<std::int64_t>(k);
  }
  std::vector<std::vector<std::uint32_t>> rings(handles);
  for (const Triangle& triangle : triangulate(character.mesh)) {
    for (std::size_t a = 0; a < 3; ++a) {
      const std::int64_t handle = handleOf[weld.pointOfVertex[triangle[a]]];
      if (handle < 0) continue;
      for (const std::size_t b : {(a + 1) % 3, (a + 2) % 3}) {
        const std::uint32_t other = weld.pointOfVertex[triangle[b]];
        if (other != weld.pointOfVertex[triangle[a]]) rings[toSize(handle)].push_back(other);
      }
    }
  }
  for (std::size_t h = 0; h < handles; ++h) {
    std::sort(rings[h].begin(), rings[h].end());
    rings[h].erase(std::unique(rings[h].begin(), rings[h].end()), rings[h].end());
    for (const std::uint32_t point : rings[h])
      around_[h].push_back({static_cast<Index>(weld.firstVertex[point]), dragged[weld.firstVertex[point]]});
  }
}

double Levels::weightOf(std::span<const Influence> column, std::uint32_t binding) const {
  const int joint = character_.skin.bindings[binding].joint;
  double weight = 0;
  for (const Influence& one : column) {
    if (character_.skin.bindings[one.binding].joint == joint) weight += one.weight;
  }
  return weight;
}

bool Levels::fit(std::size_t count, double free, Eigen::Ref<Eigen::VectorXd> shares) {
  const auto high = [](const Bound& one) { return one.around.most + one.above; };
  const auto low = [](const Bound& one) { return std::max(0.0, one.around.least - one.below); };
  const std::span<Bound> bounds(bounds_.data(), count);
  constexpr double kNone = 1e-9;
  const bool fits = std::all_of(bounds.begin(), bounds.end(), [&](const Bound& one) {
    return one.weight <= high(one) + kNone && (one.weight >= low(one) - kNone || !one.changes);
  });
  if (fits) return false;
  double sum = 0;
  for (Bound& one : bounds) {
    if (one.changes) one.weight = std::clamp(one.weight, low(one), std::max(low(one), high(one)));
    sum += one.weight;
  }
  // The remainder is distributed by the space that each has; first up to the mean of the neighbours.
  const auto share = [&](const auto& roomOf) {
    double all = 0;
    for (std::size_t c = 0; c < count; ++c) all += room_[c] = bounds[c].changes ? std::max(0.0, roomOf(bounds[c])) : 0;
    const double part = all > 0 ? std::min(1.0, std::abs(free - sum) / all) : 0;
    const double sign = free > sum ? part : -part;
    for (std::size_t c = 0; c < count; ++c) bounds[c].weight += sign * room_[c];
    sum += sign * all;
  };
  if (sum < free) share([](const Bound& one) { return one.mean - one.weight; });
  if (sum < free - kNone) share([&](const Bound& one) { return high(one) - one.weight; });
  if (sum > free) share([&](const Bound& one) { return one.weight - low(one); });
  if (!(sum > 0)) return false;
  for (std::size_t c = 0; c < count; ++c) shares[static_cast<Index>(c)] = bounds[c].weight / sum;
  return true;
}

}  // namespace sinew::drag_weights
