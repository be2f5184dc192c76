#include "sinew/learn/fit/multi_weight.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "support/message_of.h"
#include "support/random_points.h"

namespace sinew::multi_weight_test {
namespace {

using test::messageOf;
using test::randomMotion;
using Columns = std::vector<std::vector<Influence>>;

/// Two joints; targets from weights of every matrix entry.
struct Planted {
  explicit Planted(int poses = 30) {
    Lcg random(11);
    truth.rest.resize(3, kPoints);
    for (Index p = 0; p < kPoints; ++p) {
      truth.rest.col(p) = random.vector() + Vec3(2, 2, 2);
      truth.bindings.push_back({0, 1});
      truth.weights.emplace_back(12, 2);
      for (double& weight : truth.weights.back().reshaped()) weight = 0.5 + 0.2 * random.symmetric();
      columns.push_back({{0, 0.5}, {1, 0.5}});
    }
    problem.rest = truth.rest;
    for (int e = 0; e < poses; ++e) {
      problem.worldFromRest.push_back({randomMotion(random), randomMotion(random)});
      problem.targets.push_back(fit::playMultiWeight(truth, problem.worldFromRest.back(), Affine::Identity()));
      problem.confidence.push_back(1);
      problem.masks.emplace_back();
    }
    roots.assign(static_cast<std::size_t>(poses), Affine::Identity());
  }

  static constexpr Index kPoints = 20;
  fit::MultiWeightModel truth;
  fit::FitProblem problem;
  Columns columns;
  std::vector<Affine> roots;
};

TEST(MultiWeight, GivesPlantedWeightsBack) {
  const Planted planted;
  const fit::MultiWeightModel model =
      fit::fitMultiWeight(planted.problem, planted.columns, planted.roots, {.cutOff = 1e-6});
  for (std::size_t p = 0; p < model.weights.size(); ++p)
    EXPECT_LT((model.weights[p] - planted.truth.weights[p]).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(MultiWeight, OfEqualWeightsIsLinearBlendSkinning) {
  Planted planted;
  for (auto& weights : planted.truth.weights) weights.setConstant(0.5);
  const auto& joints = planted.problem.worldFromRest[0];
  const Points moved = fit::playMultiWeight(planted.truth, joints, planted.roots[0]);
  for (Index p = 0; p < moved.cols(); ++p) {
    const Vec3 rest = planted.truth.rest.col(p);
    EXPECT_NEAR((moved.col(p) - (joints[0] * rest + joints[1] * rest) / 2).norm(), 0, 1e-12);
  }
}

TEST(MultiWeight, StaysLinearBlendSkinningWhereExamplesSayNothing) {
  Planted planted(2);
  for (double& confidence : planted.problem.confidence) confidence = 0;
  const fit::MultiWeightModel model = fit::fitMultiWeight(planted.problem, planted.columns, planted.roots);
  for (const auto& weights : model.weights) EXPECT_EQ(weights, (Eigen::Matrix<double, 12, 2>::Constant(0.5)));
}

TEST(MultiWeight, FollowsTheMotionOfTheRoot) {
  const Planted planted;
  const fit::MultiWeightModel still = fit::fitMultiWeight(planted.problem, planted.columns, planted.roots);
  Lcg random(2);
  fit::FitProblem moved = planted.problem;
  std::vector<Affine> roots;
  for (std::size_t e = 0; e < moved.exampleCount(); ++e) {
    roots.push_back(randomMotion(random));
    for (Affine& joint : moved.worldFromRest[e]) joint = roots[e] * joint;
    moved.targets[e] = (roots[e].linear() * moved.targets[e]).colwise() + roots[e].translation();
  }
  const fit::MultiWeightModel model = fit::fitMultiWeight(moved, planted.columns, roots);
  for (std::size_t p = 0; p < model.weights.size(); ++p)
    EXPECT_LT((model.weights[p] - still.weights[p]).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(MultiWeight, HasTheSameBitsOnOneThread) {
  const Planted planted;
  const fit::MultiWeightModel many = fit::fitMultiWeight(planted.problem, planted.columns, planted.roots);
  const ThreadLimit one(1);
  EXPECT_EQ(fit::fitMultiWeight(planted.problem, planted.columns, planted.roots).weights, many.weights);
}

TEST(MultiWeight, RefusesSizesThatDoNotFit) {
  const Planted planted;
  EXPECT_EQ(messageOf([&] { fit::fitMultiWeight(planted.problem, {}, planted.roots); }),
            "multi-weight enveloping: weights for 0 points, but there are 20 points");
  EXPECT_EQ(messageOf([&] { fit::fitMultiWeight(planted.problem, planted.columns, {}); }),
            "multi-weight enveloping: root transforms for 0 examples, but there are 30");
  std::vector<Affine> flat = planted.roots;
  flat[3].linear().setZero();
  EXPECT_EQ(messageOf([&] { fit::fitMultiWeight(planted.problem, planted.columns, flat); }),
            "multi-weight enveloping: the root of the skeleton has scale 0 in an example");
}

}  // namespace
}  // namespace sinew::multi_weight_test
