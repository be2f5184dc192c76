// Posing by handles: the solver for a state, and the drag of one handle.
#pragma once

#include <memory>

#include "sinew/manipulate/reduced_ik.h"
#include "studio/modes/mode.h"

namespace sinew::studio::handles {

/// The state solved for its handles, starting from its current pose.
void solveHandles(ReducedIk& ik, HandlesState& state);

/// `ik` must outlive it.
std::unique_ptr<DragTarget> makeHandleDrag(ModeContext& context, ReducedIk& ik, const wire::HandleDragBegin& begin);

}  // namespace sinew::studio::handles
