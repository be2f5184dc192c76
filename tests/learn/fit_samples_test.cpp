// The built-in characters, fitted to their sculpts and tried at poses that the fit never saw.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sinew/deform/posing.h"
#include "sinew/learn/fit.h"
#include "sinew/samples/samples.h"

namespace sinew::fit_samples_test {
namespace {

struct HeldOut {
  double total = 0;          ///< rms over poses and vertices
  std::vector<double> each;  ///< per pose
};

HeldOut heldOut(const Character& character, const ExampleSet& truths) {
  HeldOut error;
  CharacterPoser poser(character);
  double sum = 0;
  for (const Example& truth : withHelperPoses(character, truths).examples) {
    const Points& moved = poser.pose(truth.pose);
    const double mean = (moved - truth.points).squaredNorm() / static_cast<double>(moved.cols());
    error.each.push_back(std::sqrt(mean));
    sum += mean;
  }
  error.total = std::sqrt(sum / static_cast<double>(error.each.size()));
  return error;
}

/// The largest ratio of a pose's error to what it was.
double worstRatio(const HeldOut& before, const HeldOut& after) {
  double worst = 0;
  for (std::size_t k = 0; k < before.each.size(); ++k) worst = std::max(worst, after.each[k] / before.each[k]);
  return worst;
}

struct Row {
  const char* name;
  Index vertices;
  double gain;  ///< with helper joints and the rest shape, at least
};

class FitSample : public ::testing::TestWithParam<Row> {};

TEST_P(FitSample, IsBetterAtPosesThatItNeverSaw) {
  const Row& row = GetParam();
  const Sample sample = makeSample(row.name, {.vertices = row.vertices});
  const HeldOut before = heldOut(sample.character, sample.heldOut);

  const FitResult moved = fitSkin(sample.character, sample.examples, {.helpers = FitHelpers::All, .rest = true});
  const HeldOut after = heldOut(moved.character, sample.heldOut);
  EXPECT_GT(before.total / after.total, row.gain);
  EXPECT_LT(*std::max_element(after.each.begin(), after.each.end()), 0.6 * before.total);
  EXPECT_LE(moved.character.skin.weights.maxInfluences(), 4);
  EXPECT_LE(moved.report.drift, 0.02 * (1 + 1e-9));

  // The same joints with the rest shape as it was: fitted from the start, in the bytes of an engine.
  Character still = moved.character;
  still.mesh.points = sample.character.mesh.points;
  const FitResult bytes = fitSkin(still, withHelperPoses(still, sample.examples),
                                  {.helpers = FitHelpers::None, .quantize = WeightFormat::Bits8});
  const FitResult exact = fitSkin(still, withHelperPoses(still, sample.examples), {.helpers = FitHelpers::None});
  EXPECT_LT(bytes.report.after.rms, 1.15 * exact.report.after.rms);
  EXPECT_LT(worstRatio(before, heldOut(exact.character, sample.heldOut)), 1.05);
  EXPECT_LT(worstRatio(before, heldOut(bytes.character, sample.heldOut)), 1.05);
}

TEST_P(FitSample, WithoutHelperJointsSpoilsNoPose) {
  const Row& row = GetParam();
  const Sample sample = makeSample(row.name, {.vertices = row.vertices});
  const HeldOut before = heldOut(sample.character, sample.heldOut);
  const FitResult fit = fitSkin(sample.character, sample.examples);
  const HeldOut after = heldOut(fit.character, sample.heldOut);
  EXPECT_LT(after.total, before.total);
  EXPECT_LT(worstRatio(before, after), 1.05);
}

INSTANTIATE_TEST_SUITE_P(Samples, FitSample,
                         ::testing::Values(Row{"arm", 2000, 2.5}, Row{"limb", 2000, 1.8}, Row{"biped", 1500, 1.8}),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace sinew::fit_samples_test
