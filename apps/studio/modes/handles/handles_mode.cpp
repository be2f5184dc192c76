#include "studio/modes/handles/handles_mode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "studio/modes/handles/handle_drag.h"
#include "studio/modes/handles/learn_model.h"

namespace sinew::studio::handles {
namespace {

constexpr double kMostStrength = 1000;
/// Of one solve: the page wants an answer within a frame.
constexpr double kSolveBudget = 0.008;

}  // namespace

std::span<const CommandRow> HandlesMode::commands() const {
  static constexpr CommandRow kCommands[] = {
      command<&HandlesMode::learn>(),       command<&HandlesMode::place>(),       command<&HandlesMode::remove>(),
      command<&HandlesMode::pin>(),         command<&HandlesMode::unpinAll>(),    command<&HandlesMode::move>(),
      command<&HandlesMode::reset>(),       command<&HandlesMode::setStrength>(), command<&HandlesMode::addKey>(),
      command<&HandlesMode::goToKey>(),     command<&HandlesMode::removeKey>(),   command<&HandlesMode::moveKey>(),
      command<&HandlesMode::setEasing>(),   command<&HandlesMode::showTime>(),    command<&HandlesMode::exportClip>(),
      command<&HandlesMode::showExample>(),
  };
  return kCommands;
}

std::span<const DragRow> HandlesMode::drags() const {
  static constexpr DragRow kDrags[] = {drag<&HandlesMode::beginDrag>()};
  return kDrags;
}

void HandlesMode::opened(const std::shared_ptr<const void>& /*prepared*/) {
  ik_.reset();
  keyed_.reset();
}

void HandlesMode::edited(const Edit& edit) noexcept {
  for (const Change& change : edit.changes) {
    if (std::holds_alternative<KeysChange>(change) || std::holds_alternative<CharacterChange>(change)) keyed_.reset();
  }
}

ReducedIk& HandlesMode::ik() {
  context_.requireDocument();
  const auto& model = context_.document().file.reduced;
  if (!model)
    throw CommandFault("no-model", "there is no reduced model yet", "Learn one from the example meshes first.");
  if (!ik_ || &ik_->model() != model.get()) {
    IkOptions options;
    options.budgetSeconds = kSolveBudget;
    ik_ = std::make_unique<ReducedIk>(model, options);
  }
  return *ik_;
}

std::unique_ptr<DragTarget> HandlesMode::beginDrag(const wire::HandleDragBegin& begin) {
  return makeHandleDrag(context_, ik(), begin);
}

/// A mesh without a skin is replaced by the model, as a step. A character is kept; its model becomes a separate
/// document.
void HandlesMode::adopt(const CharacterFile& model) {
  const Character& character = context_.document().file.character;
  const bool bare = !hasWeights(character) && character.clips.empty() && character.morphs.empty();
  if (!bare) return context_.openModel(model);
  context_.commitCharacter("Learn a reduced model", model);
}

wire::HandlesLearnAnswer HandlesMode::learn(const wire::HandlesLearnCommand& asked) {
  context_.requireDocument();
  const int controls = asked.controls;
  const LearnSource source{.about = context_.about(),
                           .file = context_.document().file,
                           .scratch = context_.scratchFile(".glb"),
                           .sampleVertices = context_.sampleVertices(),
                           .rules = context_.rulesFor(context_.about().value("path", ""))};
  auto learning = std::make_shared<Learning>();
  const auto work = [source, controls, learning](const sinew::Progress& progress) {
    *learning = learnModel(source, controls, progress);
  };
  const auto done = [this, learning](bool same) {
    // A model of a document that is no longer open is dropped with a message to the user.
    if (!same)
      throw CommandFault("gone", "Another document was opened while the model was learned, so it was not kept.");
    adopt(learning->file);
    return learning->sentence;
  };
  return {.job = context_.startJob("learn", work, done)};
}

/// Commits the shape that the handles ask for as a step.
void HandlesMode::commitHandles(const std::string& name, std::vector<HandleState> handles) {
  HandlesState after = context_.document().posed;
  after.handles = std::move(handles);
  solveHandles(ik(), after);
  context_.commit({name, {HandlesChange{context_.document().posed, std::move(after)}}});
}

wire::HandlesPlaceAnswer HandlesMode::place(const wire::HandlesPlaceCommand& asked) {
  const ReducedModel& model = ik().model();
  const std::uint32_t vertex = asked.vertex;
  if (static_cast<Index>(vertex) >= model.rest.cols())
    throw CommandFault("bad-input", fmt::format("there is no vertex {}", vertex));
  HandlesState state = context_.document().posed;
  if (std::any_of(state.handles.begin(), state.handles.end(), [&](const auto& h) { return h.vertex == vertex; }))
    throw CommandFault("bad-input", fmt::format("vertex {} has a handle already", vertex));
  // The current position of the vertex: placing a handle moves nothing.
  state.handles.push_back({vertex, placeOf(model, state.controls, vertex), false, 0});
  context_.commit({fmt::format("Place a handle at vertex {}", vertex),
                   {HandlesChange{context_.document().posed, std::move(state)}}});
  return {.handle = static_cast<std::uint32_t>(context_.document().posed.handles.size() - 1)};
}

std::size_t HandlesMode::checkedHandle(std::size_t handle) const {
  context_.requireDocument();
  if (handle >= context_.document().posed.handles.size())
    throw CommandFault("bad-input", fmt::format("there is no handle {}", handle));
  return handle;
}

void HandlesMode::remove(const wire::HandlesRemoveCommand& asked) {
  const std::size_t handle = checkedHandle(asked.handle);
  std::vector<HandleState> handles = context_.document().posed.handles;
  handles.erase(handles.begin() + static_cast<std::ptrdiff_t>(handle));
  commitHandles(fmt::format("Remove handle {}", handle + 1), std::move(handles));
}

void HandlesMode::pin(const wire::HandlesPinCommand& asked) {
  const std::size_t handle = checkedHandle(asked.handle);
  HandlesState state = context_.document().posed;
  state.handles[handle].pinned = asked.pinned;
  context_.commit({state.handles[handle].pinned ? "Pin a handle" : "Unpin a handle",
                   {HandlesChange{context_.document().posed, std::move(state)}}});
}

void HandlesMode::unpinAll(const wire::HandlesUnpinCommand& /*asked*/) {
  context_.requireDocument();
  HandlesState state = context_.document().posed;
  if (std::none_of(state.handles.begin(), state.handles.end(), [](const HandleState& h) { return h.pinned; })) return;
  for (HandleState& handle : state.handles) handle.pinned = false;
  context_.commit({"Unpin all handles", {HandlesChange{context_.document().posed, std::move(state)}}});
}

/// Moves a handle to a typed position.
void HandlesMode::move(const wire::HandlesMoveCommand& asked) {
  const std::size_t handle = checkedHandle(asked.handle);
  std::vector<HandleState> handles = context_.document().posed.handles;
  handles[handle].target = Vec3(asked.target[0], asked.target[1], asked.target[2]);
  if (!handles[handle].target.allFinite()) throw CommandFault("bad-input", "a target is not finite");
  commitHandles(fmt::format("Move handle {}", handle + 1), std::move(handles));
}

void HandlesMode::setStrength(const wire::HandlesStrengthCommand& asked) {
  const std::size_t handle = checkedHandle(asked.handle);
  const double strength = asked.strength;
  if (!(strength >= 0 && strength <= kMostStrength))
    throw CommandFault("bad-input", fmt::format("a strength of {}; it is 0 (exact) to {}", strength, kMostStrength));
  std::vector<HandleState> handles = context_.document().posed.handles;
  handles[handle].strength = strength;
  commitHandles(fmt::format("Strength of handle {}", handle + 1), std::move(handles));
}

void HandlesMode::reset(const wire::HandlesResetCommand& /*asked*/) {
  context_.requireDocument();
  commitShape("Reset pose", {});
}

void HandlesMode::commitShape(const std::string& name, HandlesState shape) {
  const ReducedModel& model = ik().model();
  shape.handles = context_.document().posed.handles;
  for (HandleState& handle : shape.handles) handle.target = placeOf(model, shape.controls, handle.vertex);
  context_.commit({name, {HandlesChange{context_.document().posed, std::move(shape)}}});
}

void HandlesMode::showExample(const wire::HandlesExampleCommand& asked) {
  const ReducedModel& model = ik().model();
  const std::size_t example = asked.example;
  if (example >= model.exampleCount()) throw CommandFault("bad-input", fmt::format("there is no example {}", example));
  HandlesState shape;
  for (const Affine& control : model.controls[example])
    shape.controls.push_back(model.inputFromAligned[example] * control);
  shape.weights.assign(model.exampleCount(), 0);
  shape.weights[example] = 1;
  shape.turn = Quat(model.inputFromAligned[example].linear());
  const std::string name = model.names[example].empty() ? std::to_string(example + 1) : model.names[example];
  commitShape(fmt::format("Show example {}", name), std::move(shape));
}

}  // namespace sinew::studio::handles
