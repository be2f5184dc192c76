// Weighted pose-space deformation: which joints count in a vertex's distances.
#pragma once

#include "sinew/character/character.h"
#include "sinew/deform/pose_space.h"

namespace sinew::pose_space {

/// Fills groupOf and groupWeights of a model for its affected vertices:
///   a_j = max(0.05, 4 s_j (1 - s_j)),  s_j = the skin weights of the joints at and below driver j.
/// `relative`: the joints at both ends of a bone count on its skin besides, and a_j is divided by the largest of the
/// vertex, since what joints count against each other matters there.
/// Rounded so that there are at most `mostGroups` groups.
void groupVertices(const Character& character, int mostGroups, bool relative, PoseSpaceModel& model);

}  // namespace sinew::pose_space
