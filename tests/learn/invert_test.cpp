#include "sinew/learn/invert.h"

#include <gtest/gtest.h>

#include <cmath>

#include "learn/black_boxes.h"
#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/character/mesh.h"
#include "sinew/deform/deformers.h"
#include "sinew/deform/lattice.h"
#include "sinew/deform/pose_space.h"
#include "sinew/deform/stack.h"
#include "sinew/deform/wire.h"
#include "sinew/learn/pose_space.h"
#include "sinew/samples/exact_arm.h"
#include "sinew/samples/samples.h"

namespace sinew::invert_test {
namespace {

using test::ExactArm;

double largest(const Points& vectors) {
  return std::sqrt(vectors.colwise().squaredNorm().maxCoeff());
}

/// The check of the black box: the stack at (90, 40), and a target that a known displacement gives.
struct Planted {
  ExactArm arm;
  DeformerPtr stack = test::armStack(arm);
  PosedJoints joints = ExactArm::bent(90, 40);
  Points truth = arm.shaken(0.05, 3);
  Points target = stack->deform(truth, joints);
  int calls = 0;

  [[nodiscard]] double deltaError(const InvertResult& result) const {
    return largest(arm.points + result.deltas - truth);
  }
};

TEST(Invert, TheCheckOfTheBlackBoxStandsWherePublished) {
  const Planted planted;
  EXPECT_LE((planted.truth.col(0) - planted.arm.points.col(0) - Vec3(-.02627694, .00506782, .03736586)).norm(), 2e-8);
  EXPECT_LE((planted.target.col(0) - Vec3(-1.02627778, .18487994, -.13111309)).norm(), 2e-8);
}

TEST(Invert, NewtonRecoversThePlantedDeltasInThirtyCalls) {
  Planted planted;
  const PointMap box = test::counted(posedMap(planted.stack, planted.joints), planted.calls);
  const InvertResult result = invertMap(box, planted.arm.points, planted.target);
  EXPECT_EQ(result.report.method, InvertSolver::Newton);
  EXPECT_LE(result.report.residual.max, 1e-10);
  EXPECT_LE(planted.deltaError(result), 1e-9);
  EXPECT_LE(planted.calls, 30);
  EXPECT_EQ(result.report.evaluations, planted.calls) << "probes count too";
  EXPECT_TRUE(result.report.usable());
  EXPECT_EQ(result.report.nonLocal, 1);
  EXPECT_EQ(result.report.bits, 53);
  EXPECT_EQ(result.report.unreachable, 0);
  EXPECT_TRUE(result.layer.isZero(0));
  EXPECT_GT(result.report.conditioning.minCoeff(), 0.1);
}

TEST(Invert, BroydenSavesCalls) {
  Planted planted;
  const PointMap box = posedMap(planted.stack, planted.joints);
  const InvertResult plain = invertMap(box, planted.arm.points, planted.target);
  const InvertResult secant = invertMap(box, planted.arm.points, planted.target, {.broyden = true});
  EXPECT_LE(secant.report.residual.max, 1e-10);
  EXPECT_LE(planted.deltaError(secant), 1e-9);
  EXPECT_LT(secant.report.evaluations, plain.report.evaluations);
}

TEST(Invert, PowellRecoversThemInLockStepWithBothLineSearches) {
  for (const auto& [line, name] : kChoices<LineSearchKind>) {
    Planted planted;
    const PointMap box = test::counted(posedMap(planted.stack, planted.joints), planted.calls);
    const InvertResult result =
        invertMap(box, planted.arm.points, planted.target, {.method = InvertMethod::Powell, .lineSearch = line});
    EXPECT_EQ(result.report.method, InvertSolver::Powell);
    EXPECT_LE(result.report.residual.max, 1e-6) << name;
    EXPECT_LE(planted.calls, 400) << name;
    EXPECT_EQ(result.report.evaluations, planted.calls);
    EXPECT_LE(result.report.meanEvaluations, 200) << name;
    EXPECT_GT(result.report.meanEvaluations, 10) << name;
    EXPECT_TRUE(result.report.usable());
  }
}

TEST(Invert, ABoxInSinglePrecisionIsFoundOutAndSolvedToItsRounding) {
  for (const InvertMethod method : {InvertMethod::Newton, InvertMethod::Powell}) {
    Planted planted;
    const PointMap box = test::counted(test::inFloat(posedMap(planted.stack, planted.joints)), planted.calls);
    const InvertResult result = invertMap(box, planted.arm.points, planted.target, {.method = method});
    EXPECT_LE(result.report.bits, 24);
    EXPECT_GE(result.report.bits, 20);
    EXPECT_LE(result.report.residual.max, 1e-6) << nameOf(method);
    EXPECT_LE(planted.deltaError(result), 2e-6) << nameOf(method);
    EXPECT_LE(planted.calls, method == InvertMethod::Newton ? 30 : 400);
    EXPECT_EQ(result.report.unreachable, 0) << "rounding is no remainder";
  }
}

TEST(Invert, FloatRestPointsDoNotMakeABoxSinglePrecision) {
  const Planted planted;
  const Points rest = planted.arm.points.cast<float>().cast<double>();
  const PointMap identity = [](const Points& points, Points& moved) { moved = points; };
  EXPECT_EQ(invertMap(identity, rest, rest).report.bits, 53);
}

TEST(Invert, LargeDeltasOfHalfTheModelAreFound) {
  Planted planted;
  const Points truth = planted.arm.shaken(1.0, 5);
  const Points target = planted.stack->deform(truth, planted.joints);
  const InvertResult result = invertDeformer(planted.stack, planted.joints, planted.arm.points, target);
  EXPECT_LE(result.report.residual.max, 1e-9) << "another preimage will do, but it must be one";
}

TEST(Invert, AnUnchangedShapeHasNoDelta) {
  const Planted planted;
  for (const InvertMethod method : {InvertMethod::Newton, InvertMethod::Powell}) {
    const Points posed = planted.stack->deform(planted.arm.points, planted.joints);
    const InvertResult result =
        invertDeformer(planted.stack, planted.joints, planted.arm.points, posed, {.method = method});
    EXPECT_TRUE(result.deltas.isZero(0));
    EXPECT_LE(result.report.evaluations, 8);
  }
}

TEST(Invert, ClosedFormOfALinearBlendAgreesWithTheBlackBox) {
  const Planted planted;
  const auto blend = std::make_shared<LinearBlend>(planted.arm.weights);
  const Points sculpt = planted.arm.sculpted(120, 0);
  const PosedJoints joints = ExactArm::bent(120, 0);
  const InvertResult closed = invertDeformer(blend, joints, planted.arm.points, sculpt);
  EXPECT_EQ(closed.report.method, InvertSolver::Closed);
  EXPECT_LE(closed.report.residual.max, 1e-14);
  const InvertResult box = invertDeformer(blend, joints, planted.arm.points, sculpt, {.method = InvertMethod::Newton});
  EXPECT_EQ(box.report.method, InvertSolver::Newton);
  EXPECT_LE(largest(closed.deltas - box.deltas), 1e-9);
  // By hand: at the elbow's ring the blend of 0 and 120 degrees shrinks by cos(60).
  const Index v = 480;
  const Vec3 moved = blend->deform(planted.arm.points, joints).col(v);
  EXPECT_NEAR((sculpt.col(v) - moved).norm() / closed.deltas.col(v).norm(), 0.5, 1e-9);
}

TEST(Invert, EveryOperatorOfTheTableIsInverted) {
  const Planted planted;
  Skin skin;
  skin.bindings.resize(2);
  skin.weights = planted.arm.weights;
  for (const DeformerRow& row : deformers()) {
    if (row.source != DeformerSource::Skin) continue;
    const DeformerPtr deformer = row.fromSkin(skin);
    const Points target = deformer->deform(planted.truth, planted.joints);
    const InvertResult result = invertDeformer(deformer, planted.joints, planted.arm.points, target);
    EXPECT_LE(result.report.residual.max, 1e-10) << row.name;
    EXPECT_LE(planted.deltaError(result), 1e-9) << row.name;
  }
}

TEST(Invert, IsTheSameUpToAMotionOfTheWorld) {
  const Planted planted;
  Affine motion = Affine::Identity();
  motion.linear() = 40 * Eigen::AngleAxisd(1, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  motion.translation() = Vec3(100, -200, 50);
  const PointMap inside = posedMap(planted.stack, planted.joints);
  const PointMap moved = [&](const Points& rest, Points& out) {
    inside(rest, out);
    out = ((motion.linear() * out).colwise() + motion.translation()).eval();
  };
  const Points target = (motion.linear() * planted.target).colwise() + motion.translation();
  const InvertResult result = invertMap(moved, planted.arm.points, target);
  EXPECT_LE(planted.deltaError(result), 1e-9) << "a box may answer in other units";
  EXPECT_EQ(result.report.singular, 0);
}

TEST(Invert, BipedStackOfBlendLatticeAndWireIsInvertedInSeconds) {
  const Sample biped = makeSample("biped", {.vertices = 20000});
  const Points& rest = biped.character.mesh.points;
  const BoundingBox box = boundingBox(rest);
  const Vec3 half = 0.5 * (box.high - box.low);
  LatticeOptions lattice;
  lattice.resolution = {4, 4, 4};
  lattice.restFromBox = boxBetween(box.low - half, box.high + half);
  lattice.displacements.resize(3, 64);
  Lcg random(4);
  for (int i = 0; i < 64; ++i) lattice.displacements.col(i) = 0.05 * box.diagonal() * random.vector();
  lattice.outside = LatticeOutside::Clamp;
  Wire wire;
  wire.reference.resize(3, 2);
  wire.reference << box.centre() - Vec3(0, 0.4 * half.y(), 0), box.centre() + Vec3(0, 0.4 * half.y(), 0);
  wire.driven = wire.reference;
  wire.driven.row(2).array() += 0.05 * box.diagonal();
  wire.radius = 0.3 * box.diagonal();
  const auto blend = std::make_shared<LinearBlend>(biped.character.skin.weights);
  const auto stack = std::make_shared<DeformerStack>(std::vector<DeformerPtr>{
      blend, std::make_shared<Lattice>(lattice), std::make_shared<WireDeformer>(WireOptions{.wires = {wire}})});

  const Example& example = biped.examples.examples.front();
  PosedJoints joints;
  poseJoints(biped.character.skeleton, biped.character.skin.bindings, example.pose, joints);
  // The sculptor's correction of the plain skin, on top of what the stack shows.
  const Points sculpt = stack->deform(rest, joints) + example.points - blend->deform(rest, joints);
  const InvertResult result = invertDeformer(stack, joints, rest, sculpt);
  EXPECT_LE(result.report.residual.max, 1e-9);
  EXPECT_LE(result.report.evaluations, 40);
  EXPECT_LT(result.report.seconds, 10);
  EXPECT_LE(largest(stack->deform(rest + result.deltas, joints) - sculpt), 1e-9);
}

TEST(Invert, LearnedCorrectionsUnderAndOverALatticeAreInverted) {
  const Sample arm = makeExactArm();
  const Character& character = arm.character;
  const auto learned = std::make_shared<PoseSpaceDeformer>(character, learnPoseSpace(character, arm.examples).model);
  LatticeOptions options;
  options.resolution = {2, 2, 2};
  options.restFromBox = boxBetween(Vec3(-4, -4, -4), Vec3(4, 4, 4));
  options.displacements.resize(3, 8);
  Lcg random(9);
  for (int i = 0; i < 8; ++i) options.displacements.col(i) = 0.3 * random.vector();
  const auto lattice = std::make_shared<Lattice>(options);
  PosedJoints joints;
  poseJoints(character, arm.heldOut.examples.front().pose, joints);
  Points wanted = character.mesh.points;
  for (Index v = 0; v < wanted.cols(); ++v) wanted.col(v) += 0.02 * random.vector();
  for (const auto& operators : {std::vector<DeformerPtr>{learned, lattice}, {lattice, learned}, {learned}}) {
    const auto stack = std::make_shared<DeformerStack>(operators);
    const Points sculpt = stack->deform(wanted, joints);
    const InvertResult result = invertDeformer(stack, joints, character.mesh.points, sculpt);
    EXPECT_LE(result.report.residual.max, 1e-9) << operators.front()->name();
    EXPECT_LE(result.report.evaluations, 40);
    EXPECT_LE(largest(stack->deform(character.mesh.points + result.deltas, joints) - sculpt), 1e-9);
  }
}

TEST(Invert, GivesTheSameBitsOnAnyNumberOfThreads) {
  const Planted planted;
  const PointMap box = posedMap(planted.stack, planted.joints);
  const PointMap smooth = test::smoothed(box, 1, 0.3);
  for (const InvertMethod method : {InvertMethod::Newton, InvertMethod::Powell, InvertMethod::Auto}) {
    const PointMap& map = method == InvertMethod::Auto ? smooth : box;
    const InvertResult all = invertMap(map, planted.arm.points, planted.target, {.method = method});
    const ThreadLimit limit(1);
    const InvertResult one = invertMap(map, planted.arm.points, planted.target, {.method = method});
    EXPECT_EQ(all.deltas, one.deltas) << nameOf(method);
    EXPECT_EQ(all.layer, one.layer) << nameOf(method);
  }
}

TEST(Invert, StopsWhereProgressSaysSo) {
  const Planted planted;
  for (const InvertMethod method : {InvertMethod::Newton, InvertMethod::Powell}) {
    int heard = 0;
    const Progress stop = [&heard](const ProgressState&) { return ++heard < 4; };
    try {
      invertDeformer(planted.stack, planted.joints, planted.arm.points, planted.target, {.method = method}, stop);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::Cancelled);
    }
  }
}

TEST(Invert, SaysWhenItsCallsAreUsedUp) {
  const Planted planted;
  const InvertResult result = invertDeformer(planted.stack, planted.joints, planted.arm.points, planted.target,
                                             {.method = InvertMethod::Powell, .maxCalls = 30});
  EXPECT_LE(result.report.evaluations, 30);
  EXPECT_FALSE(result.report.usable());
  EXPECT_NE(result.report.sentence().find("limit of calls"), std::string::npos) << result.report.sentence();
  EXPECT_GT(result.report.residual.max, 1e-6) << "what is left is shown, not hidden in w";
}

TEST(Invert, RefusesWhatCannotWork) {
  const Planted planted;
  const PointMap box = posedMap(planted.stack, planted.joints);
  const Points& rest = planted.arm.points;
  EXPECT_THROW(invertMap(box, rest, planted.target.leftCols(3)), Error);
  EXPECT_THROW(invertMap(box, rest, planted.target, {.method = InvertMethod::Closed}), Error);
  EXPECT_THROW(invertMap(box, rest, planted.target, {.method = static_cast<InvertMethod>(9)}), Error);
  EXPECT_THROW(invertMap(box, rest, planted.target, {.lineSearch = static_cast<LineSearchKind>(9)}), Error);
  EXPECT_THROW(invertMap(box, rest, planted.target, {.regularisation = -1}), Error);
  EXPECT_THROW(invertMap(box, Points(3, 0), Points(3, 0)), Error);
  EXPECT_THROW(invertDeformer(planted.stack, planted.joints, rest, planted.target, {.method = InvertMethod::Closed}),
               Error);
  EXPECT_THROW(invertDeformer(nullptr, planted.joints, rest, planted.target), Error);
  const PointMap drops = [](const Points& points, Points& moved) { moved = points.leftCols(7); };
  EXPECT_THROW(invertMap(drops, rest, planted.target), Error);
  const PointMap broken = [](const Points& points, Points& moved) {
    moved = points;
    moved(1, 5) = std::nan("");
  };
  EXPECT_THROW(invertMap(broken, rest, planted.target), Error);
}

}  // namespace
}  // namespace sinew::invert_test
