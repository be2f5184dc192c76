#include "sinew/learn/fit/problem.h"

#include <gtest/gtest.h>

#include <cmath>

#include "planted.h"
#include "sinew/learn/fit/weights.h"
#include "support/message_of.h"
#include "support/test_arm.h"

namespace sinew::fit_problem_test {
namespace {

using test::blendedExamples;

/// The arm with every vertex twice, the second half as a part of its own.
Character twiceTheArm(bool skinned, int skinOfSecond) {
  Character arm = test::testArm();
  const Index count = arm.mesh.vertexCount();
  Character twice = arm;
  twice.mesh.points.resize(3, 2 * count);
  twice.mesh.points << arm.mesh.points, arm.mesh.points;
  twice.mesh.normals.resize(3, 0);
  MeshPart first;
  first.vertexCount = count;
  first.faceCount = arm.mesh.faces.size();
  first.skinned = true;
  MeshPart second = first;
  second.firstVertex = count;
  second.firstFace = first.faceCount;
  second.mesh = 1;
  second.skinned = skinned;
  twice.mesh.parts = {first, second};
  for (std::size_t f = 0; f < arm.mesh.faces.size(); ++f) {
    std::vector<std::uint32_t> corners;
    for (const std::uint32_t c : arm.mesh.faces[f]) corners.push_back(c + static_cast<std::uint32_t>(count));
    twice.mesh.faces.add(corners);
  }
  std::uint32_t shift = 0;
  if (skinOfSecond != 0) {
    // The second skin has the same joints but the root, in a rest space that is shifted.
    for (std::size_t b = 0; b < arm.skin.bindings.size(); ++b) {
      Binding binding = arm.skin.bindings[b];
      if (arm.skeleton[binding.joint].name == "root") continue;
      binding.skin = skinOfSecond;
      binding.jointFromRest = binding.jointFromRest * Eigen::Translation3d(-5, 0, 0);
      twice.skin.bindings.push_back(binding);
    }
    twice.mesh.points.rightCols(count).colwise() += Vec3(5, 0, 0);
  }
  std::vector<std::vector<Influence>> columns;
  for (Index v = 0; v < 2 * count; ++v) {
    const auto from = arm.skin.weights[v % count];
    columns.emplace_back(from.begin(), from.end());
    if (v < count || skinOfSecond == 0) continue;
    for (Influence& i : columns.back()) {
      for (std::size_t b = arm.skin.bindings.size(); b < twice.skin.bindings.size(); ++b) {
        if (twice.skin.bindings[b].joint == arm.skin.bindings[i.binding].joint) shift = static_cast<std::uint32_t>(b);
      }
      i.binding = shift;
    }
  }
  twice.skin.weights = SkinWeights::fromColumns(twice.skin.bindings.size(), columns);
  return twice;
}

TEST(FitProblem, WeldsSeamsAndGivesTheirVerticesTheSameWeights) {
  const Character twice = twiceTheArm(true, 0);
  const Index half = twice.mesh.vertexCount() / 2;
  ExampleSet set = blendedExamples(twice, {test::bentArmPose(twice)});
  set.examples[0].points.leftCols(half).colwise() += Vec3(0.01, 0, 0);
  set.examples[0].points.rightCols(half).colwise() -= Vec3(0.01, 0, 0);
  const fit::FitProblem problem = fit::makeFitProblem(twice, set);
  EXPECT_EQ(problem.pointCount(), half);
  const Points blended = posePoints(twice, set.examples[0].pose);
  EXPECT_LT((problem.targets[0] - blended.leftCols(half)).cwiseAbs().maxCoeff(), 1e-12);  // the mean
  const SkinWeights weights = fit::weightsOfVertices(twice, problem, fit::fitWeights(twice, problem).columns);
  for (Index v = 0; v < half; ++v) {
    const auto a = weights[v];
    const auto b = weights[v + half];
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
  }
}

TEST(FitProblem, TakesMasksIntoTheMeanOfASeam) {
  const Character twice = twiceTheArm(true, 0);
  const Index half = twice.mesh.vertexCount() / 2;
  ExampleSet set = blendedExamples(twice, {test::bentArmPose(twice)});
  Example& example = set.examples[0];
  example.mask.assign(static_cast<std::size_t>(2 * half), 1);
  std::fill(example.mask.begin() + half, example.mask.end(), 0);
  const Points kept = example.points.leftCols(half);
  example.points.rightCols(half).setConstant(7);
  const fit::FitProblem problem = fit::makeFitProblem(twice, set);
  EXPECT_LT((problem.targets[0] - kept).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_DOUBLE_EQ(problem.factor(0, 0), 0.5);
}

TEST(FitProblem, LeavesPartsWithoutASkinAlone) {
  const Character twice = twiceTheArm(false, 0);
  const Index half = twice.mesh.vertexCount() / 2;
  const fit::FitProblem problem = fit::makeFitProblem(twice, blendedExamples(twice, {test::bentArmPose(twice)}));
  EXPECT_EQ(problem.pointCount(), half);
  EXPECT_EQ(problem.pointOfVertex.back(), fit::kNotFitted);
  std::vector<std::vector<Influence>> rigid(static_cast<std::size_t>(half), {{0, 1.0}});
  const SkinWeights weights = fit::weightsOfVertices(twice, problem, rigid);
  EXPECT_EQ(weights[0].size(), 1u);
  for (Index v = half; v < 2 * half; ++v) {
    const auto a = weights[v];
    const auto b = twice.skin.weights[v];
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
  }
}

TEST(FitProblem, JoinsSkinsThatMeetByJointsThatBothHave) {
  const Character twice = twiceTheArm(true, 1);
  const Index half = twice.mesh.vertexCount() / 2;
  const ExampleSet set = blendedExamples(
      twice, {test::bentArmPose(twice, 70, 10), test::bentArmPose(twice, -50, 60), test::bentArmPose(twice, 20, -50)});
  const fit::FitProblem problem = fit::makeFitProblem(twice, set);
  EXPECT_EQ(problem.pointCount(), half);
  for (const auto& row : problem.candidates) {
    for (const std::uint32_t b : row) EXPECT_NE(twice.skeleton[twice.skin.bindings[b].joint].name, "root");
  }
  const fit::WeightFit fit = fit::fitWeights(twice, problem);
  Character fitted = twice;
  fitted.skin.weights = fit::weightsOfVertices(twice, problem, fit.columns);
  for (Index v = 0; v < half; ++v) {
    const auto a = fitted.skin.weights[v];
    const auto b = fitted.skin.weights[v + half];
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].weight, b[i].weight);
      EXPECT_EQ(twice.skin.bindings[a[i].binding].joint, twice.skin.bindings[b[i].binding].joint);
      EXPECT_EQ(twice.skin.bindings[b[i].binding].skin, 1);
    }
  }
  const Points posed = posePoints(fitted, test::bentArmPose(twice, 40, 30));
  EXPECT_LT((posed.leftCols(half) - posed.rightCols(half)).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((posed - posePoints(twice, test::bentArmPose(twice, 40, 30))).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(FitProblem, AddsTheRestPoseOnlyWhereItIsMissing) {
  const Character arm = test::testArm();
  ExampleSet set = blendedExamples(arm, {test::bentArmPose(arm)});
  fit::FitProblem problem = fit::makeFitProblem(arm, set);
  ASSERT_EQ(problem.exampleCount(), 2u);
  EXPECT_LT((problem.targets[1] - posePoints(arm, restPose(arm))).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ(problem.confidence[1], 1);
  set.examples.push_back(blendedExamples(arm, {restPose(arm)}).examples[0]);
  EXPECT_EQ(fit::makeFitProblem(arm, set).exampleCount(), 2u);
  set.examples.back().confidence = 0;  // as if it were not there
  EXPECT_EQ(fit::makeFitProblem(arm, set).exampleCount(), 3u);
}

TEST(FitProblem, RefusesWhatCannotBeFitted) {
  const Character arm = test::testArm();
  const ExampleSet good = blendedExamples(arm, {test::bentArmPose(arm)});
  const auto message = [](const Character& character, const ExampleSet& set) {
    return test::messageOf([&] { fit::makeFitProblem(character, set); });
  };
  EXPECT_NE(message(arm, {}).find("there is no example"), std::string::npos);
  Character bare = arm;
  bare.skin = {};
  EXPECT_NE(message(bare, good).find("no skin to fit"), std::string::npos);
  Character unskinned = twiceTheArm(false, 0);
  for (MeshPart& part : unskinned.mesh.parts) part.skinned = false;
  EXPECT_NE(message(unskinned, blendedExamples(unskinned, {restPose(unskinned)})).find("no part of the mesh"),
            std::string::npos);
  ExampleSet bad = good;
  bad.examples[0].points.conservativeResize(3, 5);
  EXPECT_NE(message(arm, bad).find("has 5 vertices"), std::string::npos);
  bad = good;
  bad.examples[0].points(1, 1) = NAN;
  EXPECT_NE(message(arm, bad).find("not a finite number"), std::string::npos);
  bad = good;
  bad.examples[0].mask = {1, 2};
  EXPECT_NE(message(arm, bad).find("mask of the example 'pose 0' has 2 entries"), std::string::npos);
  bad.examples[0].mask.assign(static_cast<std::size_t>(arm.mesh.vertexCount()), -1);
  EXPECT_NE(message(arm, bad).find("below 0"), std::string::npos);
  bad = good;
  bad.examples[0].confidence = -2;
  EXPECT_NE(message(arm, bad).find("confidence -2"), std::string::npos);
  Character morphing = arm;
  MorphTarget morph;
  morph.name = "smile";
  morph.deltas = Points::Ones(3, 4);
  morphing.morphs.push_back(morph);
  bad = good;
  bad.examples[0].pose.morphWeights = {0.5};
  EXPECT_NE(message(morphing, bad).find("sets the morph target 'smile' to 0.5"), std::string::npos);
}

}  // namespace
}  // namespace sinew::fit_problem_test
