// Morph targets at poses (knots): the weight of each is the cardinal function of its pose, as an engine's own
// interpolator has it.
#pragma once

#include "sinew/learn/pose_space_morphs/weighting.h"

namespace sinew::pose_space_morphs {

/// The fewest knots whose morph targets leave at most the asked error over the samples: examples first, then where the
/// error is largest. If the allowed number is not enough, the fewest that are within 2 % of the best.
MorphWeighting chooseMorphKnots(const MorphFit& fit, const PoseSpaceModel& model, const MorphLimits& limits,
                                const Progress& progress);

}  // namespace sinew::pose_space_morphs
