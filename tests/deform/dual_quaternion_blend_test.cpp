#include "sinew/deform/dual_quaternion_blend.h"

#include <gtest/gtest.h>

#include <numbers>

#include "sinew/base/error.h"
#include "sinew/base/random.h"
#include "sinew/deform/linear_blend.h"
#include "sinew/math/rotation.h"
#include "support/test_arm.h"

namespace sinew::dual_quaternion_blend_test {
namespace {

constexpr double kPi = std::numbers::pi;

SkinWeights halfAndHalf() {
  return SkinWeights::fromColumns(2, std::vector<std::vector<Influence>>{{{0, 0.5}, {1, 0.5}}});
}

PosedJoints twoJoints(const Mat3& first, const Mat3& second) {
  PosedJoints joints;
  joints.worldFromRest.assign(2, Affine::Identity());
  joints.worldFromRest[0].linear() = first;
  joints.worldFromRest[1].linear() = second;
  return joints;
}

Mat3 turn(double angle, const Vec3& axis) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

TEST(DualQuaternionBlend, KeepsTheRadiusInATwistWhereTheLinearBlendCollapses) {
  const PosedJoints joints = twoJoints(Mat3::Identity(), turn(kPi, Vec3::UnitX()));
  const Vec3 point(0.3, 0.2, 0);
  const Points blended = LinearBlend(halfAndHalf()).deform(point, joints);
  const Points turned = DualQuaternionBlend(halfAndHalf()).deform(point, joints);
  EXPECT_NEAR(blended.bottomRows<2>().norm(), 0, 1e-15);
  EXPECT_NEAR(turned.bottomRows<2>().norm(), 0.2, 1e-15);
  EXPECT_NEAR(turned(0, 0), 0.3, 1e-15);
  EXPECT_NEAR(std::abs(turned(2, 0)), 0.2, 1e-15) << "half of 180 degrees is 90";
}

TEST(DualQuaternionBlend, EqualsTheLinearBlendForVerticesOfOneJoint) {
  Character arm = test::testArm();
  Pose pose = test::bentArmPose(arm, 100, 60);
  pose.local[1].scale = Vec3(1.5, 0.7, 1.1);
  PosedJoints joints;
  poseJoints(arm, pose, joints);
  const Points turned = DualQuaternionBlend(arm.skin).deform(arm.mesh.points, joints);
  const Points blended = LinearBlend(arm.skin.weights).deform(arm.mesh.points, joints);
  int rigid = 0;
  for (Index v = 0; v < turned.cols(); ++v) {
    if (arm.skin.weights[v].size() > 1) continue;
    ++rigid;
    EXPECT_LE((turned.col(v) - blended.col(v)).norm(), 1e-13) << v;
  }
  EXPECT_GT(rigid, 100);
}

TEST(DualQuaternionBlend, TurnsHalfWayAboutTheCommonAxis) {
  const PosedJoints joints = twoJoints(turn(0.4, Vec3(1, 2, 3)), turn(1.6, Vec3(1, 2, 3)));
  const Vec3 point(0.5, -1, 2);
  const Points moved = DualQuaternionBlend(halfAndHalf()).deform(point, joints);
  EXPECT_LE((moved - turn(1.0, Vec3(1, 2, 3)) * point).norm(), 1e-14);
}

TEST(DualQuaternionBlend, GoesTheShortWayRoundWhateverTheSignsOfTheQuaternions) {
  // 170 and 190 degrees: their quaternions lie on both sides of w = 0.
  const PosedJoints joints = twoJoints(turn(170 * kPi / 180, Vec3::UnitZ()), turn(-170 * kPi / 180, Vec3::UnitZ()));
  const Points moved = DualQuaternionBlend(halfAndHalf()).deform(Vec3(1, 0, 0), joints);
  EXPECT_LE((moved.col(0) - Vec3(-1, 0, 0)).norm(), 1e-14);
}

TEST(DualQuaternionBlend, BlendsScaleLinearlyBeforeItTurns) {
  // Joint at (1, 0, 0), scaled by 2 and by 4 along y without turning: as the linear blend.
  Skin skin;
  skin.weights = halfAndHalf();
  skin.bindings.assign(2, Binding{});
  for (Binding& binding : skin.bindings) binding.jointFromRest.translation() = Vec3(-1, 0, 0);
  PosedJoints joints = twoJoints(Vec3(1, 2, 1).asDiagonal(), Vec3(1, 4, 1).asDiagonal());
  const Points moved = DualQuaternionBlend(skin).deform(Vec3(2, 1, 0), joints);
  EXPECT_LE((moved.col(0) - Vec3(2, 3, 0)).norm(), 1e-14);
}

TEST(DualQuaternionBlend, DoesNotMindWhereTheRestPoseStandsAlsoWithScale) {
  const Vec3 offset(40, -30, 20);
  const auto posedWith = [](const Vec3& shift, const Points& points) {
    Skin skin;
    skin.weights = halfAndHalf();
    skin.bindings.assign(2, Binding{});
    PosedJoints joints;
    for (std::size_t b = 0; b < 2; ++b) {
      const Vec3 joint = Vec3(static_cast<double>(b), 0, 0) + shift;
      skin.bindings[b].jointFromRest.translation() = -joint;
      Affine worldFromJoint = Affine::Identity();
      worldFromJoint.linear() = turn(0.9 * static_cast<double>(b), Vec3(0, 1, 2)) * Vec3(1.5, 1, 0.5).asDiagonal();
      worldFromJoint.translation() = Vec3(static_cast<double>(b), 0.2, 0) + shift;
      joints.worldFromRest.push_back(worldFromJoint * skin.bindings[b].jointFromRest);
    }
    return DualQuaternionBlend(skin).deform(points.colwise() + shift, joints);
  };
  const Points point = Vec3(0.6, 0.3, 0.1);
  const Points here = posedWith(Vec3::Zero(), point);
  const Points there = posedWith(offset, point);
  // Rotations act about the joints, so moving rest and joints together moves the result.
  EXPECT_LE((there - here - offset).norm(), 1e-12);
}

struct BentArm {
  BentArm() { poseJoints(arm, test::bentArmPose(arm, 70, 30), joints); }
  [[nodiscard]] Points deformed() const { return deformer.deform(arm.mesh.points, joints); }

  Character arm = test::testArm();
  DualQuaternionBlend deformer{arm.skin};
  PosedJoints joints;
};

TEST(DualQuaternionBlend, ScalesWithTheWholeScene) {
  // Rigs in centimetres under a root that makes them metres: every transform has the same scale.
  const BentArm bent;
  const Points plain = bent.deformed();
  const double size = plain.cwiseAbs().maxCoeff();
  for (const double scale : {0.01, 0.5, 2.0, 100.0}) {
    BentArm scaled;
    for (Affine& worldFromRest : scaled.joints.worldFromRest) {
      worldFromRest.linear() *= scale;
      worldFromRest.translation() *= scale;
    }
    EXPECT_LE((scaled.deformed() / scale - plain).cwiseAbs().maxCoeff(), 1e-12 * size) << scale;
  }
}

TEST(DualQuaternionBlend, MovesAMirroredCharacterAsTheMirrorImage) {
  BentArm bent;
  const Points plain = bent.deformed();
  const Mat3 mirror = Vec3(1, -1, 1).asDiagonal();
  for (Affine& worldFromRest : bent.joints.worldFromRest) {
    worldFromRest.linear() = mirror * worldFromRest.linear();
    worldFromRest.translation() = mirror * worldFromRest.translation();
  }
  EXPECT_LE((bent.deformed() - mirror * plain).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(DualQuaternionBlend, NeverGivesNaNHoweverTheJointsTurn) {
  Lcg random(7);
  std::vector<std::vector<Influence>> columns(1);
  for (std::uint32_t b = 0; b < 6; ++b) columns[0].push_back({b, 1.0 / 6});
  const DualQuaternionBlend deformer(SkinWeights::fromColumns(6, columns));
  const Vec3 axes[] = {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
  for (int trial = 0; trial < 2000; ++trial) {
    PosedJoints joints;
    for (int b = 0; b < 6; ++b) {
      // Half turns about the axes: quaternions at right angles to each other, the worst case for the sum.
      const bool half = random.uniform() < 0.7;
      const Vec3 axis = half ? axes[static_cast<int>(3 * random.uniform())] : random.vector();
      Affine worldFromRest = Affine::Identity();
      worldFromRest.linear() = turn(half ? kPi : 7 * random.symmetric(), axis);
      if (random.uniform() < 0.1) worldFromRest.linear() *= Vec3(0, 1, random.uniform() < 0.5 ? 0 : -1).asDiagonal();
      joints.worldFromRest.push_back(worldFromRest);
    }
    const Points moved = deformer.deform(Vec3(1, 2, 3), joints);
    ASSERT_TRUE(moved.allFinite());
    ASSERT_LE(moved.norm(), Vec3(1, 2, 3).norm() * (1 + 1e-12));
  }
}

TEST(DualQuaternionBlend, VertexRotationsTurnTangentsAsNormalisedQuaternionsDo) {
  Character arm = test::testArm();
  PosedJoints joints;
  poseJoints(arm, test::bentArmPose(arm, 120, 70), joints);
  const DualQuaternionBlend deformer(arm.skin.weights);
  std::vector<Mat3> rotations(static_cast<std::size_t>(deformer.vertexCount()));
  DeformScratch scratch;
  deformer.vertexRotations(joints, scratch, rotations);
  for (Index v = 0; v < deformer.vertexCount(); ++v) {
    Eigen::Vector4d sum = Eigen::Vector4d::Zero();
    const Quat pivot(joints.worldFromRest[arm.skin.weights[v][0].binding].linear());
    for (const Influence& influence : arm.skin.weights[v]) {
      const Quat q(joints.worldFromRest[influence.binding].linear());
      sum += (pivot.dot(q) < 0 ? -influence.weight : influence.weight) * q.coeffs();
    }
    const Mat3 expected = Quat(sum).normalized().toRotationMatrix();
    ASSERT_LE((rotations[static_cast<std::size_t>(v)] - expected).norm(), 1e-13);
  }
  std::vector<Mat3> tooFew(3);
  EXPECT_THROW(deformer.vertexRotations(joints, scratch, tooFew), Error);
}

}  // namespace
}  // namespace sinew::dual_quaternion_blend_test
