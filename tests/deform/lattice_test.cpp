#include "sinew/deform/lattice.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/base/error.h"
#include "sinew/base/random.h"

namespace sinew::lattice_test {
namespace {

const PosedJoints kNoPosedJoints;

/// Displacements that put every control point where an affine map takes it.
Points affineDisplacements(const LatticeOptions& options, const Affine& map) {
  const Lattice grid(options);
  const auto [l, m, n] = options.resolution;
  Points displacements(3, l * m * n);
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < m; ++j) {
      for (int i = 0; i < l; ++i) {
        const Vec3 point = grid.gridPoint(i, j, k);
        displacements.col(i + l * (j + m * k)) = map * point - point;
      }
    }
  }
  return displacements;
}

Points randomPoints(std::uint32_t seed, Index count, double size) {
  Lcg random(seed);
  Points points(3, count);
  for (Index v = 0; v < count; ++v) points.col(v) = size * random.vector();
  return points;
}

/// The unit cube with random displacements.
LatticeOptions shaken(std::array<int, 3> resolution, double size, LatticeOutside outside) {
  LatticeOptions options;
  options.resolution = resolution;
  options.displacements = randomPoints(9, resolution[0] * resolution[1] * resolution[2], size);
  options.outside = outside;
  return options;
}

Vec3 moved(const Lattice& lattice, const Vec3& point) {
  return lattice.deform(point, kNoPosedJoints).col(0);
}

TEST(Lattice, OfTwoPointsPerAxisBlendsItsCornersLinearly) {
  LatticeOptions options;
  options.displacements = Points::Zero(3, 8);
  options.displacements.col(1) = Vec3(0, 0, 1);  // corner (1, 0, 0): x runs fastest
  options.outside = LatticeOutside::Clamp;
  const Lattice lattice(options);
  EXPECT_TRUE(moved(lattice, Vec3(1, 0, 0)).isApprox(Vec3(1, 0, 1), 1e-15));
  EXPECT_TRUE(moved(lattice, Vec3(0.5, 0.5, 0.25)).isApprox(Vec3(0.5, 0.5, 0.25 + 0.5 * 0.5 * 0.75), 1e-15));
}

TEST(Lattice, OfThreePointsAlongXIsTheQuadraticBezier) {
  LatticeOptions options;
  options.resolution = {3, 2, 2};
  options.displacements = Points::Zero(3, 12);
  for (const Index middle : {1, 4, 7, 10}) options.displacements.col(middle) = Vec3(0, 1, 0);
  options.outside = LatticeOutside::Clamp;
  // 2 t (1 - t) at t = 0.25
  EXPECT_NEAR(moved(Lattice(options), Vec3(0.25, 0.3, 0.8)).y(), 0.3 + 0.375, 1e-15);
}

TEST(Lattice, ReproducesAffineMapsAtAnyResolution) {
  Affine map = Affine::Identity();
  map.linear() << 1.2, 0.3, -0.1, 0.1, 0.7, 0.2, -0.2, 0.1, 1.4;
  map.translation() = Vec3(0.3, -1, 2);
  for (const std::array<int, 3> resolution :
       {std::array{2, 2, 2}, std::array{3, 5, 4}, std::array{16, 2, 9}, std::array{64, 3, 2}}) {
    LatticeOptions options;
    options.resolution = resolution;
    options.restFromBox = boxBetween(Vec3(-1, -2, -1), Vec3(1, 1, 1.5));
    options.outside = LatticeOutside::Clamp;
    options.displacements = affineDisplacements(options, map);
    const Points points = randomPoints(1, 100, 1);
    const Points expected = (map.linear() * points).colwise() + Vec3(map.translation());
    EXPECT_LE((Lattice(options).deform(points, kNoPosedJoints) - expected).cwiseAbs().maxCoeff(), 1e-13);
  }
}

TEST(Lattice, MovesWithItsBoxUnderAffineMaps) {
  // FFD of a mapped box with mapped displacements at mapped points is the mapped FFD.
  LatticeOptions plain = shaken({4, 3, 5}, 0.2, LatticeOutside::PassThrough);
  LatticeOptions mapped = plain;
  Affine map = Affine::Identity();
  map.linear() << 2, 0.5, 0, -0.3, 1, 0.4, 0.1, 0.2, 1.5;
  map.translation() = Vec3(5, 6, 7);
  mapped.restFromBox = map * plain.restFromBox;
  mapped.displacements = map.linear() * plain.displacements;
  const Points points = randomPoints(2, 200, 1).array() + 0.5;
  const Points there = (map.linear() * points).colwise() + Vec3(map.translation());
  const Points expected =
      (map.linear() * Lattice(plain).deform(points, kNoPosedJoints)).colwise() + Vec3(map.translation());
  EXPECT_LE((Lattice(mapped).deform(there, kNoPosedJoints) - expected).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(Lattice, PassThroughLeavesTheOutsideAloneAndIsExactBeyondItsBorder) {
  const LatticeOptions options = shaken({4, 4, 4}, 0.3, LatticeOutside::PassThrough);
  LatticeOptions clamped = options;
  clamped.outside = LatticeOutside::Clamp;
  const Vec3 outside(1.001, 0.5, 0.5);
  EXPECT_EQ(moved(Lattice(options), outside), outside);
  const Vec3 inside(0.4, 0.9, 0.11);
  EXPECT_LE((moved(Lattice(options), inside) - moved(Lattice(clamped), inside)).norm(), 1e-15);
  const Vec3 fading(0.4, 0.95, 0.5);
  const double ratio =
      (moved(Lattice(options), fading) - fading).norm() / (moved(Lattice(clamped), fading) - fading).norm();
  EXPECT_NEAR(ratio, 0.5, 1e-12) << "half way through the border the smoothstep is a half";
}

TEST(Lattice, PassThroughHasNoStepAndNoCornerAnywhere) {
  const Lattice lattice(shaken({3, 4, 5}, 0.3, LatticeOutside::PassThrough));
  // Along lines through the box, in touching triples: a step of the value shows as a slope of 1 / h, a corner as a
  // change of slope that does not shrink with h.
  const double h = 3e-4;
  for (const Vec3& direction : {Vec3(1, 0.2, 0.1), Vec3(-0.1, 1, 0.3), Vec3(0.2, -0.3, 1), Vec3(1, 1, 1)}) {
    const Vec3 start = Vec3(0.45, 0.5, 0.55) - 1.2 * direction;
    Points points(3, 3 * 4001);
    for (Index i = 0; i <= 4000; ++i) {
      const Vec3 here = start + (2.4 * static_cast<double>(i) / 4000) * direction;
      points.middleCols<3>(3 * i) << here - h * direction, here, here + h * direction;
    }
    const Points result = lattice.deform(points, kNoPosedJoints);
    for (Index i = 0; i <= 4000; ++i) {
      const Vec3 slope = (result.col(3 * i + 2) - result.col(3 * i)) / (2 * h);
      const Vec3 kink = (result.col(3 * i + 2) - 2 * result.col(3 * i + 1) + result.col(3 * i)) / h;
      ASSERT_LE(slope.norm(), 20) << i;
      ASSERT_LE(kink.norm(), 0.2) << i;
    }
  }
}

TEST(Lattice, ClampMovesTheOutsideWithTheNearestPointOfTheBox) {
  const Lattice lattice(shaken({4, 3, 2}, 0.3, LatticeOutside::Clamp));
  const Vec3 corner(1, 0, 0.5);
  const Vec3 outside(1.7, -0.4, 0.5);
  EXPECT_LE((moved(lattice, outside) - outside - (moved(lattice, corner) - corner)).norm(), 1e-15);
  EXPECT_LE((moved(lattice, Vec3(1 + 1e-9, 0.3, 0.3)) - moved(lattice, Vec3(1 - 1e-9, 0.3, 0.3))).norm(), 1e-7);
}

TEST(Lattice, ReachesThePointsInItsBox) {
  LatticeOptions options;
  Points points(3, 3);
  points << 0.5, 2, -3, 0.5, 0, 0, 0.5, 0, 0;
  EXPECT_EQ(Lattice(options).reached(points, kNoPosedJoints), 1);
  EXPECT_EQ(Lattice(options).reached(points.rightCols(2), kNoPosedJoints), 0);
  options.outside = LatticeOutside::Clamp;
  EXPECT_EQ(Lattice(options).reached(points, kNoPosedJoints), 3);
}

TEST(Lattice, HasANormalSumAtHighDegree) {
  LatticeOptions options;
  options.resolution = {64, 64, 2};
  options.displacements = Points::Ones(3, 64 * 64 * 2);
  options.outside = LatticeOutside::Clamp;
  for (const double t : {0.0, 1e-300, 0.3, 0.5, 0.999999, 1.0}) {
    EXPECT_LE((moved(Lattice(options), Vec3(t, t, t)) - Vec3::Constant(1 + t)).norm(), 1e-13) << t;
  }
}

PosedJoints turnedJoints() {
  PosedJoints joints;
  joints.worldFromRest.assign(2, Affine::Identity());
  joints.worldFromRest[1].linear() = Eigen::AngleAxisd(0.9, Vec3(1, 1, 0).normalized()).toRotationMatrix();
  joints.worldFromRest[1].translation() = Vec3(1, 2, 3);
  return joints;
}

TEST(Lattice, ThatFollowsAJointMovesWithIt) {
  LatticeOptions options = shaken({3, 3, 3}, 0.2, LatticeOutside::PassThrough);
  const Points points = randomPoints(4, 50, 0.5).array() + 0.5;
  const Points still = Lattice(options).deform(points, kNoPosedJoints);
  options.placement.follow = 1;
  const PosedJoints joints = turnedJoints();
  const Affine& carry = joints.worldFromRest[1];
  const Points carried = (carry.linear() * points).colwise() + Vec3(carry.translation());
  const Points expected = (carry.linear() * still).colwise() + Vec3(carry.translation());
  EXPECT_LE((Lattice(options).deform(carried, joints) - expected).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(Lattice, WithAllControlsOnOneJointMovesTheInsideWithThatJoint) {
  LatticeOptions options;
  options.controlBindings.assign(8, 1);
  options.placement = {.space = PointSpace::Rest, .follow = 0};
  options.outside = LatticeOutside::Clamp;
  const PosedJoints joints = turnedJoints();
  const Vec3 point(0.2, 0.7, 0.4);
  EXPECT_LE((Lattice(options).deform(point, joints).col(0) - joints.worldFromRest[1] * point).norm(), 1e-14);
}

std::string refusal(const LatticeOptions& options) {
  try {
    const Lattice lattice(options);
  } catch (const Error& error) {
    return error.what();
  }
  return "it was accepted";
}

TEST(Lattice, RefusesSettingsThatDoNotFit) {
  EXPECT_EQ(refusal({.resolution = {2, 1, 2}}),
            "lattice: it has 2 x 1 x 2 control points; each axis must have 2 to 64");
  EXPECT_EQ(refusal({.displacements = Points::Zero(3, 7)}), "lattice: it has 7 displacements for 8 control points");
  EXPECT_EQ(refusal({.controlBindings = {0, 1}, .placement = {.follow = 0}}),
            "lattice: it binds 2 of 8 control points; bind all or none");
  EXPECT_EQ(refusal({.controlBindings = std::vector<int>(8, 0)}),
            "lattice: its control points follow joints, so the box must follow a joint too");
  EXPECT_EQ(refusal({.restFromBox = boxBetween(Vec3(0, 0, 0), Vec3(1, 2, 0))}),
            "lattice: the box is flat: its sides are 1, 2 and 0 long");
  EXPECT_EQ(refusal({.border = 0}), "lattice: the border is 0 of the box; it must be above 0 and at most 0.5");
  EXPECT_NE(refusal({.border = std::nan("")}), "it was accepted");
  EXPECT_NE(refusal({.displacements = Points::Constant(3, 8, std::nan(""))}), "it was accepted");
}

TEST(Lattice, RefusesToFollowAJointThatIsMissingOrFlat) {
  LatticeOptions options;
  options.placement.follow = 2;
  PosedJoints joints = turnedJoints();
  const auto message = [&] {
    try {
      (void)Lattice(options).deform(Vec3::Zero(), joints);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("it was accepted");
  };
  EXPECT_EQ(message(), "lattice: it follows joint 2, but the skin has 2 joints; choose one of these");
  options.placement.follow = 0;
  joints.worldFromRest[0].linear() = Vec3(1, 0, 1).asDiagonal();
  EXPECT_EQ(message(), "lattice: it follows joint 0, whose transform cannot be inverted; do not scale an axis to 0");
  joints.worldFromRest[0].linear() = 1e-9 * Mat3::Identity();
  EXPECT_EQ(message(), "it was accepted") << "small is not flat";
}

}  // namespace
}  // namespace sinew::lattice_test
