#include "sinew/learn/fit/influence_sets.h"

#include <gtest/gtest.h>

#include "planted.h"
#include "sinew/learn/fit/weights.h"
#include "support/test_arm.h"

namespace sinew::influence_sets_test {
namespace {

TEST(InfluenceSets, ScoreTheJointThatCarriesAPointBest) {
  const Character arm = test::testArm();
  const ExampleSet set = test::blendedExamples(arm, {test::bentArmPose(arm, 70, 10), test::bentArmPose(arm, -50, 60)});
  const fit::FitProblem problem = fit::makeFitProblem(arm, set);
  int rigid = 0;
  for (Index p = 0; p < problem.pointCount(); ++p) {
    const auto& prior = problem.prior[static_cast<std::size_t>(p)];
    const Eigen::VectorXd scores = fit::rigidityScores(problem, p);
    if (prior.size() > 1) continue;
    ++rigid;
    EXPECT_LT(scores[prior[0].binding], 1e-12);
    EXPECT_GT(scores.maxCoeff(), 0.05);
  }
  EXPECT_GT(rigid, 50);
}

TEST(InfluenceSets, RankBaseJointsAndBringTheirHelpers) {
  Character arm = test::testArm();
  std::vector<Joint> joints(arm.skeleton.joints().begin(), arm.skeleton.joints().end());
  const int lower = arm.skeleton.index("lower");
  const auto half = static_cast<int>(joints.size());
  joints.push_back({"lower_half", arm.skeleton[lower].parent, arm.skeleton[lower].rest});
  arm.skeleton = Skeleton(joints);
  arm.helpers.push_back({.joint = half, .source = lower});
  const std::vector<std::uint32_t> candidates = {0, 1, 2, 3};
  arm.skin.bindings.push_back({half, Affine::Identity(), 0});
  const fit::InfluenceSets sets(arm, candidates);
  int lowerPlace = 0;
  for (int b = 0; b < 3; ++b) {
    if (arm.skin.bindings[static_cast<std::size_t>(b)].joint == lower) lowerPlace = b;
  }
  EXPECT_TRUE(sets.isHelper(3));
  EXPECT_FALSE(sets.isHelper(lowerPlace));
  Eigen::Vector4d scores(5, 5, 5, 0);  // the helper would win
  scores[lowerPlace] = 1;
  std::vector<int> places;
  sets.mostRigid(scores, {0, 0, 0, 0}, 1, places);
  EXPECT_EQ(places, (std::vector<int>{lowerPlace, 3}));
  sets.mostRigid(scores, {0, 0, 0, 1}, 1, places);
  EXPECT_EQ(places, (std::vector<int>{lowerPlace}));
  std::vector<char> barred(4, 0);
  barred[static_cast<std::size_t>(lowerPlace)] = 1;
  sets.mostRigid(scores, barred, 4, places);
  EXPECT_EQ(places.size(), 2u);  // two base joints; the helper comes with its source only
}

TEST(InfluenceSets, ManyJointsFindWhatAllJointsFind) {
  // The biped with three partly turning joints beside each of its own: 97 in all.
  const Sample sample = makeSample("biped", {.vertices = 1000});
  Character many = sample.character;
  std::vector<Joint> joints(many.skeleton.joints().begin(), many.skeleton.joints().end());
  const std::vector<Binding> own = many.skin.bindings;
  for (const double share : {0.25, 0.5, 0.75}) {
    for (const Binding& binding : own) {
      const Joint source = joints[static_cast<std::size_t>(binding.joint)];
      if (source.parent < 0) continue;
      const auto joint = static_cast<int>(joints.size());
      many.helpers.push_back({.joint = joint, .source = binding.joint, .share = share});
      many.skin.bindings.push_back({joint, binding.jointFromRest, binding.skin});
      joints.push_back({source.name + "_" + std::to_string(joint), source.parent, source.rest});
    }
  }
  many.skeleton = Skeleton(joints);
  std::vector<std::vector<Influence>> columns;
  for (Index v = 0; v < many.mesh.vertexCount(); ++v) {
    const auto column = sample.character.skin.weights[v];
    columns.emplace_back(column.begin(), column.end());
  }
  many.skin.weights = SkinWeights::fromColumns(many.skin.bindings.size(), columns);
  ExampleSet set = sample.examples;
  for (Example& example : set.examples) {
    Pose pose = restPose(many);
    std::copy(example.pose.local.begin(), example.pose.local.end(), pose.local.begin());
    example.pose = pose;
  }
  const fit::FitProblem problem = fit::makeFitProblem(many, set);
  ASSERT_GT(problem.candidates[0].size(), 90u);
  const fit::WeightFit some = fit::fitWeights(many, problem, {.prefilter = true});
  const fit::WeightFit all = fit::fitWeights(many, problem, {.prefilter = false});
  EXPECT_EQ(some.report.unconverged, 0);
  EXPECT_NEAR(some.report.objective / all.report.objective, 1, 1e-4);
  // Without the cap the two differ only by rounding.
  const double free = fit::fitWeights(many, problem, {.maxInfluences = 97, .prefilter = true}).report.objective;
  const double freeAll = fit::fitWeights(many, problem, {.maxInfluences = 97, .prefilter = false}).report.objective;
  EXPECT_NEAR(free / freeAll, 1, 1e-9);
}

}  // namespace
}  // namespace sinew::influence_sets_test
