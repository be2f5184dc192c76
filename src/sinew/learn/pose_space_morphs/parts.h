// A few vertices of a character and of a model as ones of their own: they are posed at the cost of these vertices.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "sinew/character/character.h"
#include "sinew/deform/pose_space.h"

namespace sinew::pose_space_morphs {

/// Skeleton, skin and morph targets of some vertices; without faces and clips.
Character partOf(const Character& character, std::span<const std::uint32_t> vertices);
/// The model on such a character.
std::shared_ptr<const PoseSpaceModel> partOf(const PoseSpaceModel& model, std::span<const std::uint32_t> vertices,
                                             Index vertexCount);

}  // namespace sinew::pose_space_morphs
