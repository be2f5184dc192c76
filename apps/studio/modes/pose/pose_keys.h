// Keys of poses: a clip that the studio writes, in which every channel has a key at the same moments.
#pragma once

#include <optional>

#include "sinew/character/character.h"

namespace sinew::studio::pose {

/// The clip that keys go to, by its place among the character's clips; none: it is not there yet. Clips that came with
/// a file are not touched, unless they are such clips themselves.
std::optional<std::size_t> keyedClip(const Character& character);

/// A name that no clip has yet.
std::string keyedClipName(const Character& character);

/// Puts `pose` at `time`, in the place of a key that is there. Joints that never left the rest get no channels.
void setKey(const Character& character, const Pose& pose, double time, Clip& clip);

/// False: there is no key at `time`. Without keys a clip has no channels.
bool removeKey(double time, Clip& clip);

}  // namespace sinew::studio::pose
