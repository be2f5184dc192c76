// Placement of lattices and wires. They have no weights, so a Placement defines the space of their input points and the
// joint that they move with.
#pragma once

#include <optional>
#include <vector>

#include "sinew/character/character.h"
#include "sinew/deform/deformer.h"

namespace sinew {

/// The space of the points that an operator is given.
enum class PointSpace {
  Posed,  ///< applied after the skin: points are in world space
  Rest    ///< applied before the skin, or without a skin: points are in world space of the rest pose
};

/// The frame of an operator. Its controls are given in world space of the rest pose; T_b is worldFromRest of binding b
/// times its inverse in the rest pose, that is, the motion of b relative to rest.
///
/// With `follow`, everything is computed in the frame F = T_follow: a control point bound to b is at F^-1 T_b c, and a
/// Posed operator D moves p to F D(F^-1 p). In the rest pose F and T_b are the identity, and a root motion G gives
/// (G F)^-1 G T_b = F^-1 T_b: so the rest shape is preserved and root motion commutes.
/// Without `follow` the operator does not move in the space of its points.
struct Placement {
  PointSpace space = PointSpace::Posed;
  std::optional<int> follow{};  ///< index of a binding
  /// Per binding: the inverse of worldFromRest in the rest pose; empty: the identity, if the skin was bound in world
  /// space.
  std::vector<Affine> restFromWorld{};
};

/// restFromWorld of a character; empty if every binding has the identity. Zero for a binding that is flat at rest.
std::vector<Affine> restFromWorld(const Character& character);

/// A placement in one pose.
struct PlacedFrame {
  Affine localFromWorld = Affine::Identity();   ///< F^-1
  Affine localFromPoints = Affine::Identity();  ///< F^-1 after the skin, else the identity
  Mat3 pointsFromLocal = Mat3::Identity();      ///< rotates displacements back
};

/// Throws if the joint is not among the bindings, or where its transform cannot be inverted. `who` names the operator.
PlacedFrame placedFrame(const Placement& placement, const PosedJoints& joints, const char* who);

/// The motion of a binding relative to the rest pose; throws if there is no such binding.
Affine boundTransform(int binding, const Placement& placement, const PosedJoints& joints, const char* who);

}  // namespace sinew
