// Proposes helper joints where examples bend and twist a character, and keeps the useful ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/character/character.h"
#include "sinew/character/example_set.h"
#include "sinew/character/mirror.h"

namespace sinew {

struct HelperOptions {
  bool half = true;  ///< also twist and bend joints where an example twists a bone
  bool bulge = true;
  double leastTurn = 15;    ///< degrees: joints that no example rotates farther get none
  double leastGain = 0.01;  ///< a helper must lower some left-out example's squared error by this share of what it was
  double leastShare = 0;    ///< and the sum over all left-out examples by this share
  int most = -1;            ///< keep at most so many, the most useful; -1: as many as are useful
  Index mostPoints = 1500;  ///< larger meshes are sampled: what a joint is worth needs no more points
  std::optional<double> prior{};  ///< strength of the pull to the own weights in natural units; none: by left-out error
  const MirrorMap* mirror = nullptr;  ///< of a symmetric character: helpers are proposed on both sides, and the two of
                                      ///< a pair stay or go together
  double grow = 4;                    ///< k of growing bulges
  double shrink = -0.9;               ///< k of shrinking ones
};

/// A helper that was tried.
struct HelperTrial {
  HelperJoint helper;  ///< joint is -1 if it was not kept
  std::string name;    ///< "elbow_half", "elbow_bulge_upper_y_grow": sorts next to its source
  std::string rule;    ///< for display
  double gain = 0;     ///< how much higher the leave-one-out squared error of some example is without it, as a share of
                       ///< the original error (above 1: worse than the original); of a mirror pair, without both
  bool kept = false;
  bool paired = false;  ///< one of a mirror pair, which is kept or removed together
  bool noRoom = false;  ///< useful, but excluded by `most`
};

/// The character with every helper that the rules propose, without weights on them yet: joints, bindings (in every skin
/// that the source has), rules. Joints are appended, so all old numbers stay. Sources are the joints that move skin,
/// have a parent and do not carry the whole body, where some example turns them by `leastTurn`. A bulge joint scales
/// across a bone: y in the plane of the source's bend, z along its hinge.
Character withHelpers(const Character& character, const ExampleSet& set, const HelperOptions& options,
                      std::vector<HelperTrial>& trials);

/// The examples with poses of `character`: appended joints follow their rules.
ExampleSet withHelperPoses(const Character& character, ExampleSet set);

/// Gives every clip keys for the helper joints, dense enough that linear keys stay within `tolerance` (in diagonals) of
/// the rule, at least `framesPerSecond`. Old keys of helpers are replaced.
void bakeHelpers(Character& character, double framesPerSecond = 30, double tolerance = 1e-4);

}  // namespace sinew
