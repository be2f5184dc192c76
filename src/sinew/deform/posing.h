// What plays: morph targets, then the skin. Commands, tests and viewers all pose through here.
#pragma once

#include "sinew/character/character.h"
#include "sinew/deform/deformer.h"

namespace sinew {

/// Holds the memory of repeated posing: no allocation after the first call. Keeps a reference to the character.
class CharacterPoser {
 public:
  /// `deformer` takes the place of the linear blend; null: linear blend of the character's own weights, or nothing
  /// where it has no skin.
  explicit CharacterPoser(const Character& character, DeformerPtr deformer = nullptr);

  /// Posed vertices in world space, valid until the next call.
  const Points& pose(const Pose& pose);

 private:
  const Character& character_;
  DeformerPtr deformer_;
  PosedJoints joints_;
  DeformScratch scratch_;
  Points morphed_;
  Points posed_;
};

/// One pose with its own memory.
Points posePoints(const Character& character, const Pose& pose, const DeformerPtr& deformer = nullptr);

}  // namespace sinew
