// Chooses the options of a pose space by the errors of left-out examples.
#pragma once

#include <string>
#include <vector>

#include "sinew/base/progress.h"
#include "sinew/character/character.h"
#include "sinew/character/example_source.h"
#include "sinew/learn/pose_space.h"

namespace sinew {

/// Options that were tried.
struct PoseSpaceTuningTrial {
  std::string name;          ///< what differs from the best options before: "kernel gaussian, radius 0.8"
  PoseSpaceOptions options;  ///< as they were tried
  Index rank = 0;            ///< of what was learned
  Index centres = 0;
  double leaveOneOut = 0;         ///< rms over all vertices and examples, scene units; infinite if it failed
  double leaveOneOutPercent = 0;  ///< of the diagonal of the rest shape
  bool chosen = false;            ///< the options that were better than all before it
};

struct PoseSpaceTuning {
  PoseSpaceOptions options;  ///< the best
  std::vector<PoseSpaceTuningTrial> trials;
};

/// Tries kernels, radii, weighting, ridges, and of many examples ranks and centres, one after the other; what `options`
/// sets to something other than its default stays as it is. An option changes only where that lowers the error by more
/// than 2 percent, so examples that are best matched stay matched. Measures at up to 2,000 vertices: the cost grows
/// with the examples, not with the mesh. Throws as learnPoseSpace.
PoseSpaceTuning tunePoseSpace(const Character& character, ExampleSource& examples, const PoseSpaceOptions& options = {},
                              const Progress& progress = {});

}  // namespace sinew
