#include "sinew/deform/rigid_skin.h"

#include <gtest/gtest.h>

namespace sinew::rigid_skin_test {
namespace {

TEST(RigidSkin, EachVertexFollowsItsLargestWeight) {
  const RigidSkin deformer(SkinWeights::fromColumns(
      3, std::vector<std::vector<Influence>>{{{0, 0.2}, {2, 0.5}, {1, 0.3}}, {{1, 1}}, {{2, 0.5}, {1, 0.5}}}));
  EXPECT_EQ(deformer.binding(), (std::vector<std::uint32_t>{2, 1, 1})) << "of equal weights the first joint counts";
  PosedJoints joints;
  joints.worldFromRest.assign(3, Affine::Identity());
  joints.worldFromRest[1].translation() = Vec3(10, 0, 0);
  joints.worldFromRest[2].linear() = 2 * Mat3::Identity();
  Points points(3, 3);
  points << 1, 2, 3, 1, 2, 3, 1, 2, 3;
  Points expected(3, 3);
  expected << 2, 12, 13, 2, 2, 3, 2, 2, 3;
  EXPECT_EQ(deformer.deform(points, joints), expected);
}

}  // namespace
}  // namespace sinew::rigid_skin_test
