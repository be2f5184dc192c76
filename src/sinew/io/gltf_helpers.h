// The block SINEW_helper_joints: the rules of helper joints, in addition to the keys for other programs
// (docs/formats.md). Private to the glTF files.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sinew/io/gltf_document.h"
#include "sinew/io/gltf_read.h"

namespace sinew::gltf {

inline constexpr const char* kHelperBlock = "SINEW_helper_joints";

/// Fills reading.character.helpers from the block. If joints of a rule are missing or have a different parent, all
/// rules are ignored with a sentence in `problems`: the joints still play by their keys. A damaged block is rejected.
void readHelpers(Reading& reading);

/// Writes the rules of the character, and those that VRMC_node_constraint can express. Joints of `before` that are no
/// longer helpers lose theirs. Returns whether anything changed. Joints are the first nodes of the document, in order.
bool writeHelpers(Json& root, const Character& character, std::span<const HelperJoint> before);

}  // namespace sinew::gltf
