#include "sinew/deform/placement.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>

#include "sinew/base/check.h"

namespace sinew {

const Affine& boundTransform(int binding, const PosedJoints& joints, const char* who) {
  const std::size_t count = joints.worldFromRest.size();
  SINEW_CHECK(binding >= 0 && static_cast<std::size_t>(binding) < count, who,
              fmt::format("it follows joint {} of a skin with {} joints; follow one of those", binding, count));
  return joints.worldFromRest[static_cast<std::size_t>(binding)];
}

PlacedFrame placedFrame(const Placement& placement, const PosedJoints& joints, const char* who) {
  PlacedFrame frame;
  if (!placement.follow) return frame;
  const Affine& worldFromRest = boundTransform(*placement.follow, joints, who);
  const Mat3 inverse = worldFromRest.linear().inverse();
  // Relative to the size of both matrices: 1e12 leaves no digits worth having.
  const double condition = inverse.norm() * worldFromRest.linear().norm();
  SINEW_CHECK(std::isfinite(condition) && condition < 1e12, who,
              fmt::format("it follows joint {}, whose transform is flat and cannot be inverted; scale no axis to 0",
                          *placement.follow));
  frame.localFromWorld.linear() = inverse;
  frame.localFromWorld.translation() = -(inverse * worldFromRest.translation());
  if (placement.space == PointSpace::Posed) {
    frame.localFromPoints = frame.localFromWorld;
    frame.pointsFromLocal = worldFromRest.linear();
  }
  return frame;
}

}  // namespace sinew
