// The block SINEW_helper_joints: the rules that helper joints follow, beside the keys that play them elsewhere
// (docs/formats.md). Private to the glTF files of this room.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sinew/io/gltf_document.h"
#include "sinew/io/gltf_read.h"

namespace sinew::gltf {

inline constexpr const char* kHelperBlock = "SINEW_helper_joints";

/// Fills reading.character.helpers from the block. If the joints of a rule are gone, or no longer stand where it needs
/// them, all rules are left out with a sentence in `problems`: the joints still play by their keys. A damaged block is
/// rejected.
void readHelpers(Reading& reading);

/// Writes the rules of the character, and the rules that other programs know as VRMC_node_constraint: joints of
/// `before` that are no helpers any more lose theirs. Returns whether anything changed. Joints are the first nodes of
/// the document, in order.
bool writeHelpers(Json& root, const Character& character, std::span<const HelperJoint> before);

}  // namespace sinew::gltf
