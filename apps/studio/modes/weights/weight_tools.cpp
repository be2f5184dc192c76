// Tools of the mode Weights for the selected vertices, or all: normalise, prune, smooth, mirror. Each is one step.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/error.h"
#include "sinew/character/mirror.h"
#include "studio/modes/weights/weights_mode.h"

namespace sinew::studio::weights {
namespace {

int checkedCap(int most) {
  if (most < 0 || most > 64)
    throw CommandFault("bad-input", fmt::format("max influences is {}; it must be 0 (unlimited) to 64", most));
  return most;
}

}  // namespace

WeightsMode::Chosen WeightsMode::chosenPoints(std::span<const std::uint32_t> vertices) {
  context_.requireSkin();
  Chosen chosen{surface(), {}};
  const auto& pointOf = chosen.surface->weld().pointOfVertex;
  for (const std::uint32_t v : vertices) {
    if (v >= pointOf.size()) throw CommandFault("bad-input", fmt::format("there is no vertex {}", v));
    chosen.points.push_back(pointOf[v]);
  }
  if (vertices.empty()) {
    for (std::uint32_t p = 0; p < chosen.surface->weld().firstVertex.size(); ++p) chosen.points.push_back(p);
  }
  std::sort(chosen.points.begin(), chosen.points.end());
  chosen.points.erase(std::unique(chosen.points.begin(), chosen.points.end()), chosen.points.end());
  return chosen;
}

std::span<const Influence> WeightsMode::columnOf(const Chosen& chosen, std::uint32_t point) const {
  return context_.document().file.character.skin.weights[static_cast<Index>(chosen.surface->weld().firstVertex[point])];
}

/// Commits the columns of points, where they differ.
std::uint32_t WeightsMode::commitColumns(const Chosen& chosen, std::vector<Column> columns, const std::string& name) {
  const SkinWeights& weights = context_.document().file.character.skin.weights;
  std::vector<std::pair<std::uint32_t, std::size_t>> list;
  for (std::size_t i = 0; i < chosen.points.size(); ++i) {
    for (const std::uint32_t v : chosen.surface->verticesOf(chosen.points[i])) {
      const auto before = weights[static_cast<Index>(v)];
      const auto same = [](const Influence& a, const Influence& b) {
        return a.binding == b.binding && std::abs(a.weight - b.weight) < 1e-12;
      };
      if (!std::equal(before.begin(), before.end(), columns[i].begin(), columns[i].end(), same))
        list.emplace_back(v, i);
    }
  }
  if (!list.empty()) {
    std::sort(list.begin(), list.end());
    WeightsChange change;
    for (const auto& [v, i] : list) addColumnTo(change, weights, v, columns[i]);
    context_.commit({name, {std::move(change)}});
  }
  return static_cast<std::uint32_t>(list.size());
}

wire::WeightsNormaliseAnswer WeightsMode::normalise(const wire::WeightsNormaliseCommand& asked) {
  const Chosen chosen = chosenPoints(asked.vertices);
  const ColumnRules rules = columnRules(context_.document(), checkedCap(asked.most));
  std::vector<Column> columns;
  for (const std::uint32_t point : chosen.points) {
    const auto old = columnOf(chosen, point);
    columns.push_back(fitted({old.begin(), old.end()}, old, rules));
  }
  return {.changed = commitColumns(chosen, std::move(columns), "Normalise weights")};
}

wire::WeightsPruneAnswer WeightsMode::prune(const wire::WeightsPruneCommand& asked) {
  const Chosen chosen = chosenPoints(asked.vertices);
  const ColumnRules rules = columnRules(context_.document(), checkedCap(asked.most));
  const double below = asked.below;
  if (!(below >= 0 && below <= 0.5))
    throw CommandFault("bad-input", fmt::format("prune below {}; between 0 and 0.5", below));
  std::vector<Column> columns;
  for (const std::uint32_t point : chosen.points) {
    const auto old = columnOf(chosen, point);
    Column kept(old.begin(), old.end());
    std::erase_if(kept, [&](const Influence& one) { return one.weight < below; });
    columns.push_back(fitted(kept, old, rules));
  }
  return {.changed = commitColumns(chosen, std::move(columns), "Prune weights")};
}

wire::WeightsSmoothAnswer WeightsMode::smooth(const wire::WeightsSmoothCommand& asked) {
  const Chosen chosen = chosenPoints(asked.vertices);
  const Document& document = context_.document();
  const ColumnRules rules = columnRules(document, checkedCap(asked.most));
  const double amount = asked.amount;
  const int times = asked.times;
  if (!(amount >= 0 && amount <= 1) || times < 1 || times > 100)
    throw CommandFault(
        "bad-input",
        fmt::format("smoothing by {} {} times; the amount must be 0 to 1, the times 1 to 100", amount, times));
  const WeldMap& weld = chosen.surface->weld();
  const PointNeighbours neighbours(document.file.character.mesh, weld.pointOfVertex, weld.firstVertex.size());
  std::vector<Column> all;
  for (std::uint32_t p = 0; p < weld.firstVertex.size(); ++p) {
    const auto old = columnOf(chosen, p);
    all.emplace_back(old.begin(), old.end());
  }
  ColumnSum sum(document.file.character.skin.bindings.size());
  std::vector<Column> columns(chosen.points.size());
  for (int t = 0; t < times; ++t) {
    for (std::size_t i = 0; i < chosen.points.size(); ++i) {
      const std::uint32_t point = chosen.points[i];
      const auto around = neighbours.of(point);
      sum.add(all[point], around.empty() ? 1 : 1 - amount);
      for (const std::uint32_t other : around) sum.add(all[other], amount / static_cast<double>(around.size()));
      columns[i] = fitted(sum.take(), all[point], rules);
    }
    for (std::size_t i = 0; i < chosen.points.size(); ++i) all[chosen.points[i]] = columns[i];
  }
  return {.changed = commitColumns(chosen, std::move(columns), "Smooth weights")};
}

/// Copies the weights of the selected vertices, or of one side of the body ("from": below or above the plane), to their
/// mirror images.
wire::WeightsMirrorAnswer WeightsMode::mirror(const wire::WeightsMirrorCommand& asked) {
  context_.requireSkin();
  const Character& character = context_.document().file.character;
  const MirrorMap& map = context_.mirror(choiceNamed<MirrorAxis>(asked.axis, "axis"));
  Chosen givers = chosenPoints(asked.vertices);
  const auto& weld = givers.surface->weld();
  const bool above = asked.from == "above";
  const std::vector<std::uint32_t> partner = mirroredBindings(character.skin, map);
  const ColumnRules rules = columnRules(context_.document(), checkedCap(asked.most));
  ColumnSum sum(character.skin.bindings.size());
  // The mirror image of a source takes its weights from its own mirror image. If both are selected, the one on the
  // other side is the target.
  std::vector<bool> gives(weld.firstVertex.size());
  for (const std::uint32_t point : givers.points) gives[point] = true;
  Chosen takers{givers.surface, {}};
  std::vector<Column> columns;
  const auto addMirrored = [&](std::uint32_t vertex, double share) {
    for (const Influence& one : character.skin.weights[static_cast<Index>(vertex)]) {
      const Influence mirrored{partner[one.binding], one.weight};
      sum.add({&mirrored, 1}, share);
    }
  };
  for (std::uint32_t point = 0; point < weld.firstVertex.size(); ++point) {
    const std::uint32_t own = weld.firstVertex[point];
    const MirrorPlace& place = map.vertex[own];
    if (place.kind == MirrorPlace::Kind::None) continue;
    const std::size_t corners = place.kind == MirrorPlace::Kind::Vertex ? 1 : 3;
    if (corners == 1 && weld.pointOfVertex[place.vertex[0]] == point) {
      // A point in the plane is its own mirror image: the mean of its weights and the mirrored ones, whatever side
      // rounding puts it on.
      if (!gives[point]) continue;
      sum.add(character.skin.weights[static_cast<Index>(own)], 0.5);
      addMirrored(own, 0.5);
    } else {
      const double there = corners == 1 ? map.side[place.vertex[0]] : 0;
      bool takes = !gives[point] || (above ? map.side[own] < there : map.side[own] > there);
      for (std::size_t c = 0; c < corners; ++c) takes = takes && gives[weld.pointOfVertex[place.vertex[c]]];
      if (!takes) continue;
      for (std::size_t c = 0; c < corners; ++c) addMirrored(place.vertex[c], corners == 1 ? 1 : place.weight[c]);
    }
    takers.points.push_back(point);
    columns.push_back(fitted(sum.take(), columnOf(takers, point), rules));
  }
  wire::WeightsMirrorAnswer answer{.changed = commitColumns(takers, std::move(columns), "Mirror weights")};
  if (map.report.unmatchedVertices > 0) {
    answer.warning = fmt::format("{} of {} vertices have no partner on the other side and keep their weights",
                                 map.report.unmatchedVertices, character.mesh.vertexCount());
  }
  return answer;
}

}  // namespace sinew::studio::weights
