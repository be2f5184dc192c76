// How the roots of a skeleton turn: what is kept in their frames does not feel the body turn in the room.
#pragma once

#include <vector>

#include "sinew/character/character.h"

namespace sinew {

/// The topmost joint above the joint that moves each vertex most.
std::vector<int> rootOfVertices(const Character& character);

/// Per joint the rotation from its rest to where it is; of use for roots, the identity for all others. Allocates only
/// where `turns` must grow.
void rootTurns(const Skeleton& skeleton, const PosedJoints& joints, std::vector<Mat3>& turns);

}  // namespace sinew
