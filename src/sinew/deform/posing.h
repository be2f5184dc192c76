// What plays: morph targets, the skin, and what was learned. Commands, tests and viewers all pose through here.
#pragma once

#include <concepts>
#include <memory>
#include <utility>
#include <vector>

#include "sinew/character/character.h"
#include "sinew/deform/deformer.h"

namespace sinew {

/// How a character plays. An operator alone is one too.
struct Playback {
  Playback() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): an operator is all that most callers have
  Playback(DeformerPtr with, std::vector<int> silent = {})
      : deformer(std::move(with)), silentMorphs(std::move(silent)) {}
  template <class Operator>
  requires std::convertible_to<std::shared_ptr<Operator>, DeformerPtr> Playback(
      std::shared_ptr<Operator> with)  // NOLINT(google-explicit-constructor): as above
      : deformer(std::move(with)) {}

  /// What takes the morphed points to posed ones; null: linear blend of the character's own weights, or nothing if it
  /// has no skin.
  DeformerPtr deformer;
  /// Morph targets that imitate the operator in viewers that cannot play it: they stay at 0.
  std::vector<int> silentMorphs;

  /// The character's points with the morph targets of a pose, as the operator takes them.
  void morph(const Character& character, const Pose& pose, std::vector<double>& weights, Points& points) const;
};

/// Owns the memory for repeated posing: no allocation after the first call. Keeps a reference to the character.
class CharacterPoser {
 public:
  explicit CharacterPoser(const Character& character, Playback playback = {});

  /// Posed vertices in world space, valid until the next call.
  const Points& pose(const Pose& pose);

 private:
  const Character& character_;
  Playback playback_;
  std::vector<double> morphWeights_;
  PosedJoints joints_;
  DeformScratch scratch_;
  Points morphed_;
  Points posed_;
};

/// One pose with its own memory.
Points posePoints(const Character& character, const Pose& pose, const Playback& playback = {});

}  // namespace sinew
