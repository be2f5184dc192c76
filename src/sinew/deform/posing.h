// What plays: morph targets, the skin, and what was learned. Commands, tests and viewers all pose through here.
#pragma once

#include <memory>
#include <vector>

#include "sinew/character/character.h"
#include "sinew/deform/deformer.h"
#include "sinew/deform/pose_space.h"

namespace sinew {

/// What a character has learned.
struct Learned {
  std::shared_ptr<const PoseSpaceModel> poseSpace;  ///< or null: plain skinning
  /// Morph targets that imitate the above in viewers that cannot play it: they stay at 0.
  std::vector<int> imitations;
};

/// Owns the memory for repeated posing: no allocation after the first call. Keeps a reference to the character.
class CharacterPoser {
 public:
  /// `deformer` replaces the linear blend (or the base operator of a learned model); null: linear blend of the
  /// character's own weights, or nothing if it has no skin.
  explicit CharacterPoser(const Character& character, DeformerPtr deformer = nullptr, Learned learned = {});

  /// Posed vertices in world space, valid until the next call.
  const Points& pose(const Pose& pose);

 private:
  const Character& character_;
  DeformerPtr deformer_;
  Learned learned_;
  std::unique_ptr<PoseSpaceDeformer> poseSpace_;
  PoseSpaceScratch memory_;
  std::vector<double> morphWeights_;
  PosedJoints joints_;
  DeformScratch scratch_;
  Points morphed_;
  Points posed_;
};

/// One pose with its own memory.
Points posePoints(const Character& character, const Pose& pose, const DeformerPtr& deformer = nullptr,
                  const Learned& learned = {});

}  // namespace sinew
