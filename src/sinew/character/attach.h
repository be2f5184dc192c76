// A mesh takes over the skeleton of another character.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sinew/character/character.h"

namespace sinew {

/// Joints of a rig that may move vertices: those its skins bind, or, if it has no skin, all that place no mesh. Helper
/// joints are none of them: they were made for the skin that they came with.
std::vector<int> deformingJoints(const Character& rig);

struct AttachResult {
  Character character;
  std::vector<int> joints;  ///< the wanted joints, as numbered in `character`
};

/// `character` with the wanted joints of `rig`, their ancestors, and the rig's clips and rules of helper joints as far
/// as they move those. Joints that the character already has under the same names, at the same places, are used as they
/// are; otherwise all are added behind its own.
AttachResult attachSkeleton(const Character& character, const Character& rig, std::span<const int> wanted);

}  // namespace sinew
