// Weighted pose-space deformation: which joints count in a vertex's distances.
#pragma once

#include "sinew/character/character.h"
#include "sinew/deform/pose_space.h"

namespace sinew {

/// Fills groupOf and groupWeights of a model for its touched vertices:
///   a_j = max(0.05, 4 s_j (1 - s_j)),  s_j = the skin weights of the joints at and below driver j.
/// Rounded so that there are at most `mostGroups` groups.
void groupVertices(const Character& character, int mostGroups, PoseSpaceModel& model);

}  // namespace sinew
