// The transforms of controls: per group of triangles and example, the affine map nearest to its motion.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/learn/reduced_model/checks.h"

namespace sinew::reduced_model {

/// Least squares over the triangles' centroids by area, with a ridge towards the best rotation: an infinite ridge gives
/// rotations. Per example, per control. An example equal to the rest gives identities exactly. Where a map mirrors or
/// stretches beyond 0.25 to 3, its ridge grows until it does not.
std::vector<std::vector<Affine>> controlTransforms(const ReducedSurface& surface, const Points& rest,
                                                   std::span<const Points> aligned,
                                                   std::span<const std::uint32_t> labels, Index controls, double ridge);

}  // namespace sinew::reduced_model
