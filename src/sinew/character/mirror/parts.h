// The steps of finding and using a symmetry, each in its own file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sinew/character/mirror.h"

namespace sinew::mirror {

/// A body at rest in world space, as the search for its symmetry sees it.
struct Body {
  const Character& character;
  Points rest;  ///< 3 x V, the linear blend of the rest pose
  std::vector<Triangle> triangles;
  Points normals;  ///< of the rest
  double diagonal = 1;
  std::vector<Affine> worldFromJoint;  ///< at rest
  std::vector<Vec3> below;             ///< mean position of a joint and all below it
  std::vector<Vec3> moved;             ///< mean of the skin that it moves; its own position where there is none
  std::vector<bool> needed;            ///< some vertex is bound to it or to a joint below it; never a helper joint
  std::vector<int> follows;            ///< per joint: the source of a helper joint; -1 for all others
};
Body restBody(const Character& character);

/// The linear blend of a pose with morph targets; here because mirroring needs no other part of posing.
Points blended(const Character& character, const Pose& pose);

/// Partners of the joints for a plane; -1: none.
std::vector<int> jointPartners(const Body& body, const MirrorMap& plane, double reach);

/// A shape of the body and its plane of symmetry; only axis and offset count.
struct MirrorShape {
  MirrorMap plane;
  Points points;
  Points normals;
  double diagonal = 1;
  double sign = 1;  ///< -1: above its plane is below that of the rest pose
};
/// The rest pose with its plane, or the shape in which the skin was bound where more of its vertices have an exact
/// partner. `tolerance` in diagonals.
MirrorShape symmetricShape(const Body& body, const MirrorMap& plane, double tolerance);

/// The position of the mirror image of each vertex. `partnerReach` and `surfaceReach` are in units of the shape.
std::vector<MirrorPlace> vertexPartners(const Body& body, const MirrorShape& shape, std::span<const int> partnerOfJoint,
                                        double partnerReach, double surfaceReach);

/// The linear part that takes the rest frame of a joint to that of its partner, mirrored: A_to^-1 S A_from. A joint of
/// -1 is the world.
Mat3 frameChange(const MirrorMap& map, std::span<const Affine> worldFromJoint, int from, int to);

}  // namespace sinew::mirror
