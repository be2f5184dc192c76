// Check values that two independent programs agree on.
#include "exact_arm.h"

#include <gtest/gtest.h>

#include "sinew/deform/lattice.h"
#include "sinew/deform/linear_blend.h"
#include "sinew/deform/stack.h"

namespace sinew {
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

/// Turns each point about x by 0.8 times its x: not an operator of ours, as a user's own would be.
class Twist final : public Deformer {
 public:
  [[nodiscard]] std::string_view name() const override { return "twist"; }

 protected:
  void apply(const ConstPointsRef& points, const PosedJoints& /*joints*/, DeformScratch& /*scratch*/,
             PointsRef moved) const override {
    for (Index v = 0; v < points.cols(); ++v) {
      moved.col(v) = Eigen::AngleAxisd(0.8 * points(0, v), Vec3::UnitX()) * points.col(v);
    }
  }
};

TEST(ExactArm, StackOfBlendLatticeAndTwistGivesThePublishedPoint) {
  const ExactArm arm;
  LatticeOptions options;
  options.resolution = {4, 4, 4};
  options.restFromBox = boxBetween(Vec3::Constant(-1.5), Vec3::Constant(1.5));
  options.displacements.resize(3, 64);
  for (int k = 0; k < 4; ++k) {
    for (int j = 0; j < 4; ++j) {
      for (int i = 0; i < 4; ++i) {
        options.displacements.col(i + 4 * (j + 4 * k)) =
            0.1 * Vec3(std::sin(i + 2 * j + 3 * k), std::cos(2 * i + j - k), std::sin(i - j + 2 * k));
      }
    }
  }
  options.outside = LatticeOutside::Clamp;
  const DeformerStack stack(
      {std::make_shared<LinearBlend>(arm.weights), std::make_shared<Lattice>(options), std::make_shared<Twist>()});
  const Points shaken = arm.shaken(0.05, 3);
  EXPECT_LE((shaken.col(0) - arm.points.col(0) - Vec3(-.02627694, .00506782, .03736586)).norm(), 2e-8);
  const Points target = stack.deform(shaken, ExactArm::bent(90, 40));
  EXPECT_LE((target.col(0) - Vec3(-1.02627778, .18487994, -.13111309)).norm(), 2e-8) << target.col(0).transpose();
}

}  // namespace
}  // namespace sinew
