// The rows of the blocks, each defined in the file of its name.
#pragma once

#include "sinew/io/gltf/blocks/block.h"

namespace sinew::gltf {

extern const BlockRow kHelperJointsRow;
extern const BlockRow kPosesRow;
extern const BlockRow kPoseSpaceRow;
extern const BlockRow kReducedModelRow;
extern const BlockRow kRestShapeRow;

}  // namespace sinew::gltf
