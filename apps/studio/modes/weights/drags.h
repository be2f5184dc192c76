// The drags of the mode Weights: of the skin, and of a brush. Both need a document with a skin.
#pragma once

#include <memory>

#include "sinew/manipulate/drag_weights.h"
#include "studio/modes/mode.h"

namespace sinew::studio::weights {

/// The curve that a drag names. Throws a CommandFault where there is none.
Falloff falloffOf(const wire::DragBegin& begin);

/// Drags vertices of the skin; their weights, and those of a soft selection around them, follow.
std::unique_ptr<DragTarget> makeWeightDrag(ModeContext& context, std::shared_ptr<const DragSurface> surface,
                                           const wire::DragBegin& begin);

/// A brush stroke on the weights. The page says which vertices came under the pointer; which points the brush covers is
/// found here, over the posed surface.
///
/// Add, replace and scale act on the weights at the start of the stroke with the largest share that the brush had at a
/// point, so that a stroke gives the same however many events it came in. Smooth and sharpen act again with every
/// sample: rubbing longer does more. A mirrored stroke is two brushes at once; where both touch a point, the order in
/// which they would act must not matter, so the mean of both orders stands.
std::unique_ptr<DragTarget> makePaintStroke(ModeContext& context, std::shared_ptr<const DragSurface> surface,
                                            const wire::DragBegin& begin);

}  // namespace sinew::studio::weights
