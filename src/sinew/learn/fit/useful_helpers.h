// Helper joints that earn their keep: chosen by what they do for examples that the fit did not see.
#pragma once

#include <vector>

#include "sinew/base/progress.h"
#include "sinew/learn/fit/weights.h"
#include "sinew/learn/helper_joints.h"

namespace sinew::fit {

/// The character with only the helpers that lower the error of left-out examples by more than the threshold, and no
/// more than `most` (backward elimination: the least useful goes first; within a budget also the best first). Gains are
/// measured beside what is kept; within a budget each must also lower the sum over all left-out examples by a quarter
/// of the threshold. With fewer than two examples that count nothing can be left out, and none is kept. `most` 0:
/// nothing is proposed.
Character withUsefulHelpers(const Character& character, const ExampleSet& set, const HelperOptions& options,
                            const WeightOptions& weights, std::vector<HelperTrial>& trials,
                            const Progress& progress = {});

/// The choice of withUsefulHelpers made again by other examples (fewer: the rest has the confidence 0), among those
/// that it kept. `extended` is its result, `trials` what it tried.
Character withHelpersChosenAgain(const Character& character, const Character& extended, const ExampleSet& set,
                                 const HelperOptions& options, const WeightOptions& weights,
                                 const std::vector<HelperTrial>& trials, const Progress& progress = {});

}  // namespace sinew::fit
