#include "sinew/play/packing/influences.h"

#include <algorithm>
#include <cmath>

#include "sinew/play/packing/refuse.h"

namespace sinew::play {
namespace {

/// Weights below this vanish in a float sum whose terms add to 1.
constexpr double kLeastWeight = 1.0 / 16777216.0;
/// Sums farther from 1 are refused.
constexpr double kMostAway = 1e-3;
/// Sums nearer to 1 are kept as they are.
constexpr double kRounding = 1e-9;

}  // namespace

Influences::Influences(const SkinArrays<double>& skin, const char* where) {
  const std::size_t vertices = skin.positions.size() / 3;
  const std::size_t each = vertices > 0 ? skin.weights.size() / vertices : 0;
  for (std::size_t v = 0; v < vertices; ++v) {
    const std::size_t first = skin.starts.empty() ? v * each : skin.starts[v];
    const std::size_t end = skin.starts.empty() ? first + each : skin.starts[v + 1];
    column_.clear();
    for (std::size_t i = first; i < end; ++i) {
      const double weight = skin.weights[i];
      require(std::isfinite(weight) && weight >= 0, where, "a weight of vertex ", v, " is ", weight,
              "; weights must be finite and 0 or more");
      if (weight == 0) continue;
      require(skin.joints[i] < skin.jointCount, where, "vertex ", v, " follows joint ", skin.joints[i], "; there are ",
              skin.jointCount);
      const auto same = std::find_if(column_.begin(), column_.end(),
                                     [&](const Influence& influence) { return influence.joint == skin.joints[i]; });
      if (same == column_.end()) {
        column_.push_back({skin.joints[i], weight});
      } else {
        same->weight += weight;
      }
    }
    addColumn(v, where);
  }
}

void Influences::addColumn(std::size_t vertex, const char* where) {
  given_ += column_.size();
  std::stable_sort(column_.begin(), column_.end(),
                   [](const Influence& a, const Influence& b) { return a.weight > b.weight; });
  double total = 0;
  double kept = 0;
  std::size_t count = 0;
  for (const Influence& influence : column_) {
    total += influence.weight;
    if (influence.weight < kLeastWeight) continue;
    kept += influence.weight;
    ++count;
  }
  require(std::abs(total - 1) <= kMostAway, where, "the weights of vertex ", vertex, " sum to ", total,
          "; they must sum to 1");
  const bool scaled = count < column_.size() || std::abs(kept - 1) > kRounding;
  column_.resize(count);
  for (Influence& influence : column_) influence.weight *= scaled ? 1 / kept : 1.0;
  all_.insert(all_.end(), column_.begin(), column_.end());
  starts_.push_back(all_.size());
}

}  // namespace sinew::play
