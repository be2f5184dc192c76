// One vertex' weights under the rules that painting and the tools keep: sum 1, locks, a cap.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/character/mirror.h"
#include "studio/document/document.h"

namespace sinew::studio::weights {

using Column = std::vector<Influence>;

struct ColumnRules {
  std::vector<bool> locked;  ///< per binding: its weights stay
  int most = 0;              ///< influences of a vertex; 0: any number. Locked ones stay, and one other.
};

/// The joints whose weights stay.
std::vector<int> lockedJoints(const Document& document);
/// The locks of a document. The cap is given.
ColumnRules columnRules(const Document& document, int most);

/// One weight set, as far as locks allow; the others that are not locked share the rest in their old proportions. A
/// vertex with one influence that is not locked keeps it.
Column withWeight(std::span<const Influence> old, std::uint32_t binding, double wanted, const ColumnRules& rules);

/// `wanted` scaled to fit: locked weights are those of `old`, the largest others share the rest, the sum is 1, and what
/// would be below kLeastWeight goes. Gives `old` where nothing is left to share it.
Column fitted(const Column& wanted, std::span<const Influence> old, const ColumnRules& rules);

/// A vertex of this skin gets another column. Vertices must come in ascending order.
void addColumnTo(WeightsChange& change, const SkinWeights& weights, std::uint32_t vertex, Column column);

/// Per binding its mirror image; itself where the joint has none.
std::vector<std::uint32_t> mirroredBindings(const Skin& skin, const MirrorMap& map);

/// Sums columns with factors, without searching.
class ColumnSum {
 public:
  explicit ColumnSum(std::size_t bindings) : sum_(bindings), used_(bindings) {}
  void add(std::span<const Influence> column, double factor);
  /// The sum, which is then empty again.
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
