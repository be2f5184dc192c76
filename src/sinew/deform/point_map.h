// An operator as a black box: points in, deformed points out, at one fixed pose. Inversion needs nothing else.
#pragma once

#include <functional>

#include "sinew/character/character.h"
#include "sinew/deform/deformer.h"

namespace sinew {

/// One call moves the whole mesh. `moved` is resized by the map; it never is `rest` itself. Calls come one after the
/// other, so a map may keep memory between them.
using PointMap = std::function<void(const Points& rest, Points& moved)>;

/// An operator, or a stack of them, at one pose. Throws on null.
PointMap posedMap(DeformerPtr deformer, PosedJoints joints);

}  // namespace sinew
