// Points and motions with an explicit seed.
#pragma once

#include <Eigen/Geometry>

#include "sinew/base/random.h"
#include "sinew/base/types.h"

namespace sinew::test {

/// In the cube from -1 to 1.
inline Points randomPoints(Index count, Lcg& random) {
  Points points(3, count);
  for (Index i = 0; i < count; ++i) points.col(i) = random.vector();
  return points;
}
inline Points randomPoints(Index count, std::uint32_t seed) {
  Lcg random(seed);
  return randomPoints(count, random);
}

inline Affine randomMotion(Lcg& random) {
  Affine motion = Affine::Identity();
  const Vec3 turn = 2 * random.vector();
  motion.linear() = Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix();
  motion.translation() = random.vector();
  return motion;
}

}  // namespace sinew::test
