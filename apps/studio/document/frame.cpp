#include "studio/document/frame.h"

#include <algorithm>

#include "sinew/deform/placed_mesh.h"

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

/// The matrices of the bindings that an instance replaces.
void addInstance(const DrawnInstance& drawn, const PosedJoints& posed, const Vec3& centre,
                 std::vector<float>& palette) {
  std::uint32_t binding = drawn.firstBinding;
  const auto addOwn = [&](std::uint32_t end) {
    for (; binding < end; ++binding) addMatrix(posed.worldFromRest[binding], centre, palette);
  };
  for (const BindingSwap& swap : drawn.instance.swaps) {
    addOwn(swap.from);
    addMatrix(posed.worldFromJoint[toSize(swap.to.joint)] * swap.to.jointFromRest, centre, palette);
    ++binding;
  }
  addOwn(drawn.firstBinding + drawn.bindingCount);
}

/// A range of morph targets.
struct TargetRange {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// Those of a range that have a weight; `place` is 0 for first instances, 1 + index for a further one.
void addTargets(std::span<const double> weights, std::size_t place, TargetRange range, const DrawnCharacter& drawn,
                wire::Frame& frame) {
  for (std::size_t m = range.first; m < std::min(range.first + range.count, drawn.morphs); ++m) {
    const auto weight = static_cast<float>(weights[m]);
    if (weight == 0) continue;
    frame.targets.push_back(count32(place * drawn.morphs + m));
    frame.targetWeights.push_back(weight);
  }
}

/// A further instance keeps the weights of its node, but for those that follow its joints.
void addTargetsOfInstance(const Character& character, const DrawnCharacter& drawn, std::size_t index, const Pose& pose,
                          wire::Frame& frame) {
  const MeshInstance& instance = drawn.instances[index].instance;
  const TargetRange range{toSize(instance.firstMorph), instance.morphWeights.size()};
  if (range.count == 0) return;
  Pose shown{{}, pose.morphWeights};
  if (drawn.correctives) {
    shown = poseOfInstance(character, pose, instance);
    drawn.correctives->apply(character.skeleton, shown);
  }
  const auto imitates = [&](std::size_t morph) {
    if (!drawn.correctives) return false;
    const std::vector<int>& morphs = drawn.correctives->morphs().morphs;
    return std::find(morphs.begin(), morphs.end(), static_cast<int>(morph)) != morphs.end();
  };
  for (std::size_t m = 0; m < range.count; ++m) {
    if (!imitates(range.first + m)) shown.morphWeights[range.first + m] = instance.morphWeights[m];
  }
  addTargets(shown.morphWeights, index + 1, range, drawn, frame);
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

bool hasWeights(const Character& character) {
  const auto& parts = character.mesh.parts;
  return character.hasSkin() &&
         (parts.empty() || std::any_of(parts.begin(), parts.end(), [](const MeshPart& part) { return part.skinned; }));
}

wire::Frame frameOf(const Document& document, const DrawnCharacter& drawn, std::uint32_t view) {
  const Vec3& centre = drawn.space.centre;
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
  const Pose pose = drawnPose(character, drawn, document.views[view]);
  addTargets(pose.morphWeights, 0, {0, drawn.morphs}, drawn, frame);
  if (!character.hasSkin()) {
    addMatrix(Affine::Identity(), centre, frame.palette);
    return frame;
  }
  PosedJoints posed;
  poseJoints(character, pose, posed);
  for (const Affine& matrix : posed.worldFromRest) addMatrix(matrix, centre, frame.palette);
  for (std::size_t i = 0; i < drawn.instances.size(); ++i) {
    addInstance(drawn.instances[i], posed, centre, frame.palette);
    addTargetsOfInstance(character, drawn, i, posed.pose, frame);
  }
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
