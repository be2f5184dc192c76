// The weights of one vertex under the rules of painting and the tools: sum 1, locks, a cap.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/character/mirror.h"
#include "studio/document/document.h"

namespace sinew::studio::weights {

using Column = std::vector<Influence>;

struct ColumnRules {
  std::vector<bool> locked;  ///< per binding: its weights do not change
  int most = 0;              ///< max influences of a vertex; 0: unlimited. Locked ones and one other are always kept.
};

/// The joints whose weights do not change.
std::vector<int> lockedJoints(const Document& document);
/// The locks of a document, with a given cap.
ColumnRules columnRules(const Document& document, int most);

/// Sets one weight, as far as locks allow; the other unlocked weights share the rest in proportion. A vertex with a
/// single unlocked influence keeps it.
Column withWeight(std::span<const Influence> old, std::uint32_t binding, double wanted, const ColumnRules& rules);

/// `wanted` made valid: locked weights are those of `old`, the largest others share the rest, the sum is 1, and weights
/// below kLeastWeight are removed. Returns `old` if no unlocked weight is left.
Column fitted(const Column& wanted, std::span<const Influence> old, const ColumnRules& rules);

/// Replaces the column of a vertex. Vertices must be given in ascending order.
void addColumnTo(WeightsChange& change, const SkinWeights& weights, std::uint32_t vertex, Column column);

/// The mirror image of each binding; itself if the joint has none.
std::vector<std::uint32_t> mirroredBindings(const Skin& skin, const MirrorMap& map);

/// Accumulates weighted columns in a dense array.
class ColumnSum {
 public:
  explicit ColumnSum(std::size_t bindings) : sum_(bindings), used_(bindings) {}
  void add(std::span<const Influence> column, double factor);
  /// Returns the sum and resets it.
  Column take();

 private:
  std::vector<double> sum_;
  std::vector<bool> used_;
  std::vector<std::uint32_t> order_;
};

/// Which points of the welded surface share an edge.
class PointNeighbours {
 public:
  PointNeighbours(const Mesh& mesh, const std::vector<std::uint32_t>& pointOfVertex, std::size_t points);
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t point) const {
    return {list_.data() + start_[point], list_.data() + start_[point + 1]};
  }

 private:
  std::vector<std::uint32_t> start_;
  std::vector<std::uint32_t> list_;
};

}  // namespace sinew::studio::weights
