#include <gtest/gtest.h>

#include <cmath>

#include "planted.h"
#include "sinew/learn/fit/weights.h"
#include "support/message_of.h"
#include "support/test_arm.h"

namespace sinew::quantize_weights_test {
namespace {

long unitSum(const std::vector<Influence>& column, int steps) {
  long sum = 0;
  for (const Influence& i : column) {
    const double units = i.weight * steps;
    EXPECT_NEAR(units, std::round(units), 1e-9);
    sum += std::lround(units);
  }
  return sum;
}

TEST(QuantizedWeights, SumExactlyOnNoMoreJoints) {
  const test::Planted planted("biped", 1e-3);
  const fit::FitProblem problem = fit::makeFitProblem(planted.wrong, planted.set);
  const fit::WeightFit fit = fit::fitWeights(planted.wrong, problem);
  for (const int steps : {1, 15, 255, 65535}) {
    const fit::WeightFit rounded = fit::quantizeWeights(problem, fit, steps);
    EXPECT_TRUE(test::feasible(rounded.columns, 4));
    for (std::size_t p = 0; p < rounded.columns.size(); ++p) {
      ASSERT_EQ(unitSum(rounded.columns[p], steps), steps);
      ASSERT_LE(rounded.columns[p].size(), fit.columns[p].size());
    }
    EXPECT_EQ(rounded.errors, fit::weightErrors(problem, rounded.columns));
  }
}

class QuantizedSamples : public testing::TestWithParam<const char*> {};

TEST_P(QuantizedSamples, CostLittleOfTheErrorThatIsThere) {
  const Sample sample = makeSample(GetParam(), {.vertices = 2000});
  const fit::FitProblem problem = fit::makeFitProblem(sample.character, sample.examples);
  const fit::WeightFit fit = fit::fitWeights(sample.character, problem);
  const fit::WeightFit bytes = fit::quantizeWeights(problem, fit, 255);
  const fit::WeightFit words = fit::quantizeWeights(problem, fit, 65535);
  EXPECT_LT(std::sqrt(bytes.report.objective / fit.report.objective), 1.01);
  EXPECT_LT(std::sqrt(words.report.objective / fit.report.objective), 1.0001);
}

INSTANTIATE_TEST_SUITE_P(Samples, QuantizedSamples, testing::Values("arm", "limb", "biped"));

TEST(QuantizedWeights, AreBetterThanTheNearestMultiples) {
  // Largest remainders ignore the error: moving units afterwards must not raise it, and must lower it somewhere.
  const test::Planted planted("biped", 1e-3);
  const fit::FitProblem problem = fit::makeFitProblem(planted.wrong, planted.set);
  const fit::WeightFit fit = fit::fitWeights(planted.wrong, problem);
  constexpr int kSteps = 15;
  std::vector<std::vector<Influence>> nearest = fit.columns;
  for (auto& column : nearest) {
    int left = kSteps;
    std::vector<std::pair<double, std::size_t>> remainders;
    for (std::size_t i = 0; i < column.size(); ++i) {
      const double units = column[i].weight * kSteps;
      remainders.emplace_back(std::floor(units) - units, i);
      column[i].weight = std::floor(units);
      left -= static_cast<int>(column[i].weight);
    }
    std::stable_sort(remainders.begin(), remainders.end());
    for (int k = 0; k < left; ++k) column[remainders[static_cast<std::size_t>(k)].second].weight += 1;
    for (Influence& i : column) i.weight /= kSteps;
  }
  const std::vector<double> before = fit::weightErrors(problem, nearest);
  const std::vector<double> after = fit::quantizeWeights(problem, fit, kSteps).errors;
  double sumBefore = 0;
  double sumAfter = 0;
  for (std::size_t p = 0; p < before.size(); ++p) {
    EXPECT_LE(after[p], before[p] * (1 + 1e-9) + 1e-15);
    sumBefore += before[p];
    sumAfter += after[p];
  }
  EXPECT_LT(sumAfter, 0.99 * sumBefore);
}

TEST(QuantizedWeights, StayWithinOneUnitOfTheExactOnes) {
  // Weights that are not the best for the examples, as a pull leaves them: rounding must not undo that.
  const test::Planted planted("biped", 1e-3);
  const fit::FitProblem problem = fit::makeFitProblem(planted.wrong, planted.set);
  fit::WeightFit kept;
  kept.columns = problem.prior;
  kept.errors = fit::weightErrors(problem, kept.columns);
  const fit::WeightFit rounded = fit::quantizeWeights(problem, kept, 255);
  for (std::size_t p = 0; p < kept.columns.size(); ++p) {
    for (const Influence& exact : kept.columns[p]) {
      double weight = 0;
      for (const Influence& whole : rounded.columns[p]) weight += whole.binding == exact.binding ? whole.weight : 0;
      ASSERT_NEAR(weight, exact.weight, (1 + 1e-9) / 255) << p;
    }
  }
}

TEST(QuantizedWeights, RefuseNoSteps) {
  const Character arm = test::testArm();
  const fit::FitProblem problem = fit::makeFitProblem(arm, test::blendedExamples(arm, {test::bentArmPose(arm)}));
  EXPECT_NE(test::messageOf([&] {
              fit::quantizeWeights(problem, fit::fitWeights(arm, problem), 0);
            }).find("multiples of 1/0"),
            std::string::npos);
}

}  // namespace
}  // namespace sinew::quantize_weights_test
