#include "studio/modes/weights/weight_columns.h"

#include <algorithm>

#include "sinew/character/skin.h"

namespace sinew::studio::weights {

std::vector<int> lockedJoints(const Document& document) {
  std::vector<int> joints;
  for (const std::string& name : document.locks) joints.push_back(document.file.character.skeleton.index(name));
  return joints;
}

ColumnRules columnRules(const Document& document, int most) {
  const Character& character = document.file.character;
  ColumnRules rules;
  rules.most = most;
  for (const Binding& binding : character.skin.bindings) {
    const std::string& name = character.skeleton[binding.joint].name;
    rules.locked.push_back(std::find(document.locks.begin(), document.locks.end(), name) != document.locks.end());
  }
  return rules;
}

Column withWeight(std::span<const Influence> old, std::uint32_t binding, double wanted, const ColumnRules& rules) {
  Column column(old.begin(), old.end());
  if (rules.locked[binding]) return column;
  double held = 0;
  double free = 0;
  for (const Influence& one : old) {
    if (one.binding != binding) (rules.locked[one.binding] ? held : free) += one.weight;
  }
  const double most = std::max(0.0, 1 - held);
  const double weight = free > 0 ? std::clamp(wanted, 0.0, most) : most;
  std::erase_if(column, [&](const Influence& one) { return one.binding == binding; });
  for (Influence& one : column) {
    if (!rules.locked[one.binding]) one.weight *= (most - weight) / free;
  }
  column.push_back({binding, weight});
  return fitted(column, old, rules);
}

Column fitted(const Column& wanted, std::span<const Influence> old, const ColumnRules& rules) {
  Column column;
  double held = 0;
  for (const Influence& one : old) {
    if (!rules.locked[one.binding]) continue;
    column.push_back(one);
    held += one.weight;
  }
  Column free;
  for (const Influence& one : wanted) {
    if (!rules.locked[one.binding] && one.weight > 0) free.push_back(one);
  }
  const auto larger = [](const Influence& a, const Influence& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.binding < b.binding;
  };
  std::sort(free.begin(), free.end(), larger);
  if (rules.most > 0) {
    const int room = std::max(1, rules.most - static_cast<int>(column.size()));
    if (static_cast<int>(free.size()) > room) free.resize(toSize(room));
  }
  double sum = 0;
  for (const Influence& one : free) sum += one.weight;
  if (!(sum > 0)) return {old.begin(), old.end()};
  const double left = std::max(0.0, 1 - held);
  // Tiny weights are removed; if all are tiny, the largest is kept.
  while (free.size() > 1 && free.back().weight / sum * left < kLeastWeight) {
    sum -= free.back().weight;
    free.pop_back();
  }
  for (const Influence& one : free) {
    if (left > 0) column.push_back({one.binding, one.weight / sum * left});
  }
  std::sort(column.begin(), column.end(), larger);
  return column;
}

void addColumnTo(WeightsChange& change, const SkinWeights& weights, std::uint32_t vertex, Column column) {
  const auto before = weights[static_cast<Index>(vertex)];
  change.vertices.push_back(vertex);
  change.before.emplace_back(before.begin(), before.end());
  change.after.push_back(std::move(column));
}

std::vector<std::uint32_t> mirroredBindings(const Skin& skin, const MirrorMap& map) {
  std::vector<std::uint32_t> partner;
  for (std::uint32_t b = 0; b < skin.bindings.size(); ++b) {
    const int joint = map.joint[toSize(skin.bindings[b].joint)];
    const auto found = std::find_if(skin.bindings.begin(), skin.bindings.end(),
                                    [&](const Binding& one) { return joint >= 0 && one.joint == joint; });
    partner.push_back(found == skin.bindings.end() ? b : static_cast<std::uint32_t>(found - skin.bindings.begin()));
  }
  return partner;
}

void ColumnSum::add(std::span<const Influence> column, double factor) {
  for (const Influence& one : column) {
    if (!used_[one.binding]) {
      used_[one.binding] = true;
      order_.push_back(one.binding);
    }
    sum_[one.binding] += factor * one.weight;
  }
}

Column ColumnSum::take() {
  Column column;
  for (const std::uint32_t binding : order_) {
    column.push_back({binding, sum_[binding]});
    sum_[binding] = 0;
    used_[binding] = false;
  }
  order_.clear();
  return column;
}

PointNeighbours::PointNeighbours(const Mesh& mesh, const std::vector<std::uint32_t>& pointOfVertex,
                                 std::size_t points) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (const Triangle& triangle : triangulate(mesh)) {
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint32_t a = pointOfVertex[triangle[c]];
      const std::uint32_t b = pointOfVertex[triangle[(c + 1) % 3]];
      if (a == b) continue;
      edges.emplace_back(a, b);
      edges.emplace_back(b, a);
    }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  start_.assign(points + 1, 0);
  for (const auto& [from, to] : edges) {
    ++start_[from + 1];
    list_.push_back(to);
  }
  for (std::size_t p = 0; p < points; ++p) start_[p + 1] += start_[p];
}

}  // namespace sinew::studio::weights
