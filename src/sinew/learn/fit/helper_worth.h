// What helper joints are worth at examples that a fit did not have, and which of them stay.
#pragma once

#include <vector>

#include "sinew/base/progress.h"
#include "sinew/learn/fit/weights.h"
#include "sinew/learn/helper_joints.h"

namespace sinew::fit {

/// Decides which of the helpers of `all`, which `character` does not have, are kept: sets `kept` and `gain` of the
/// trials, which are in the same order.
void selectHelpers(const Character& character, const Character& all, const ExampleSet& set,
                   const HelperOptions& options, const WeightOptions& weights, std::vector<HelperTrial>& trials,
                   const Progress& progress);

}  // namespace sinew::fit
