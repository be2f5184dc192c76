// Rotations of the roots of a skeleton. Corrections in their frames do not depend on the orientation of the body.
#pragma once

#include <vector>

#include "sinew/character/character.h"

namespace sinew {

/// The topmost joint above the joint that moves each vertex most.
std::vector<int> rootOfVertices(const Character& character);

/// Per joint the rotation relative to rest; for roots, the identity for all others. Allocates only if `turns` must
/// grow.
void rootTurns(const Skeleton& skeleton, const PosedJoints& joints, std::vector<Mat3>& turns);

}  // namespace sinew
