#include "sinew/deform/placement.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>

#include "sinew/base/check.h"

namespace sinew {

std::vector<Affine> restFromWorld(const Character& character) {
  PosedJoints joints;
  poseJoints(character, restPose(character), joints);
  std::vector<Affine> inverses;
  bool moved = false;
  for (const Affine& worldFromRest : joints.worldFromRest) {
    moved = moved || worldFromRest.matrix() != Affine::Identity().matrix();
    Mat3 linear = worldFromRest.linear().inverse();
    // A flat one stays flat, and is rejected where something follows it.
    if (!linear.allFinite()) linear.setZero();
    Affine inverse;
    inverse.linear() = linear;
    inverse.translation() = -(linear * worldFromRest.translation());
    inverses.push_back(inverse);
  }
  if (!moved) inverses.clear();
  return inverses;
}

Affine boundTransform(int binding, const Placement& placement, const PosedJoints& joints, const char* who) {
  const std::size_t count = joints.worldFromRest.size();
  SINEW_CHECK(binding >= 0 && toSize(binding) < count, who,
              fmt::format("it follows joint {}, but the skin has {} joints; choose one of these", binding, count));
  const auto b = toSize(binding);
  if (b >= placement.restFromWorld.size()) return joints.worldFromRest[b];
  return joints.worldFromRest[b] * placement.restFromWorld[b];
}

PlacedFrame placedFrame(const Placement& placement, const PosedJoints& joints, const char* who) {
  PlacedFrame frame;
  if (!placement.follow) return frame;
  const Affine worldFromRest = boundTransform(*placement.follow, placement, joints, who);
  const Mat3 inverse = worldFromRest.linear().inverse();
  // Relative to the size of both matrices: 1e12 leaves no digits worth having.
  const double condition = inverse.norm() * worldFromRest.linear().norm();
  SINEW_CHECK(std::isfinite(condition) && condition < 1e12, who,
              fmt::format("it follows joint {}, whose transform cannot be inverted; do not scale an axis to 0",
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
