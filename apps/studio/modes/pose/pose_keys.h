// Keys of poses: a clip that the studio writes, in which every channel has a key at the same moments.
#pragma once

#include <optional>

#include "sinew/character/character.h"

namespace sinew::studio::pose {

/// The index of the clip that holds the keys; none: it does not exist yet. Clips from a file are not changed, unless
/// they were written by the studio.
std::optional<std::size_t> keyedClip(const Character& character);

/// An unused clip name.
std::string keyedClipName(const Character& character);

/// Sets the key at `time`, replacing an existing one. Joints that are at rest in all keys get no channels, nor do
/// meshes whose morph targets have their default weights in all keys.
void setKey(const Character& character, const Pose& pose, double time, Clip& clip);

/// False if there is no key at `time`. A clip without keys has no channels.
bool removeKey(double time, Clip& clip);

}  // namespace sinew::studio::pose
