// Weights of morph targets written into clips, for players that cannot compute them.
#pragma once

#include <cstddef>
#include <string>

#include "sinew/base/progress.h"
#include "sinew/character/character.h"
#include "sinew/character/example_set.h"
#include "sinew/deform/pose_space_morphs.h"
#include "sinew/learn/pose_space_morphs/project.h"

namespace sinew::pose_space_morphs {

struct BakeSettings {
  double framesPerSecond = 30;  ///< the least density of keys
  double tolerance = 0;         ///< scene units: how far linear weights may be from the curve; 0: no more keys
  Eigen::VectorXd sizes;        ///< per weight: the largest displacement of its morph targets
};

/// Gives a clip one channel with the weights of all morph targets: those that it had, resampled, and those of
/// the model. Keys are where linear interpolation of computed weights needs them; with a `projection` their values are
/// its weights. Nothing where the clip moves no driver and had no weights. Returns its bytes in a file.
std::size_t bakeMorphWeights(const Character& character, const PoseSpaceMorphWeights& weights, const PoseSpace& space,
                             MorphProjection* projection, const BakeSettings& settings, const Progress& progress,
                             Clip& clip);

}  // namespace sinew::pose_space_morphs
