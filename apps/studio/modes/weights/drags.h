// The drags of the mode Weights: skin drags and brush strokes. Both need a document with a skin.
#pragma once

#include <memory>

#include "sinew/manipulate/drag_weights.h"
#include "studio/modes/mode.h"

namespace sinew::studio::weights {

/// Drags vertices of the skin by changing their weights and those of the soft selection around them.
std::unique_ptr<DragTarget> makeWeightDrag(ModeContext& context, std::shared_ptr<const DragSurface> surface,
                                           const wire::WeightDragBegin& begin);

/// A brush stroke on the weights. The page sends the vertices under the pointer; the points that the brush covers are
/// found here, on the posed surface.
///
/// Add, replace and scale act on the weights at the start of the stroke with the largest share that the brush had at a
/// point, so the result of a stroke does not depend on the number of its events. Smooth and sharpen act again with
/// every sample: a longer stroke has more effect. A mirrored stroke is two brushes at once; where both touch a point,
/// the result is the mean of both orders, so that the order does not matter.
std::unique_ptr<DragTarget> makePaintStroke(ModeContext& context, std::shared_ptr<const DragSurface> surface,
                                            const wire::PaintBegin& begin);

}  // namespace sinew::studio::weights
