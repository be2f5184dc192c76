#include "sinew/deform/stack.h"

#include <gtest/gtest.h>

#include "sinew/base/error.h"
#include "sinew/deform/lattice.h"
#include "sinew/deform/linear_blend.h"
#include "support/test_arm.h"

namespace sinew::stack_test {
namespace {

/// A lattice that only scales y by `factor` inside a large box: x and z stay.
DeformerPtr stretch(double factor) {
  LatticeOptions options;
  options.restFromBox = boxBetween(Vec3::Constant(-4), Vec3::Constant(4));
  options.displacements.resize(3, 8);
  for (Index i = 0; i < 8; ++i) options.displacements.col(i) = Vec3(0, (i / 2 % 2 == 0 ? -4 : 4) * (factor - 1), 0);
  options.outside = LatticeOutside::Clamp;
  return std::make_shared<Lattice>(options);
}

DeformerPtr move(double x) {
  LatticeOptions options;
  options.restFromBox = boxBetween(Vec3::Constant(-4), Vec3::Constant(4));
  options.displacements = Points::Zero(3, 8);
  options.displacements.row(1).setConstant(x);
  options.outside = LatticeOutside::Clamp;
  return std::make_shared<Lattice>(options);
}

TEST(DeformerStack, AppliesItsOperatorsInOrder) {
  const PosedJoints none;
  const Vec3 point(0.5, 1, 0);
  EXPECT_NEAR(DeformerStack({stretch(3), move(0.5)}).deform(point, none)(1, 0), 3.5, 1e-14);
  EXPECT_NEAR(DeformerStack({move(0.5), stretch(3)}).deform(point, none)(1, 0), 4.5, 1e-14);
  EXPECT_NEAR(DeformerStack({move(0.5), stretch(2), move(0.25)}).deform(point, none)(1, 0), 3.25, 1e-14);
}

TEST(DeformerStack, InsideAStackIsTheSameAsItsOperatorsInARow) {
  const PosedJoints none;
  const Points points = Points::Random(3, 50);
  const DeformerPtr a = stretch(1.5);
  const DeformerPtr b = move(-0.3);
  const DeformerPtr c = stretch(0.7);
  const auto inner = std::make_shared<DeformerStack>(std::vector<DeformerPtr>{b, c, b});
  EXPECT_EQ(DeformerStack({a, inner, c}).deform(points, none), DeformerStack({a, b, c, b, c}).deform(points, none));
}

TEST(DeformerStack, GivesThePointsBackWhereItIsEmpty) {
  const Points points = Points::Random(3, 5);
  EXPECT_EQ(DeformerStack({}).deform(points, PosedJoints{}), points);
}

TEST(DeformerStack, RefusesOperatorsThatDoNotFitTogether) {
  const auto blend = [](std::size_t joints, Index vertices) {
    return std::make_shared<LinearBlend>(SkinWeights::rigid(joints, vertices, 0));
  };
  const auto message = [](std::vector<DeformerPtr> operators) {
    try {
      const DeformerStack stack(std::move(operators));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message({blend(2, 10), move(1), blend(2, 11)}),
            "stack: 'linear-blend' was made for 11 vertices, an operator before it for 10");
  EXPECT_EQ(message({blend(2, 10), blend(3, 10)}),
            "stack: 'linear-blend' was made for 3 joints, an operator before it for 2");
  EXPECT_EQ(message({move(1), nullptr}), "stack: operator 1 of 2 is missing");
}

}  // namespace
}  // namespace sinew::stack_test
