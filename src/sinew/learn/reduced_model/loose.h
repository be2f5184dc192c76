// Small separate pieces (buttons, eyes, teeth), and the order of groups.
#pragma once

#include <vector>

#include "sinew/learn/reduced_model/clusters.h"

namespace sinew::reduced_model {

/// Joins separate pieces below `leastArea` of the whole to the triangles of larger ones that stay nearest to them in
/// all examples, if these move them within 2 % of the diagonal (rms): then they belong to that part of the body. Others
/// become controls of their own. Returns how many were joined.
Index attachLoosePieces(const ReducedSurface& surface, const Points& rest, const std::vector<Points>& aligned,
                        double leastArea, TriangleGraph& graph);

/// Numbers the groups along the longest side of the rest's box, so that names follow the body.
void orderGroups(const ReducedSurface& surface, const Points& rest, ControlGroups& groups);

}  // namespace sinew::reduced_model
