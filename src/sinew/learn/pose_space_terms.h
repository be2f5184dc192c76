// How a pose space is interpolated, chosen by the errors of left-out examples.
#pragma once

#include <string>
#include <vector>

#include "sinew/base/progress.h"
#include "sinew/deform/pose_space.h"

namespace sinew {

/// An interpolation that was tried.
struct PoseSpaceTrial {
  std::string name;        ///< "joint-even, local 0.03"
  std::string kernel;      ///< as math/rbf names it
  double leaveOneOut = 0;  ///< rms over vertices and examples where it alone predicts each example, scene units
  double share = 0;        ///< of the mixture that is used, mean over the vertices by the size of their corrections
};

struct TermOptions {
  bool weighted = false;  ///< only terms that measure by the joints of each group
};

/// Fills `terms` and `shares` of a model that has its deltas and its groups. If one plain interpolation is best
/// everywhere, it becomes `interpolation` and the terms stay empty; groups that nothing needs are removed. Cost: a
/// (examples)^3 inverse per candidate and group.
std::vector<PoseSpaceTrial> chooseTerms(const TermOptions& options, PoseSpaceModel& model,
                                        const Progress& progress = {});

}  // namespace sinew
