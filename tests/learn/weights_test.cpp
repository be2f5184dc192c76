#include "sinew/learn/fit/weights.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <numbers>

#include "planted.h"
#include "sinew/base/parallel.h"
#include "sinew/learn/fit/weights_columns.h"
#include "sinew/math/decompositions.h"
#include "sinew/math/rotation.h"
#include "sinew/samples/exact_arm.h"
#include "support/message_of.h"
#include "support/test_arm.h"

namespace sinew::weights_test {
namespace {

using test::blendedExamples;
using test::feasible;
using test::Planted;
using test::weightDifferences;

constexpr double kDegree = std::numbers::pi / 180;

class PlantedWeights : public testing::TestWithParam<const char*> {};

TEST_P(PlantedWeights, ComeBackFromAWrongPrior) {
  const Planted planted(GetParam());
  const fit::FitProblem problem = fit::makeFitProblem(planted.wrong, planted.set);
  const fit::WeightFit fit = fit::fitWeights(planted.wrong, problem);
  EXPECT_TRUE(feasible(fit.columns, 4));
  EXPECT_EQ(fit.report.unconverged, 0);
  EXPECT_EQ(fit.report.changed, problem.pointCount());
  for (const double exercise : fit.report.exercise) EXPECT_GT(exercise, 1e-3);
  const SkinWeights weights = fit::weightsOfVertices(planted.wrong, problem, fit.columns);
  EXPECT_LT(test::rmsOf(weightDifferences(weights, planted.truth.skin.weights)), 1e-6);
}

TEST_P(PlantedWeights, SurviveNoise) {
  const Planted planted(GetParam(), 1e-4);
  const fit::FitProblem problem = fit::makeFitProblem(planted.wrong, planted.set);
  const fit::WeightFit fit = fit::fitWeights(planted.wrong, problem);
  const SkinWeights weights = fit::weightsOfVertices(planted.wrong, problem, fit.columns);
  const Eigen::VectorXd differences = weightDifferences(weights, planted.truth.skin.weights);
  EXPECT_GE(static_cast<double>((differences.array() < 0.05).count()), 0.95 * static_cast<double>(differences.size()));
}

TEST_P(PlantedWeights, AWorkingSetFindsWhatAllJointsFind) {
  const Planted planted(GetParam(), 1e-3);
  const fit::FitProblem problem = fit::makeFitProblem(planted.wrong, planted.set);
  const fit::WeightFit some = fit::fitWeights(planted.wrong, problem, {.prefilter = true});
  const fit::WeightFit all = fit::fitWeights(planted.wrong, problem, {.prefilter = false});
  const Eigen::VectorXd differences = weightDifferences(fit::weightsOfVertices(planted.wrong, problem, some.columns),
                                                        fit::weightsOfVertices(planted.wrong, problem, all.columns));
  EXPECT_LT(differences.maxCoeff(), 1e-7);
  EXPECT_NEAR(some.report.objective, all.report.objective, 1e-12 * all.report.objective);
}

TEST_P(PlantedWeights, AreTheSameBitsOnAnyNumberOfThreads) {
  const Planted planted(GetParam(), 1e-3);
  const fit::FitProblem problem = fit::makeFitProblem(planted.wrong, planted.set);
  fit::WeightFit one;
  {
    const ThreadLimit limit(1);
    one = fit::fitWeights(planted.wrong, problem, {.smoothness = 1e-6, .smoothRounds = 2});
  }
  const ThreadLimit limit(2);
  const fit::WeightFit two = fit::fitWeights(planted.wrong, problem, {.smoothness = 1e-6, .smoothRounds = 2});
  EXPECT_EQ(one.columns, two.columns);
  EXPECT_EQ(one.errors, two.errors);
  EXPECT_EQ(one.report.objective, two.report.objective);
  EXPECT_EQ(fit::quantizeWeights(problem, one, 255).columns, fit::quantizeWeights(problem, two, 255).columns);
}

INSTANTIATE_TEST_SUITE_P(Samples, PlantedWeights, testing::Values("arm", "limb", "biped"));

/// The exact arm and bends of 0, 40, 80, 120, 160 degrees of the sculptor Q (v + biceps n).
struct BentArms {
  BentArms() : character(makeExactArm().character) {
    const Points rest = exactArmRest();
    const Eigen::VectorXd lower = exactArmLowerWeights();
    for (const double degrees : {0.0, 40.0, 80.0, 120.0, 160.0}) {
      const double bend = degrees * kDegree;
      Example example;
      example.pose = exactArmPose(character, bend, 0);
      example.points.resize(3, rest.cols());
      for (Index v = 0; v < rest.cols(); ++v) {
        const double a = 2 * std::numbers::pi * static_cast<double>(v % 24) / 24;
        const double x = rest(0, v);
        const double bulge = 0.08 * (1 - std::cos(bend)) / 2 * std::exp(-std::pow((x + 0.45) / 0.18, 2)) *
                             std::pow(std::max(0.0, std::cos(a)), 2);
        const Quat turn(Eigen::AngleAxisd(bend, Vec3::UnitZ()));
        Quat blended;
        blended.coeffs() = (1 - lower[v]) * Quat::Identity().coeffs() + lower[v] * turn.coeffs();
        example.points.col(v) = blended.normalized() * Vec3(rest.col(v) + bulge * Vec3(0, std::cos(a), std::sin(a)));
      }
      set.examples.push_back(std::move(example));
    }
    problem = fit::makeFitProblem(character, set);
  }
  [[nodiscard]] double rms(const std::vector<double>& errors) const {
    double sum = 0;
    for (const double error : errors) sum += error;
    return std::sqrt(sum / (984.0 * 5)) / std::sqrt(4.32);
  }
  Character character;
  ExampleSet set;
  fit::FitProblem problem;
};

TEST(Weights, OfTheBentArmAreTheKnownOnes) {
  const BentArms arms;
  ASSERT_EQ(arms.problem.pointCount(), 984);
  ASSERT_EQ(arms.problem.exampleCount(), 5u);  // the first is at rest already
  EXPECT_NEAR(arms.rms(fit::weightErrors(arms.problem, arms.problem.prior)), 0.0244200, 1e-6);
  const fit::WeightFit fit = fit::fitWeights(arms.character, arms.problem);
  EXPECT_TRUE(feasible(fit.columns, 2));
  EXPECT_NEAR(arms.rms(fit.errors), 0.0230710, 1e-6);
  EXPECT_EQ(fit::weightErrors(arms.problem, fit.columns).size(), fit.errors.size());
  EXPECT_NEAR(arms.rms(fit::weightErrors(arms.problem, fit.columns)), arms.rms(fit.errors), 1e-15);
}

TEST(Weights, WithoutConstraintsLeaveTheirRangeOnTheBentArm) {
  const BentArms arms;
  double least = 1;
  double most = 0;
  Index outside = 0;
  for (Index v = 0; v < 984; ++v) {
    Eigen::MatrixXd A(15, 2);
    Eigen::VectorXd b(15);
    for (std::size_t e = 0; e < 5; ++e) {
      const auto row = 3 * static_cast<Index>(e);
      for (Index j = 0; j < 2; ++j) {
        A.block<3, 1>(row, j) = arms.problem.worldFromRest[e][static_cast<std::size_t>(j)] * arms.problem.rest.col(v);
      }
      b.segment<3>(row) = arms.problem.targets[e].col(v);
    }
    const Eigen::VectorXd w = leastSquares(A, b, 1e-15);
    least = std::min(least, w.minCoeff());
    most = std::max(most, w.maxCoeff());
    if (w.minCoeff() < -1e-9 || w.maxCoeff() > 1 + 1e-9) ++outside;
  }
  EXPECT_NEAR(least, -0.05168, 1e-5);
  EXPECT_NEAR(most, 1.03531, 1e-5);
  EXPECT_EQ(outside, 136);
}

TEST(Weights, OfTheBentArmMeetTheOptimalityConditions) {
  const BentArms arms;
  const fit::WeightFit fit = fit::fitWeights(arms.character, arms.problem, {.prior = 0});
  Eigen::MatrixXd columns;
  for (Index p = 0; p < arms.problem.pointCount(); ++p) {
    fit::displacements(arms.problem, p, arms.problem.candidates[0], nullptr, columns);
    Eigen::Vector2d w = Eigen::Vector2d::Zero();
    for (const Influence& i : fit.columns[static_cast<std::size_t>(p)]) w[i.binding] = i.weight;
    const Eigen::Matrix2d Q = columns.transpose() * columns;
    if (Q.trace() < 1e-20) continue;
    const Eigen::Vector2d g = Q * w * (2 / Q.trace());
    EXPECT_GE((g.array() - g.dot(w)).minCoeff(), -1e-9) << "point " << p;
  }
}

TEST(Weights, DoNotFeelWhereTheSceneIs) {
  const Planted planted("limb", 1e-3);
  Character far = planted.wrong;
  ExampleSet moved = planted.set;
  Eigen::Isometry3d motion(Eigen::AngleAxisd(0.8, Vec3(1, 2, 3).normalized()));
  motion.pretranslate(10 * boundingBox(far.mesh.points).diagonal() * Vec3(1, -1, 1));
  for (std::size_t e = 1; e < moved.examples.size(); ++e) {
    Example& example = moved.examples[e];
    example.pose = movedBy(far.skeleton, example.pose, motion);
    example.points = motion * example.points;
  }
  const fit::FitProblem here = fit::makeFitProblem(planted.wrong, planted.set);
  const fit::FitProblem there = fit::makeFitProblem(far, moved);
  const Eigen::VectorXd differences =
      weightDifferences(fit::weightsOfVertices(far, here, fit::fitWeights(planted.wrong, here).columns),
                        fit::weightsOfVertices(far, there, fit::fitWeights(far, there).columns));
  EXPECT_LT(differences.maxCoeff(), 1e-7);
}

TEST(Weights, ObeyTheCap) {
  const Planted planted("biped", 3e-3);
  const fit::FitProblem problem = fit::makeFitProblem(planted.wrong, planted.set);
  double before = std::numeric_limits<double>::infinity();
  for (const int most : {1, 2, 3, 4, 8}) {
    const fit::WeightFit fit = fit::fitWeights(planted.wrong, problem, {.maxInfluences = most});
    EXPECT_TRUE(feasible(fit.columns, most)) << most;
    EXPECT_LT(fit.report.objective, before * (1 + 1e-12)) << most;
    before = fit.report.objective;
  }
}

TEST(Weights, StayWhereNoExampleTellsJointsApart) {
  // The lower arm never moves against the upper one: what both have together is found, the share is kept.
  const Character arm = test::testArm();
  Pose turned = restPose(arm);
  turned.local[1].rotation = Quat(Eigen::AngleAxisd(0.7, Vec3::UnitZ()));
  const ExampleSet set = blendedExamples(arm, {turned});
  const fit::FitProblem problem = fit::makeFitProblem(arm, set);
  ASSERT_EQ(problem.exampleCount(), 2u);  // the rest pose was added
  const fit::WeightFit fit = fit::fitWeights(arm, problem);
  EXPECT_LT(weightDifferences(fit::weightsOfVertices(arm, problem, fit.columns), arm.skin.weights).maxCoeff(), 1e-9);
  EXPECT_EQ(fit.report.changed, 0);
  const auto exerciseOf = [&](const char* name) {
    for (std::size_t b = 0; b < arm.skin.bindings.size(); ++b) {
      if (arm.skeleton[arm.skin.bindings[b].joint].name == name) return fit.report.exercise[b];
    }
    return -1.0;
  };
  EXPECT_NEAR(exerciseOf("lower"), 0, 1e-7);
  EXPECT_GT(exerciseOf("upper"), 0.01);
}

TEST(Weights, OfFewerExamplesThanUnknownsAreFeasible) {
  const Planted planted("biped");
  ExampleSet one;
  one.examples.push_back(planted.set.examples[5]);  // 6 equations for 25 unknowns
  const fit::FitProblem problem = fit::makeFitProblem(planted.wrong, one);
  EXPECT_TRUE(feasible(fit::fitWeights(planted.wrong, problem).columns, 4));
  const fit::WeightFit fit = fit::fitWeights(planted.wrong, problem, {.maxInfluences = 25});
  EXPECT_TRUE(feasible(fit.columns, 25));
  EXPECT_LT(fit.report.objective, 1e-12 * problem.diagonal * problem.diagonal * 4000);
}

TEST(Weights, OfDegenerateExamplesAreFeasible) {
  const Planted planted("biped");
  std::vector<ExampleSet> sets;
  ExampleSet same;  // one example many times
  for (int i = 0; i < 4; ++i) same.examples.push_back(planted.set.examples[3]);
  sets.push_back(same);
  ExampleSet atOrigin = planted.set;  // all points in one place
  for (Example& example : atOrigin.examples) example.points.setZero();
  sets.push_back(atOrigin);
  ExampleSet masked = planted.set;  // no vertex counts
  for (Example& example : masked.examples) example.mask.assign(static_cast<std::size_t>(example.points.cols()), 0);
  sets.push_back(masked);
  ExampleSet doubted = planted.set;
  for (Example& example : doubted.examples) example.confidence = 0;
  sets.push_back(doubted);
  ExampleSet restOnly;
  restOnly.examples.push_back(planted.set.examples[0]);
  sets.push_back(restOnly);
  ExampleSet huge = planted.set;
  for (Example& example : huge.examples) example.points *= 1e12;
  sets.push_back(huge);
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const fit::FitProblem problem = fit::makeFitProblem(planted.wrong, sets[s]);
    const fit::WeightFit fit = fit::fitWeights(planted.wrong, problem);
    EXPECT_TRUE(feasible(fit.columns, 4)) << "set " << s;
    EXPECT_TRUE(feasible(fit::quantizeWeights(problem, fit, 255).columns, 4)) << "set " << s;
    EXPECT_TRUE(std::isfinite(fit.report.objective)) << "set " << s;
    for (const double exercise : fit.report.exercise) EXPECT_TRUE(std::isfinite(exercise));
    const bool silent = s >= 2 && s <= 4;  // nothing is said about any joint
    EXPECT_EQ(fit.report.changed == 0, silent) << "set " << s;
  }
}

TEST(Weights, OfCoincidentJointsAreSharedAsBefore) {
  Character arm = test::testArm();
  // A second binding of the lower arm that carries a third of its weight.
  const std::size_t count = arm.skin.bindings.size();
  std::uint32_t lower = 0;
  for (std::size_t b = 0; b < count; ++b) {
    if (arm.skeleton[arm.skin.bindings[b].joint].name == "lower") lower = static_cast<std::uint32_t>(b);
  }
  arm.skin.bindings.push_back(arm.skin.bindings[lower]);
  std::vector<std::vector<Influence>> columns;
  for (Index v = 0; v < arm.mesh.vertexCount(); ++v) {
    std::vector<Influence> column;
    for (const Influence& i : arm.skin.weights[v]) {
      if (i.binding != lower) column.push_back(i);
      if (i.binding != lower) continue;
      column.push_back({lower, i.weight * 2 / 3});
      column.push_back({static_cast<std::uint32_t>(count), i.weight / 3});
    }
    columns.push_back(column);
  }
  arm.skin.weights = SkinWeights::fromColumns(count + 1, columns);
  const ExampleSet set = blendedExamples(arm, {test::bentArmPose(arm, 60, 20), test::bentArmPose(arm, -40, 60)});
  const fit::FitProblem problem = fit::makeFitProblem(arm, set);
  const fit::WeightFit fit = fit::fitWeights(arm, problem);
  EXPECT_TRUE(feasible(fit.columns, 4));
  EXPECT_LT(weightDifferences(fit::weightsOfVertices(arm, problem, fit.columns), arm.skin.weights).maxCoeff(), 1e-4);
}

TEST(Weights, RefuseWhatCannotBe) {
  const Character arm = test::testArm();
  const fit::FitProblem problem = fit::makeFitProblem(arm, blendedExamples(arm, {test::bentArmPose(arm)}));
  const auto message = [&](const fit::WeightOptions& options) {
    return test::messageOf([&] { fit::fitWeights(arm, problem, options); });
  };
  EXPECT_NE(message({.maxInfluences = 0}).find("max influences is 0"), std::string::npos);
  EXPECT_NE(message({.prior = -1}).find("the prior is -1"), std::string::npos);
  EXPECT_NE(message({.smoothness = NAN}).find("the smoothness is nan"), std::string::npos);
  EXPECT_NE(message({.lockedBindings = {99}}).find("binding 99 is locked"), std::string::npos);
  EXPECT_NE(message({.lockedVertices = {99999}}).find("vertex 99999 is locked"), std::string::npos);
  EXPECT_NE(test::messageOf([&] { fit::weightErrors(problem, {}); }).find("0 columns"), std::string::npos);
}

TEST(Weights, CanBeCancelled) {
  const Planted planted("arm");
  const fit::FitProblem problem = fit::makeFitProblem(planted.wrong, planted.set);
  const auto stop = [](const ProgressState&) { return false; };
  try {
    fit::fitWeights(planted.wrong, problem, {}, stop);
    FAIL() << "it went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Cancelled);
  }
}

}  // namespace
}  // namespace sinew::weights_test
