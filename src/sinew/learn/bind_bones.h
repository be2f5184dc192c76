// Bones: what of a skeleton holds the skin. Internal to learn/bind.
#pragma once

#include <span>
#include <vector>

#include "sinew/base/types.h"
#include "sinew/character/skeleton.h"
#include "sinew/learn/bind_surface.h"

namespace sinew::bind {

struct Segment {
  Vec3 from = Vec3::Zero();
  Vec3 to = Vec3::Zero();
};

/// All segments of one joint; none if the joint stands on its only child and so has no skin of its own.
struct Bone {
  std::vector<Segment> segments;

  struct Nearest {
    Vec3 point = Vec3::Zero();
    double distance = 0;  ///< infinite for a bone without segments
  };
  [[nodiscard]] Nearest nearest(const Vec3& to) const;
};

/// A bone per listed joint, in that order. A joint reaches to its nearest listed descendants; one without any goes on
/// in the direction from its parent until shortly before the skin, or is a point where there is no direction.
std::vector<Bone> makeBones(const Skeleton& skeleton, std::span<const Affine> worldFromJoint,
                            std::span<const int> joints, const Surface& surface);

}  // namespace sinew::bind
