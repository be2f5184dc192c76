// The true skin: what a sculptor would make of a pose. Learning methods are scored against it.
#pragma once

#include <span>
#include <vector>

#include "sinew/character/character.h"
#include "sinew/samples/body/body_spec.h"

namespace sinew::body {

/// Plays the true deformation of one character. Keeps references to the spec and the character.
class Sculptor {
 public:
  /// `normals` are the unit normals at rest.
  Sculptor(const BodySpec& spec, const Character& character, Points normals);

  /// World-space points in a pose. The same bits on any number of threads.
  [[nodiscard]] Points sculpt(const Pose& pose) const;

 private:
  struct Turn;
  [[nodiscard]] std::vector<Turn> turnsOf(const Pose& pose, const PosedJoints& posed) const;

  const BodySpec& spec_;
  const Character& character_;
  Points normals_;
  std::vector<int> muscleJoint_;
};

}  // namespace sinew::body
