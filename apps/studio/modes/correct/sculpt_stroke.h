// A sculpting stroke on the posed skin. The page sends the vertices under the pointer; what the brush covers is found
// here, on the surface as it is sculpted.
//
// Grab moves what was under the brush at its start with the pointer. The other brushes act again with every sample: a
// longer stroke has more effect. A mirrored stroke is a second brush at the mirror image of its centre; a grab is
// mirrored in the rest pose, so that it also fits a pose that is not symmetric.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "studio/modes/correct/sculpt_surface.h"
#include "studio/modes/mode.h"

namespace sinew::studio::correct {

struct SculptStart {
  std::uint32_t view = 0;
  std::shared_ptr<const SculptSurface> surface;
  Points shape;  ///< before the stroke
  Points plain;  ///< plain skin at the same pose, for the eraser
  Points drawn;  ///< what the page draws by itself
  /// The rotations of the skin at a vertex, from the rest pose; for mirrored grabs.
  std::function<Mat3(std::uint32_t vertex)> rotation = {};
  /// Makes the step from the sculpted shape and the number of points that it moves.
  std::function<Edit(Points shape, std::size_t count)> edit = {};
};

std::unique_ptr<DragTarget> makeSculptStroke(ModeContext& context, SculptStart start, const wire::SculptBegin& begin);

}  // namespace sinew::studio::correct
