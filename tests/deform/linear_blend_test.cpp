#include "sinew/deform/linear_blend.h"

#include <gtest/gtest.h>

#include <numbers>

#include "sinew/base/error.h"
#include "support/test_arm.h"

namespace sinew::linear_blend_test {
namespace {

PosedJoints posed(const Character& arm, const Pose& pose) {
  PosedJoints joints;
  poseJoints(arm, pose, joints);
  return joints;
}

TEST(LinearBlend, MovesAVertexToTheWeightedMeanOfWhereItsJointsWouldTakeIt) {
  const LinearBlend blend(SkinWeights::fromColumns(2, std::vector<std::vector<Influence>>{{{0, 0.25}, {1, 0.75}}}));
  PosedJoints joints;
  joints.worldFromRest.assign(2, Affine::Identity());
  joints.worldFromRest[0].translation() = Vec3(4, 0, 0);
  joints.worldFromRest[1].linear() = Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitZ()).toRotationMatrix();
  const Points moved = blend.deform(Vec3(1, 0, 2), joints);
  // 0.25 (5, 0, 2) + 0.75 (0, 1, 2)
  EXPECT_TRUE(moved.col(0).isApprox(Vec3(1.25, 0.75, 2), 1e-14)) << moved.transpose();
}

TEST(LinearBlend, HasTheJacobianThatFiniteDifferencesGive) {
  const Character arm = test::testArm();
  const LinearBlend blend(arm.skin.weights);
  const PosedJoints joints = posed(arm, test::bentArmPose(arm, 130, 70));
  std::vector<Mat3> jacobians(static_cast<std::size_t>(blend.vertexCount()));
  blend.jacobians(joints, jacobians);
  const double step = 1e-5;
  for (int axis = 0; axis < 3; ++axis) {
    const Points ahead = blend.deform(arm.mesh.points.colwise() + step * Vec3::Unit(axis), joints);
    const Points behind = blend.deform(arm.mesh.points.colwise() - step * Vec3::Unit(axis), joints);
    const Points slopes = (ahead - behind) / (2 * step);
    for (Index v = 0; v < slopes.cols(); ++v) {
      ASSERT_NEAR((slopes.col(v) - jacobians[static_cast<std::size_t>(v)].col(axis)).norm(), 0, 1e-9) << v;
    }
  }
}

TEST(LinearBlend, RefusesJacobiansThatDoNotFit) {
  const Character arm = test::testArm(3, 4);
  const LinearBlend blend(arm.skin.weights);
  const PosedJoints joints = posed(arm, restPose(arm));
  std::vector<Mat3> tooFew(5);
  try {
    blend.jacobians(joints, tooFew);
    FAIL() << "it must throw";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "linear-blend: there is space for 5 derivatives, but there are 12 vertices");
  }
  std::vector<Mat3> jacobians(12);
  EXPECT_THROW(blend.jacobians(PosedJoints{}, jacobians), Error);
}

TEST(LinearBlend, NeedsWeights) {
  EXPECT_THROW(LinearBlend(std::shared_ptr<const SkinWeights>()), Error);
}

}  // namespace
}  // namespace sinew::linear_blend_test
