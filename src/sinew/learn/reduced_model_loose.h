// Small pieces that hang on nothing: buttons, eyes, teeth.
#pragma once

#include <vector>

#include "sinew/learn/reduced_model_clusters.h"

namespace sinew {

/// Groups below `leastArea` without a neighbour join the control that carries them with the least error, where that is
/// small (1 % of the diagonal, root mean square); others keep a control of their own. Returns how many joined.
Index joinLoosePieces(const ReducedSurface& surface, const TriangleGraph& graph, const RotationFeatures& features,
                      const Points& rest, const std::vector<Points>& aligned, double leastArea, ControlGroups& groups);

/// Numbers the groups along the longest side of the rest's box, so that names follow the body.
void orderGroups(const ReducedSurface& surface, const Points& rest, ControlGroups& groups);

}  // namespace sinew
