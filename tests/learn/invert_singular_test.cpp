// Singular poses, operators that are not point-wise, seams.
#include <gtest/gtest.h>

#include <cmath>

#include "learn/black_boxes.h"
#include "sinew/base/error.h"
#include "sinew/learn/invert.h"

namespace sinew::invert_singular_test {
namespace {

using test::ExactArm;

double largest(const Points& vectors) {
  return std::sqrt(vectors.colwise().squaredNorm().maxCoeff());
}

/// The arm folded by 180 degrees: the ring of weights one half has no inverse.
struct Folded {
  ExactArm arm;
  DeformerPtr blend = std::make_shared<LinearBlend>(arm.weights);
  PosedJoints joints = ExactArm::bent(180, 0);
  Points sculpt = test::bicepsSculpt(arm, 180);

  [[nodiscard]] double reproduction(const InvertResult& result) const {
    return largest(blend->deform(arm.points + result.deltas, joints) + result.layer - sculpt);
  }
};

TEST(InvertSingular, DeltasAndLayerAreAsLongAsPublished) {
  const Folded folded;
  for (const InvertMethod method : {InvertMethod::Closed, InvertMethod::Newton, InvertMethod::Powell}) {
    const InvertResult weak = invertDeformer(folded.blend, folded.joints, folded.arm.points, folded.sculpt,
                                             {.method = method, .regularisation = 1e-2});
    EXPECT_NEAR(weak.report.largestDelta, 1.0181, 1e-3) << nameOf(method);
    EXPECT_NEAR(largest(weak.layer), .20015, 2e-4) << nameOf(method);
    EXPECT_LE(folded.reproduction(weak), 1e-12) << nameOf(method);
    const InvertResult strong = invertDeformer(folded.blend, folded.joints, folded.arm.points, folded.sculpt,
                                               {.method = method, .regularisation = 1});
    EXPECT_NEAR(strong.report.largestDelta, .08988, 1e-4) << nameOf(method);
    EXPECT_NEAR(largest(strong.layer), .20379, 2e-4) << nameOf(method);
    EXPECT_LE(folded.reproduction(strong), 1e-12) << nameOf(method);
  }
}

TEST(InvertSingular, OnlySingularVerticesAreRegularisedByDefault) {
  const Folded folded;
  for (const InvertMethod method : {InvertMethod::Closed, InvertMethod::Newton}) {
    const InvertResult result =
        invertDeformer(folded.blend, folded.joints, folded.arm.points, folded.sculpt, {.method = method});
    EXPECT_TRUE(result.deltas.allFinite());
    EXPECT_LT(result.report.largestDelta, 3);
    EXPECT_LE(result.report.residual.max, 1e-10);
    EXPECT_EQ(result.report.singular, 24) << "the ring in the middle";
    EXPECT_EQ(result.report.unreachable, 22) << "two of the ring lie on the axis that stays";
    for (Index v = 0; v < 984; ++v) {
      if (v / 24 == 20) continue;
      EXPECT_TRUE(result.layer.col(v).isZero(0)) << v;
      EXPECT_TRUE(result.report.reachable[static_cast<std::size_t>(v)]);
    }
    EXPECT_LE(folded.reproduction(result), 1e-10);
    EXPECT_GT(result.report.withoutLayer.max, 0.1);
  }
}

TEST(InvertSingular, ARigidBoneSharesTheCorrectionAsMuSays) {
  // The paper's lambda = epsilon = 1e-4 is mu = 1.0001: half of the correction; epsilon = 1e-6 leaves a hundredth to w.
  const Vec3 r(.1, .05, .02);
  const Mat3 turn = Eigen::AngleAxisd(std::acos(0.0), Vec3::UnitZ()).toRotationMatrix();
  const PointMap box = [&](const Points& rest, Points& moved) { moved = turn * rest; };
  const ExactArm arm;
  const Points sculpt = (turn * arm.points).colwise() + r;
  const auto sharesFor = [&](double lambda, double epsilon) {
    const InvertResult result = invertMap(box, arm.points, sculpt, {.regularisation = epsilon * (1 + lambda) / lambda});
    return std::pair((turn * result.deltas.col(7)).norm() / r.norm(), result.layer.col(7).norm() / r.norm());
  };
  const auto [half, other] = sharesFor(1e-4, 1e-4);
  EXPECT_NEAR(half, .49998, 1e-4);
  EXPECT_NEAR(other, .50002, 1e-4);
  const auto [most, little] = sharesFor(1e-4, 1e-6);
  EXPECT_NEAR(most, .9901, 1e-4);
  EXPECT_NEAR(little, .0099, 1e-4);
}

TEST(InvertSingular, TheLayerHasTheSignThatPlays) {
  // Of M = diag(0, 0, 1), w must take x and y, to be added after the operator.
  const PointMap flat = [](const Points& rest, Points& moved) {
    moved = rest;
    moved.topRows(2).setZero();
  };
  const ExactArm arm;
  const Points sculpt = arm.points.colwise() + Vec3(.1, .2, .3);
  for (const InvertMethod method : {InvertMethod::Newton, InvertMethod::Powell}) {
    const InvertResult result = invertMap(flat, arm.points, sculpt, {.method = method});
    Points played;
    flat(arm.points + result.deltas, played);
    EXPECT_LE(largest(played + result.layer - sculpt), 2e-5) << nameOf(method);
    EXPECT_LE(result.deltas.topRows(2).cwiseAbs().maxCoeff(), 1e-6) << nameOf(method) << ": nothing runs away";
    EXPECT_NEAR(result.deltas(2, 0), .3, 1e-3) << nameOf(method);
    EXPECT_EQ(result.report.unreachable, 984);
  }
}

TEST(InvertSingular, WhatLiesOutOfReachIsLeftToTheLayer) {
  // A box that bends all of space into a ball: regular everywhere, but the sculpt has points outside of the ball.
  const PointMap ball = [](const Points& rest, Points& moved) {
    moved = rest;
    for (Index v = 0; v < rest.cols(); ++v) moved.col(v) /= std::sqrt(1 + rest.col(v).squaredNorm());
  };
  const ExactArm arm;
  Points sculpt;
  ball(arm.points, sculpt);
  sculpt.col(100) = Vec3(-0.9, 0.9, 0.9);
  for (const InvertMethod method : {InvertMethod::Newton, InvertMethod::Powell}) {
    const InvertResult result = invertMap(ball, arm.points, sculpt, {.method = method});
    EXPECT_EQ(result.report.unreachable, 1) << nameOf(method);
    EXPECT_FALSE(result.report.reachable[100]);
    EXPECT_LE(result.report.residual.max, 1e-9) << "with w it is exact";
    EXPECT_LT(result.report.largestDelta, 1 / (2 * std::sqrt(1e-4)) * 2);
    EXPECT_GT(result.layer.col(100).norm(), 0.3);
    EXPECT_TRUE(result.deltas.allFinite());
  }
}

TEST(InvertNonLocal, ASmoothingPassIsFoundAndStillSolved) {
  const ExactArm arm;
  const PointMap skin = posedMap(std::make_shared<LinearBlend>(arm.weights), ExactArm::bent(90, 40));
  struct Row {
    int passes;
    double amount;
    Index moves;
  };
  for (const Row& row : {Row{1, 0.5, 5}, Row{1, 0.3, 5}, Row{3, 0.3, 25}}) {
    int calls = 0;
    const PointMap box = test::counted(test::smoothed(skin, row.passes, row.amount), calls);
    Points target;
    box(arm.shaken(0.05, 3), target);
    calls = 0;
    const InvertResult result = invertMap(box, arm.points, target);
    EXPECT_EQ(result.report.method, InvertSolver::FixedPoint);
    EXPECT_EQ(result.report.nonLocal, row.moves);
    EXPECT_LE(result.report.residual.max, 1e-5 * ExactArm::kDiagonal) << row.passes << " " << row.amount;
    EXPECT_TRUE(result.report.usable());
    EXPECT_EQ(result.report.evaluations, calls);
    EXPECT_LE(calls, 80);
    EXPECT_TRUE(result.layer.isZero(0));
    EXPECT_LT(result.report.largestDelta, 0.2);
  }
}

TEST(InvertNonLocal, SculptsAndSinglePrecisionAreSolvedToo) {
  const ExactArm arm;
  const PointMap skin = posedMap(std::make_shared<LinearBlend>(arm.weights), ExactArm::bent(90, 40));
  const PointMap box = test::inFloat(test::smoothed(skin, 1, 0.5));
  const InvertResult result = invertMap(box, arm.points, arm.sculpted(90, 40));
  EXPECT_EQ(result.report.nonLocal, 5);
  EXPECT_LE(result.report.residual.max, 1e-5 * ExactArm::kDiagonal);
}

TEST(InvertNonLocal, WhatDoesNotConvergeIsReported) {
  // Neighbours alone, without the vertex itself: this erases a chequered pattern, and no iteration brings it back.
  const ExactArm arm;
  const PointMap skin = posedMap(std::make_shared<LinearBlend>(arm.weights), ExactArm::bent(90, 40));
  const InvertResult result = invertMap(test::smoothed(skin, 1, 1.0), arm.points, arm.sculpted(90, 40));
  EXPECT_FALSE(result.report.usable());
  EXPECT_GT(result.report.residual.max, 1e-5) << "shown, not hidden in w";
  EXPECT_LT(result.report.residual.max, result.report.before.max);
  EXPECT_TRUE(result.deltas.allFinite());
  EXPECT_NE(result.report.sentence().find("no further progress"), std::string::npos) << result.report.sentence();
}

TEST(InvertNonLocal, PowellRefusesAnOperatorThatMovesNeighbours) {
  const ExactArm arm;
  const PointMap box =
      test::smoothed(posedMap(std::make_shared<LinearBlend>(arm.weights), ExactArm::bent(90, 40)), 1, 0.5);
  EXPECT_THROW(invertMap(box, arm.points, arm.sculpted(90, 40), {.method = InvertMethod::Powell}), Error);
}

TEST(InvertSeams, TwinsGetEqualDeltasAndPartingLipsDoNot) {
  // Vertices 0 and 1 are one seam; 2 and 3 coincide at rest but are moved apart.
  Points rest(3, 6);
  rest << 0, 0, 1, 1, 2, 3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1;
  const PointMap box = [](const Points& points, Points& moved) {
    moved = 2 * points;
    moved(1, 3) += 1;
  };
  Points sculpt;
  box(rest, sculpt);
  sculpt.col(0) += Vec3(0.1, 0, 0);
  sculpt.col(1) += Vec3(0.1, 1e-5, 0);  // the sculptor's tool did not keep the seam quite closed
  sculpt.col(2) += Vec3(0, 0.3, 0);
  sculpt.col(3) += Vec3(0, -0.2, 0);
  const InvertResult result = invertMap(box, rest, sculpt);
  EXPECT_EQ(result.deltas.col(0), result.deltas.col(1)) << "bit for bit";
  EXPECT_LE((result.deltas.col(0) - Vec3(0.05, 0.25e-5, 0)).norm(), 1e-9);
  EXPECT_LE((result.deltas.col(2) - Vec3(0, 0.15, 0)).norm(), 1e-9);
  EXPECT_LE((result.deltas.col(3) - Vec3(0, -0.1, 0)).norm(), 1e-9);
}

}  // namespace
}  // namespace sinew::invert_singular_test
