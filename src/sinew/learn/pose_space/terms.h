// How a pose space is interpolated, chosen by the errors of left-out examples.
#pragma once

#include <string>
#include <vector>

#include "sinew/base/progress.h"
#include "sinew/learn/pose_space.h"

namespace sinew::pose_space {

struct TermOptions {
  bool weighted = false;  ///< only terms that measure by the joints of each group
};

/// Fills `terms` and `shares` of a model that has its deltas and its groups. If one plain interpolation is best
/// everywhere, it becomes `interpolation` and the terms stay empty; groups that nothing needs are removed. Cost: a
/// (examples)^3 inverse per candidate and group.
std::vector<PoseSpaceTrial> chooseTerms(const TermOptions& options, PoseSpaceModel& model,
                                        const Progress& progress = {});

}  // namespace sinew::pose_space
