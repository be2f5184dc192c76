#include "studio/document/frame.h"

#include <algorithm>

#include "sinew/deform/posing.h"

namespace sinew::studio {
namespace {

std::uint32_t count32(std::size_t value) {
  return static_cast<std::uint32_t>(value);
}

/// Maps `p` in the page's space to world(p + centre) - centre.
void addMatrix(const Affine& worldFromRest, const Vec3& centre, std::vector<float>& palette) {
  const Vec3 offset = worldFromRest * centre - centre;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) palette.push_back(static_cast<float>(worldFromRest.linear()(r, c)));
    palette.push_back(static_cast<float>(offset[r]));
  }
}

}  // namespace

Vec3 placeOf(const ReducedModel& model, const std::vector<Affine>& controls, std::uint32_t vertex) {
  Vec3 rest = model.rest.col(static_cast<Index>(vertex));
  if (controls.empty()) return rest;
  Vec3 place = Vec3::Zero();
  for (const Influence& influence : model.weights[static_cast<Index>(vertex)])
    place += influence.weight * (controls[influence.binding] * rest);
  return place;
}

PageSpace pageSpace(const Document& document) {
  const Character& character = document.file.character;
  const Points points =
      document.file.reduced ? document.file.reduced->rest : posePoints(character, restPose(character));
  const BoundingBox box = boundingBox(points);
  return {box.centre(), std::max(box.diagonal(), 1e-12)};
}

bool hasWeights(const Character& character) {
  const auto& parts = character.mesh.parts;
  return character.hasSkin() &&
         (parts.empty() || std::any_of(parts.begin(), parts.end(), [](const MeshPart& part) { return part.skinned; }));
}

wire::Frame frameOf(const Document& document, const Vec3& centre, std::uint32_t view) {
  wire::Frame frame{.view = view, .views = count32(document.views.size())};
  const Character& character = document.file.character;
  if (document.file.reduced) {
    const std::vector<Affine>& controls = document.posed.controls;
    frame.view = 0;
    frame.views = 1;
    for (int c = 0; c < document.file.reduced->controlCount(); ++c)
      addMatrix(controls.empty() ? Affine::Identity() : controls[toSize(c)], centre, frame.palette);
    return frame;
  }
  if (!character.hasSkin()) {
    addMatrix(Affine::Identity(), centre, frame.palette);
    return frame;
  }
  PosedJoints posed;
  poseJoints(character, document.views[view], posed);
  for (const Affine& matrix : posed.worldFromRest) addMatrix(matrix, centre, frame.palette);
  return frame;
}

// Derived from the state, so it is also correct after undo.
wire::Handles handlesOf(const ReducedModel& model, const HandlesState& posed, const Vec3& centre) {
  wire::Handles message;
  for (const double weight : posed.weights) message.activations.push_back(static_cast<float>(weight));
  if (posed.weights.empty()) {
    message.activations.assign(model.exampleCount(), 0);
    if (model.restExample >= 0) message.activations[toSize(model.restExample)] = 1;
  }
  for (const HandleState& handle : posed.handles) {
    const Vec3 place = placeOf(model, posed.controls, handle.vertex);
    message.residuals.push_back(static_cast<float>((place - handle.target).norm()));
    const Vec3 shown = place - centre;
    for (const double x : shown) message.reached.push_back(static_cast<float>(x));
  }
  return message;
}

void addColumn(std::uint32_t vertex, std::span<const Influence> column, wire::Weights& message) {
  message.vertices.push_back(vertex);
  message.counts.push_back(count32(column.size()));
  for (const Influence& influence : column) {
    message.bindings.push_back(influence.binding);
    message.weights.push_back(static_cast<float>(influence.weight));
  }
}

wire::Weights weightsMessage(const SkinWeights& weights, const std::vector<std::uint32_t>& vertices) {
  wire::Weights message;
  for (const std::uint32_t v : vertices) addColumn(v, weights[static_cast<Index>(v)], message);
  return message;
}

}  // namespace sinew::studio
