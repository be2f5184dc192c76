// Morph targets whose numbers fit 16 bits.
#pragma once

#include "sinew/character/character.h"
#include "sinew/deform/pose_space.h"

namespace sinew::pose_space_morphs {

/// Divides targets by their largest number and rounds them to fractions of 16 bits; the mixing of the weights takes up
/// the scale. Normals that would make displacements coarser than a hundred-thousandth of the diagonal stay as they are.
void quantizeMorphs(double diagonal, PoseSpaceMorphs& morphs, Character& character);

}  // namespace sinew::pose_space_morphs
