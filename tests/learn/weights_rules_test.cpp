// Locks, masks, confidence, smoothness and normals: what a fit must respect.
#include <gtest/gtest.h>

#include <cmath>

#include "planted.h"
#include "sinew/learn/fit/weights.h"
#include "sinew/samples/exact_arm.h"
#include "support/test_arm.h"

namespace sinew::weights_rules_test {
namespace {

using test::blendedExamples;
using test::feasible;
using test::Planted;
using test::weightDifferences;

TEST(WeightRules, LockedJointsKeepTheirWeights) {
  const Planted planted("limb", 1e-3);
  // Half-way between wrong and right, so that locked weights are between 0 and 1.
  Character half = planted.truth;
  std::vector<std::vector<Influence>> columns;
  for (Index v = 0; v < half.mesh.vertexCount(); ++v) {
    std::vector<Influence> column;
    for (std::uint32_t b = 0; b < half.skin.bindings.size(); ++b) {
      const double w = 0.5 * (planted.truth.skin.weights.weight(v, b) + planted.wrong.skin.weights.weight(v, b));
      if (w > 0) column.push_back({b, w});
    }
    columns.push_back(column);
  }
  half.skin.weights = SkinWeights::fromColumns(half.skin.bindings.size(), columns);
  const fit::FitProblem problem = fit::makeFitProblem(half, planted.set);
  for (const std::vector<std::uint32_t>& locked : {std::vector<std::uint32_t>{1}, {0, 2}, {0, 1, 2, 3}}) {
    const fit::WeightFit fit = fit::fitWeights(half, problem, {.lockedBindings = locked});
    EXPECT_TRUE(feasible(fit.columns, 4));
    const SkinWeights weights = fit::weightsOfVertices(half, problem, fit.columns);
    for (Index v = 0; v < half.mesh.vertexCount(); ++v) {
      for (const std::uint32_t b : locked) EXPECT_NEAR(weights.weight(v, b), half.skin.weights.weight(v, b), 1e-9);
    }
    EXPECT_LE(fit.report.objective, fit::fitWeights(half, problem, {.lockedBindings = {0, 1, 2, 3}}).report.objective);
  }
}

TEST(WeightRules, TheOthersDoTheirBestAroundALock) {
  // With the true weight locked, the rest of the truth is found.
  const Planted planted("limb");
  Character half = planted.truth;
  std::vector<std::vector<Influence>> columns;
  for (Index v = 0; v < half.mesh.vertexCount(); ++v) {
    const double kept = half.skin.weights.weight(v, 1);
    std::vector<Influence> column;
    if (kept > 0) column.push_back({1, kept});
    if (kept < 1) column.push_back({3, 1 - kept});
    columns.push_back(column);
  }
  half.skin.weights = SkinWeights::fromColumns(half.skin.bindings.size(), columns);
  const fit::FitProblem problem = fit::makeFitProblem(half, planted.set);
  const fit::WeightFit fit = fit::fitWeights(half, problem, {.lockedBindings = {1}});
  const SkinWeights weights = fit::weightsOfVertices(half, problem, fit.columns);
  EXPECT_LT(test::rmsOf(weightDifferences(weights, planted.truth.skin.weights)), 1e-6);
}

TEST(WeightRules, LockedVerticesKeepTheirWeights) {
  const Planted planted("limb");
  const fit::FitProblem problem = fit::makeFitProblem(planted.wrong, planted.set);
  const fit::WeightFit fit = fit::fitWeights(planted.wrong, problem, {.lockedVertices = {3, 77}});
  const SkinWeights weights = fit::weightsOfVertices(planted.wrong, problem, fit.columns);
  const Eigen::VectorXd kept = weightDifferences(weights, planted.wrong.skin.weights);
  EXPECT_LT(kept[3], 1e-15);
  EXPECT_LT(kept[77], 1e-15);
  EXPECT_GT(kept[4], 0.1);
}

TEST(WeightRules, TheCapHoldsForLockedWeightsToo) {
  const Planted planted("limb");
  Character even = planted.truth;
  std::vector<std::vector<Influence>> columns(static_cast<std::size_t>(even.mesh.vertexCount()),
                                              {{0, 0.4}, {1, 0.3}, {2, 0.2}, {3, 0.1}});
  even.skin.weights = SkinWeights::fromColumns(even.skin.bindings.size(), columns);
  const fit::FitProblem problem = fit::makeFitProblem(even, planted.set);
  EXPECT_TRUE(feasible(fit::fitWeights(even, problem, {.maxInfluences = 2, .lockedBindings = {0, 1, 2}}).columns, 2));
  EXPECT_TRUE(feasible(fit::fitWeights(even, problem, {.maxInfluences = 2, .lockedVertices = {5}}).columns, 2));
}

TEST(WeightRules, MasksLeaveOutWhatASculptDoesNotCover) {
  Planted planted("limb");
  // Every second example is wrong on the first half of the vertices, which is masked there.
  const Index vertices = planted.truth.mesh.vertexCount();
  for (std::size_t e = 1; e < planted.set.examples.size(); e += 2) {
    Example& example = planted.set.examples[e];
    example.mask.assign(static_cast<std::size_t>(vertices), 1);
    for (Index v = 0; v < vertices / 2; ++v) {
      example.mask[static_cast<std::size_t>(v)] = 0;
      example.points.col(v).setConstant(1e3);
    }
  }
  const fit::FitProblem problem = fit::makeFitProblem(planted.wrong, planted.set);
  const fit::WeightFit fit = fit::fitWeights(planted.wrong, problem);
  const SkinWeights weights = fit::weightsOfVertices(planted.wrong, problem, fit.columns);
  EXPECT_LT(test::rmsOf(weightDifferences(weights, planted.truth.skin.weights)), 1e-6);
  EXPECT_LT(fit.report.objective, 1e-12);
}

TEST(WeightRules, AMaskOfOnesChangesNothing) {
  Planted planted("limb", 1e-3);
  const fit::FitProblem plain = fit::makeFitProblem(planted.wrong, planted.set);
  // Half of one example only: moments and exact displacements must agree.
  const auto vertices = static_cast<std::size_t>(planted.truth.mesh.vertexCount());
  planted.set.examples[1].mask.assign(vertices, 1 - 1e-13);
  const fit::FitProblem masked = fit::makeFitProblem(planted.wrong, planted.set);
  const Eigen::VectorXd differences =
      weightDifferences(fit::weightsOfVertices(planted.wrong, plain, fit::fitWeights(planted.wrong, plain).columns),
                        fit::weightsOfVertices(planted.wrong, masked, fit::fitWeights(planted.wrong, masked).columns));
  EXPECT_LT(differences.maxCoeff(), 1e-8);
}

TEST(WeightRules, ConfidenceDecidesBetweenExamples) {
  const Character arm = test::testArm();
  Character fitted = test::wronglyBound(arm);
  const Pose pose = test::bentArmPose(arm);
  ExampleSet set = blendedExamples(arm, {pose});
  set.examples.push_back(blendedExamples(fitted, {pose}).examples[0]);
  const SkinWeights prior = fitted.skin.weights;
  // How far the posed shape is from the first of two examples that disagree.
  const auto farBy = [&](double first, double second) {
    fitted.skin.weights = prior;
    set.examples[0].confidence = first;
    set.examples[1].confidence = second;
    const fit::FitProblem problem = fit::makeFitProblem(fitted, set);
    fitted.skin.weights = fit::weightsOfVertices(fitted, problem, fit::fitWeights(fitted, problem).columns);
    return (posePoints(fitted, pose) - set.examples[0].points).colwise().norm().maxCoeff();
  };
  EXPECT_LT(farBy(1, 0), 1e-6);
  EXPECT_GT(farBy(1, 1), 0.05);
  EXPECT_LT(farBy(1e6, 1), 1e-3);
  EXPECT_GT(farBy(0, 1), 1.5 * farBy(1, 1));
}

TEST(WeightRules, SmoothnessTakesNoiseOutOfWeights) {
  const Character arm = makeExactArm().character;
  const ExampleSet set = blendedExamples(arm, {exactArmPose(arm, 0.4, 0.3), exactArmPose(arm, 0.8, -0.3)}, 0.01);
  const fit::FitProblem problem = fit::makeFitProblem(arm, set);
  const auto wrongBy = [&](double smoothness) {
    const fit::WeightFit fit = fit::fitWeights(arm, problem, {.smoothness = smoothness});
    EXPECT_TRUE(feasible(fit.columns, 2));
    const SkinWeights weights = fit::weightsOfVertices(arm, problem, fit.columns);
    return std::pair(test::rmsOf(weightDifferences(weights, arm.skin.weights)), fit.report.objective);
  };
  const auto [rough, roughError] = wrongBy(0);
  const auto [smooth, smoothError] = wrongBy(1e-3);
  EXPECT_LT(smooth, 0.5 * rough);
  EXPECT_GT(smoothError, roughError);  // the price
}

TEST(WeightRules, NormalsOfTheTruthAgreeWithItsPoints) {
  const Planted planted("limb");
  const fit::FitProblem problem = fit::makeFitProblem(planted.wrong, planted.set);
  // Linear blend bends normals a little otherwise than joints do, so weights are near the truth, not on it.
  const fit::WeightFit fit = fit::fitWeights(planted.wrong, problem, {.normals = 0.05});
  EXPECT_TRUE(feasible(fit.columns, 4));
  const SkinWeights weights = fit::weightsOfVertices(planted.wrong, problem, fit.columns);
  EXPECT_LT(test::rmsOf(weightDifferences(weights, planted.truth.skin.weights)), 0.05);
}

TEST(WeightRules, NormalsDecideWherePointsCannot) {
  // A tube so thin that points say less about a twist around its axis than the prior: normals do.
  Character arm = makeExactArm().character;
  arm.mesh.points.bottomRows(2) *= 1e-4;
  const ExampleSet set = blendedExamples(arm, {exactArmPose(arm, 0, 1.2)});
  const Character wrong = test::wronglyBound(arm);
  const fit::FitProblem problem = fit::makeFitProblem(wrong, set);
  const auto wrongBy = [&](double normals) {
    const fit::WeightFit fit = fit::fitWeights(wrong, problem, {.prior = 1e-6, .normals = normals});
    return test::rmsOf(weightDifferences(fit::weightsOfVertices(wrong, problem, fit.columns), arm.skin.weights));
  };
  EXPECT_GT(wrongBy(0), 0.3);
  EXPECT_LT(wrongBy(1), 0.15);
}

}  // namespace
}  // namespace sinew::weights_rules_test
