// Whether a sculpt can belong to the vertices of a character in a pose. A sculpt with the right number of vertices may
// still be in another order, mirrored, of another pose, or in other units: everything learned from it would be wrong.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sinew/character/character.h"

namespace sinew {

struct SculptView {
  const Points& points;                                   ///< 3 x V, world space, in the character's vertex order
  const Points& posed;                                    ///< 3 x V: the character's skin in the pose of the sculpt
  std::vector<bool> known = {};                           ///< per vertex: the sculpt has it; empty: all
  std::vector<std::array<std::uint32_t, 2>> joined = {};  ///< vertices that an edge of the sculpt's faces joins
  bool facesAgree = false;  ///< its faces are those of a sculpt that was accepted: `joined` may be empty
  bool inPose = true;       ///< false: `posed` does not give the position of the skin (a black box moves it)
};

struct SculptFindings {
  std::optional<std::string> doubt;   ///< what contradicts that the sculpt belongs to the pose
  std::vector<std::string> warnings;  ///< likely mistakes, if nothing contradicts
};

/// Built once per character, then const. Thresholds are in docs/decisions/0019-rejected-sculpts.md and 0029; valid
/// sculpts (strong bulges, joints rotated by 160 degrees, dual-quaternion shapes) stay far below them.
class SculptCheck {
 public:
  explicit SculptCheck(const Character& character);
  ~SculptCheck();

  /// Sentences with the value and the remedy, without the file. Throws on sizes that differ.
  [[nodiscard]] SculptFindings check(const SculptView& sculpt) const;

  /// Only what contradicts; nothing if the sculpt may be right.
  [[nodiscard]] std::optional<std::string> doubt(const SculptView& sculpt) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sinew
