// The paragraph of a triage.
#pragma once

#include <string>
#include <vector>

#include "sinew/learn/fit.h"

namespace sinew::fit {

/// What is worth doing, in plain words. `whyNoCorrectives`: the reason where that stage is missing.
std::string fitAdvice(const FitExplanation& explanation, const std::vector<HelperTrial>& helpers, double diagonal,
                      const std::string& whyNoCorrectives);

}  // namespace sinew::fit
