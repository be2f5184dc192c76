// A mesh takes over the skeleton of another character.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sinew/character/character.h"

namespace sinew {

/// Joints of a rig that may move vertices: those bound by its skins or, if it has no skin, all joints that place no
/// mesh. Helper joints are excluded: they were made for the skin that they came with.
std::vector<int> deformingJoints(const Character& rig);

struct AttachResult {
  Character character;
  std::vector<int> joints;  ///< the requested joints, as numbered in `character`
};

/// `character` with the requested joints of `rig`, their ancestors, and those clips and helper rules of the rig that
/// move them. Joints that the character already has, with the same names and positions, are reused; otherwise all are
/// appended.
AttachResult attachSkeleton(const Character& character, const Character& rig, std::span<const int> wanted);

}  // namespace sinew
