// Check values that two independent programs agree on.
#include <gtest/gtest.h>

#include "deform/exact_arm_stack.h"

namespace sinew::exact_arm_test {
namespace {

using test::ExactArm;

TEST(ExactArm, LinearBlendIsAsFarFromTheSculptorAsPublished) {
  const ExactArm arm;
  struct Row {
    double bend, twist, error;
  };
  for (const Row& row :
       {Row{90, 0, .0170433102}, Row{160, 0, .0447278165}, Row{0, 170, .0426145995}, Row{60, 90, .0202478548}}) {
    const Points skinned = LinearBlend(arm.weights).deform(arm.points, ExactArm::bent(row.bend, row.twist));
    const double rms = std::sqrt((skinned - arm.sculpted(row.bend, row.twist)).squaredNorm() / 984);
    EXPECT_NEAR(rms / ExactArm::kDiagonal, row.error, 1e-8) << row.bend << " " << row.twist;
  }
}

TEST(ExactArm, SculptorPutsVerticesWherePublished) {
  const Points sculpt = ExactArm().sculpted(90, 0);
  EXPECT_LE((sculpt.col(480) - Vec3(-.14147596, .14147596, 0)).norm(), 1e-7);
  EXPECT_LE((sculpt.col(264) - Vec3(-.46604344, .20713163, 0)).norm(), 1e-7);
  EXPECT_LE((sculpt.col(816) - Vec3(-.23, .7, 0)).norm(), 1e-7);
}

TEST(ExactArm, StackOfBlendLatticeAndTwistGivesThePublishedPoint) {
  const ExactArm arm;
  const Points shaken = arm.shaken(0.05, 3);
  EXPECT_LE((shaken.col(0) - arm.points.col(0) - Vec3(-.02627694, .00506782, .03736586)).norm(), 2e-8);
  const Points target = test::armStack(arm)->deform(shaken, ExactArm::bent(90, 40));
  EXPECT_LE((target.col(0) - Vec3(-1.02627778, .18487994, -.13111309)).norm(), 2e-8) << target.col(0).transpose();
}

}  // namespace
}  // namespace sinew::exact_arm_test
