// What the calls of every frame share: checks of their arguments, and the job that kernels take.
#pragma once

#include <span>

#include "sinew/play/kernels.h"
#include "sinew/play/skinning.h"

namespace sinew::detail {

/// Blocks that one thread takes at a time: 4,096 vertices, some microseconds of work.
inline constexpr Index kBlockGrain = 256;

/// Throws in the name of `where` on what does not fit.
SkinJob checkedJob(const char* where, const PackedSkin& skin, std::span<const float> palette, int floatsPerBinding,
                   const SkinOutput& output);

}  // namespace sinew::detail
