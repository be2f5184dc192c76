// Checks clips against their character. Private to io.
#pragma once

#include "sinew/character/character.h"

namespace sinew {

/// Joints, morph targets, sizes, times and values of every channel; throws an Error that names the first fault. Times
/// rise, from 0 on where `fromZero`: glTF has no others.
void checkClips(const Character& character, bool fromZero = true);

}  // namespace sinew
