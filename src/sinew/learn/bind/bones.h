// Bones: the segments of a skeleton that skin is bound to.
#pragma once

#include <span>
#include <vector>

#include "sinew/base/types.h"
#include "sinew/character/skeleton.h"
#include "sinew/learn/bind/surface.h"

namespace sinew::bind {

struct Segment {
  Vec3 from = Vec3::Zero();
  Vec3 to = Vec3::Zero();
};

/// All segments of one joint; none if the joint is at the position of its only child and so has no skin of its own.
struct Bone {
  std::vector<Segment> segments;

  struct Nearest {
    Vec3 point = Vec3::Zero();
    double distance = 0;  ///< infinite for a bone without segments
  };
  [[nodiscard]] Nearest nearest(const Vec3& to) const;
};

/// A bone per listed joint, in that order. It extends to the nearest listed descendants; without any, it continues in
/// the direction from the parent almost to the skin, or is a point if there is no direction.
std::vector<Bone> makeBones(const Skeleton& skeleton, std::span<const Affine> worldFromJoint,
                            std::span<const int> joints, const Surface& surface);

}  // namespace sinew::bind
