// Where lattices and wires stand: they have no weights of their own, so they are told which space their points come in
// and which joint carries them.
#pragma once

#include <optional>

#include "sinew/deform/deformer.h"

namespace sinew {

/// The space of the points that an operator is given.
enum class PointSpace {
  Posed,  ///< it stands after the skin: points are in world space
  Rest    ///< it stands before the skin, or there is none: points are in rest space
};

/// What carries an operator. Its controls are given in rest space; T_b is worldFromRest of binding b.
///
/// With `follow`, everything happens in the frame F = T_follow: a control point bound to b is at F^-1 T_b c, and a
/// Posed operator D moves p to F D(F^-1 p). In the rest pose F and T_b are the identity, and a root motion G gives
/// (G F)^-1 G T_b = F^-1 T_b: so the rest shape stays and root motion commutes.
/// Without `follow` the operator stands still in the space of its points.
struct Placement {
  PointSpace space = PointSpace::Posed;
  std::optional<int> follow{};  ///< index of a binding
};

/// A placement in one pose.
struct PlacedFrame {
  Affine localFromWorld = Affine::Identity();   ///< F^-1
  Affine localFromPoints = Affine::Identity();  ///< F^-1 after the skin, else the identity
  Mat3 pointsFromLocal = Mat3::Identity();      ///< turns displacements back
};

/// Throws where the joint is not among the bindings, or where its transform cannot be inverted. `who` names the
/// operator.
PlacedFrame placedFrame(const Placement& placement, const PosedJoints& joints, const char* who);

/// worldFromRest of a binding; throws where there is no such binding.
const Affine& boundTransform(int binding, const PosedJoints& joints, const char* who);

}  // namespace sinew
