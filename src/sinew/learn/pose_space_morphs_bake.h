// Weights of morph targets written into clips, for players that cannot compute them.
#pragma once

#include <cstddef>
#include <string>

#include "sinew/character/character.h"
#include "sinew/character/example_set.h"
#include "sinew/deform/pose_space_morphs.h"

namespace sinew {

struct BakeSettings {
  double framesPerSecond = 30;  ///< the least density of keys
  double tolerance = 0;         ///< scene units: how far linear weights may be from the curve; 0: no more keys
  Eigen::VectorXd sizes;        ///< per knot: the largest displacement of its morph targets
};

/// Gives a clip one channel with the weights of all morph targets: those that it had, resampled, and those of the
/// knots. Nothing where the clip moves no driver and had no weights. Returns its bytes in a file.
std::size_t bakeMorphWeights(const Character& character, const PoseSpaceMorphWeights& weights, const PoseSpace& space,
                             const BakeSettings& settings, Clip& clip);

/// The name, with a number after it where the character has a clip of that name: "examples 2".
std::string freeClipName(const Character& character, const std::string& wanted);

/// A clip that shows the rest pose at 0 s and example k at k s, without the weights of the knots.
Clip examplesClip(const Character& character, const ExampleSet& set, std::string name);

}  // namespace sinew
