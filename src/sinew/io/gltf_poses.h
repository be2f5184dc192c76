// The block SINEW_poses: saved poses (docs/formats.md). Private to the glTF files.
#pragma once

#include <string>
#include <vector>

#include "sinew/io/formats.h"
#include "sinew/io/gltf_document.h"
#include "sinew/io/gltf_read.h"

namespace sinew::gltf {

inline constexpr const char* kPosesBlock = "SINEW_poses";

/// The poses of the block, for the character as it was read. A pose with a missing joint or morph target is ignored
/// with a sentence in `problems`; a damaged block is rejected.
std::vector<SavedPose> readPoses(const Reading& reading, std::vector<std::string>& problems);

/// Writes the poses, or takes the block out where there are none. Returns whether anything changed. Joints are the
/// first nodes of the document, in order.
bool writePoses(Json& root, const Character& character, const std::vector<SavedPose>& poses);

}  // namespace sinew::gltf
