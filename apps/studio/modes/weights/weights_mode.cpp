#include "studio/modes/weights/weights_mode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/types.h"
#include "studio/modes/weights/drags.h"
#include "studio/modes/weights/lead_reach.h"
#include "studio/modes/weights/weight_columns.h"

namespace sinew::studio::weights {

std::shared_ptr<const void> prepareSurface(const Document& document) {
  const Character& character = document.file.character;
  return character.mesh.vertexCount() > 0 ? std::make_shared<const DragSurface>(character) : nullptr;
}

std::span<const CommandRow> WeightsMode::commands() const {
  static constexpr CommandRow kCommands[] = {
      command<&WeightsMode::setLocks>(), command<&WeightsMode::setWeight>(),   command<&WeightsMode::assign>(),
      command<&WeightsMode::reach>(),    command<&WeightsMode::previewSoft>(), command<&WeightsMode::normalise>(),
      command<&WeightsMode::prune>(),    command<&WeightsMode::smooth>(),      command<&WeightsMode::mirror>(),
  };
  return kCommands;
}

std::span<const DragRow> WeightsMode::drags() const {
  static constexpr DragRow kDrags[] = {drag<&WeightsMode::beginDrag>(), drag<&WeightsMode::beginPaint>()};
  return kDrags;
}

void WeightsMode::opened(const std::shared_ptr<const void>& prepared) {
  surface_ = std::static_pointer_cast<const DragSurface>(prepared);
}

void WeightsMode::edited(const Edit& edit) noexcept {
  for (const Change& change : edit.changes) {
    if (std::holds_alternative<CharacterChange>(change)) surface_.reset();
  }
}

std::shared_ptr<const DragSurface> WeightsMode::surface() {
  if (!surface_) surface_ = std::make_shared<const DragSurface>(context_.document().file.character);
  return surface_;
}

std::unique_ptr<DragTarget> WeightsMode::beginDrag(const wire::WeightDragBegin& begin) {
  context_.requireSkin();
  return makeWeightDrag(context_, surface(), begin);
}

std::unique_ptr<DragTarget> WeightsMode::beginPaint(const wire::PaintBegin& begin) {
  context_.requireSkin();
  return makePaintStroke(context_, surface(), begin);
}

/// The reach of a vertex before it is dragged.
void WeightsMode::reach(const wire::WeightsReachCommand& asked) {
  context_.requireSkin();
  const Document& document = context_.document();
  const auto vertex = static_cast<Index>(asked.vertex);
  const std::uint32_t view = asked.view;
  if (vertex >= document.file.character.mesh.vertexCount() || view >= document.views.size())
    throw CommandFault("bad-input", fmt::format("there is no vertex {} in view {}", vertex, view));
  if (!(asked.radius >= 0) || !std::isfinite(asked.radius))
    throw CommandFault("bad-input", fmt::format("the radius is {}; it must be 0 or more", asked.radius));
  DragOptions options;
  options.soft = asked.near ? asked.radius : 0;
  options.volume = asked.volume;
  options.locked = lockedJoints(document);
  options.negative = asked.negative;
  options.presentOnly = !asked.near;
  const Character& character = document.file.character;
  const std::vector<Pose> views = context_.drawnViews();
  const DragSession drag(character, {.vertices = {vertex}, .pose = views[view]}, options, surface());
  const LeadReach lead(document, views, context_.space().centre, view, drag, std::move(options), surface());
  context_.send(lead.leading(character.skin.weights[vertex]));
  for (const wire::Reach& other : lead.others(character.skin.weights[vertex])) context_.send(other);
}

/// Moves all unlocked weight to one joint, for each of the vertices and the others on its seam.
wire::WeightsAssignAnswer WeightsMode::assign(const wire::WeightsAssignCommand& asked) {
  context_.requireSkin();
  const Document& document = context_.document();
  const Skin& skin = document.file.character.skin;
  const int joint = asked.joint;
  if (joint < 0 || joint >= document.file.character.skeleton.size())
    throw CommandFault("bad-input", fmt::format("there is no joint {}", joint));
  const std::string& name = document.file.character.skeleton[joint].name;
  if (std::find(document.locks.begin(), document.locks.end(), name) != document.locks.end())
    throw CommandFault("locked", fmt::format("'{}' is locked", name), "Unlock it first.");
  const ColumnRules rules = columnRules(document, 0);
  const auto points = surface();
  const auto& pointOf = points->weld().pointOfVertex;
  std::vector<std::uint32_t> vertices;
  for (const std::uint32_t v : asked.vertices) {
    if (v >= pointOf.size()) throw CommandFault("bad-input", fmt::format("there is no vertex {}", v));
    const auto seam = points->verticesOf(pointOf[v]);
    vertices.insert(vertices.end(), seam.begin(), seam.end());
  }
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  WeightsChange change;
  for (const std::uint32_t v : vertices) {
    const auto before = skin.weights[static_cast<Index>(v)];
    const int number = skin.bindings[before.front().binding].skin;
    const auto binding = std::find_if(skin.bindings.begin(), skin.bindings.end(),
                                      [&](const Binding& one) { return one.joint == joint && one.skin == number; });
    if (binding == skin.bindings.end())
      throw CommandFault("bad-input", fmt::format("the skin of vertex {} does not bind '{}'", v, name));
    Column column = withWeight(before, static_cast<std::uint32_t>(binding - skin.bindings.begin()), 1, rules);
    if (std::equal(before.begin(), before.end(), column.begin(), column.end())) continue;
    addColumnTo(change, skin.weights, v, std::move(column));
  }
  const std::size_t changed = change.vertices.size();
  if (changed > 0) context_.commit({fmt::format("All to {}", name), {std::move(change)}});
  return {.changed = static_cast<std::uint32_t>(changed)};
}

void WeightsMode::setLocks(const wire::WeightsLocksCommand& asked) {
  context_.requireSkin();
  std::vector<std::string> names = asked.joints;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const std::string& name : names) (void)context_.document().file.character.skeleton.index(name);
  context_.commit({"Lock joints", {LocksChange{context_.document().locks, std::move(names)}}});
}

/// Sets one weight of a vertex and the others on its seam; the other unlocked weights share the rest in proportion.
void WeightsMode::setWeight(const wire::WeightsSetCommand& asked) {
  context_.requireSkin();
  const Document& document = context_.document();
  const Skin& skin = document.file.character.skin;
  const auto vertex = static_cast<Index>(asked.vertex);
  const std::uint32_t binding = asked.binding;
  const double wanted = asked.weight;
  if (vertex >= skin.weights.vertexCount() || binding >= skin.bindings.size())
    throw CommandFault("bad-input", fmt::format("there is no vertex {} or joint {}", vertex, binding));
  if (!(wanted >= 0 && wanted <= 1))
    throw CommandFault("bad-input", fmt::format("a weight of {}; between 0 and 1", wanted));
  const ColumnRules rules = columnRules(document, 0);
  if (rules.locked[binding]) throw CommandFault("locked", "this joint is locked", "Unlock it first.");
  const Column column = withWeight(skin.weights[vertex], binding, wanted, rules);
  WeightsChange change;
  const auto points = surface();
  for (const std::uint32_t v : points->verticesOf(points->weld().pointOfVertex[toSize(vertex)]))
    addColumnTo(change, skin.weights, v, column);
  context_.commit({fmt::format("Set a weight of vertex {}", vertex), {std::move(change)}});
}

}  // namespace sinew::studio::weights
