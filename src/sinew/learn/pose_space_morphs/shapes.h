// Morph targets by singular value decomposition: few shapes that all sampled corrections are mixed from.
#pragma once

#include "sinew/learn/pose_space_morphs/weighting.h"

namespace sinew::pose_space_morphs {

/// The fewest shapes that leave at most the asked error over the samples; if the allowed number is not enough, the
/// fewest that are within 2 % of the best. Each weight is a mixture of the cardinal functions of the model's examples
/// and, of few examples, of poses between them. Its largest value over the samples is 1.
MorphWeighting chooseMorphShapes(const MorphFit& fit, const PoseSpaceModel& model, const MorphLimits& limits,
                                 const Progress& progress);

}  // namespace sinew::pose_space_morphs
