// Bones and markers as geometry, to be drawn as ghosts over the skin.
#pragma once

#include <span>
#include <vector>

#include "sinew/base/types.h"
#include "sinew/character/skeleton.h"
#include "sinew/picture/render.h"

namespace sinew::picture {

/// Triangles that were made for a picture. `shape()` looks at it, so it must outlive the scene.
struct Geometry {
  Points points{3, 0};
  std::vector<Triangle> triangles;
  std::vector<Rgba> triangleColours;

  [[nodiscard]] Shape shape(bool ghost = true) const;
};

struct BoneOptions {
  Rgba boneColour{56, 118, 196};
  Rgba jointColour{240, 150, 60};
  double thickness = 0.11;     ///< of a bone, as a part of its length, 0.01 to 0.5
  double jointRadius = 0.011;  ///< as a part of the size of all joints together, 0 (none) to 0.2
  double leafLength = 0.5;     ///< length of the bone of a last joint, as a fraction of the bone before, 0 to 2
};

/// A long octahedron from each joint's parent to the joint, and a ball at each joint. Files do not store the length of
/// the bone of a last joint: it continues straight from its rest pose. Only the given joints are drawn (all if none are
/// given); a bone goes to the nearest ancestor among them. Throws if there is not one transform per joint, or one is
/// not finite.
Geometry boneGeometry(const Skeleton& skeleton, std::span<const Affine> worldFromJoint,
                      std::span<const int> joints = {}, const BoneOptions& options = {});

/// A ball at each point: handles, pins, picked vertices. `radius` is in scene units.
Geometry ballGeometry(const ConstPointsRef& centres, double radius, Rgba colour);

}  // namespace sinew::picture
