#include "studio/modes/handles/handle_drag.h"

#include <fmt/format.h>

#include <chrono>

namespace sinew::studio::handles {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<IkHandle> solverHandles(const std::vector<HandleState>& handles) {
  std::vector<IkHandle> list;
  for (const HandleState& handle : handles) list.push_back({static_cast<Index>(handle.vertex), handle.strength});
  return list;
}

Points targetsOf(const std::vector<HandleState>& handles) {
  Points targets(3, static_cast<Index>(handles.size()));
  for (std::size_t h = 0; h < handles.size(); ++h) targets.col(static_cast<Index>(h)) = handles[h].target;
  return targets;
}

/// Passes the handles to the solver, and the pose of the state as its start, whatever was solved before.
IkStart prepare(ReducedIk& ik, const HandlesState& state) {
  ik.setHandles(solverHandles(state.handles));
  if (state.weights.size() != ik.model().exampleCount()) return IkStart::Fresh;
  ik.startFrom(Eigen::Map<const Eigen::VectorXd>(state.weights.data(), static_cast<Index>(state.weights.size())),
               state.turn);
  return IkStart::Warm;
}

void take(const IkResult& result, HandlesState& state) {
  state.controls = result.controls;
  state.weights.assign(result.weights.begin(), result.weights.end());
  state.turn = result.rotation;
}

class HandleDrag final : public DragTarget {
 public:
  HandleDrag(ModeContext& context, ReducedIk& ik, const wire::HandleDragBegin& begin)
      : context_(context),
        ik_(ik),
        before_(context.document().posed),
        centre_(context.space().centre),
        handle_(begin.handle) {
    if (handle_ >= before_.handles.size())
      throw CommandFault("bad-input", fmt::format("there is no handle {}", handle_));
    start_ = prepare(ik_, before_);
  }

  void move(const wire::DragMove& move) override {
    const Vec3 target = Vec3(move.target[0], move.target[1], move.target[2]) + centre_;
    if (!target.allFinite()) throw CommandFault("malformed", "a target is not finite");
    HandlesState posed = context_.document().posed;
    posed.handles[handle_].target = target;
    const auto begin = Clock::now();
    const IkResult& result = ik_.solve(targetsOf(posed.handles), start_);
    start_ = IkStart::Warm;
    take(result, posed);
    const double milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    context_.showHandles(std::move(posed));
    context_.sendViews();
    context_.reportSolve({.milliseconds = milliseconds, .iterations = result.iterations, .draft = result.draft});
  }

  std::optional<Edit> finish(const wire::DragEnd& end) override {
    move({.drag = end.drag, .target = end.target});
    // A press without movement (to 32-bit precision) is not a step.
    const double way = (context_.document().posed.handles[handle_].target - before_.handles[handle_].target).norm();
    if (way < 1e-6 * context_.space().diagonal) {
      cancel();
      return std::nullopt;
    }
    Edit edit{fmt::format("Drag handle {}", handle_ + 1), {HandlesChange{before_, context_.document().posed}}};
    context_.showHandles(before_);
    return edit;
  }

  void cancel() override {
    context_.showHandles(before_);
    context_.sendViews();
  }

 private:
  ModeContext& context_;
  ReducedIk& ik_;
  HandlesState before_;
  Vec3 centre_;
  std::size_t handle_;
  IkStart start_ = IkStart::Fresh;
};

}  // namespace

void solveHandles(ReducedIk& ik, HandlesState& state) {
  const IkStart start = prepare(ik, state);
  take(ik.solve(targetsOf(state.handles), start), state);
}

std::unique_ptr<DragTarget> makeHandleDrag(ModeContext& context, ReducedIk& ik, const wire::HandleDragBegin& begin) {
  return std::make_unique<HandleDrag>(context, ik, begin);
}

}  // namespace sinew::studio::handles
