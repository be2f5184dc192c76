// Pose-space deformation on the built-in characters, scored on poses that it has not seen.
#include <gtest/gtest.h>

#include "sinew/character/compare.h"
#include "sinew/deform/posing.h"
#include "sinew/learn/pose_space.h"
#include "sinew/samples/samples.h"

namespace sinew::pose_space_samples_test {
namespace {

double heldOut(const Sample& sample, const std::shared_ptr<const PoseSpaceModel>& model) {
  CharacterPoser poser(sample.character,
                       model ? std::make_shared<PoseSpaceDeformer>(sample.character, model) : Playback{});
  std::vector<Points> truths;
  std::vector<Points> shapes;
  for (const Example& truth : sample.heldOut.examples) {
    truths.push_back(truth.points);
    shapes.push_back(poser.pose(truth.pose));
  }
  return compareSequences(truths, shapes, boundingBox(sample.character.mesh.points).diagonal()).total.rmsPercent;
}

struct Scores {
  double plain, unweighted, weighted;
};

Scores scores(const char* name, Index vertices) {
  const Sample sample = makeSample(name, {.vertices = vertices});
  const PoseSpaceResult learned = learnPoseSpace(sample.character, sample.examples);
  EXPECT_TRUE(learned.report.warnings.empty()) << learned.report.warnings[0];
  const Scores result{heldOut(sample, nullptr), heldOut(sample, learned.model),
                      heldOut(sample, learnPoseSpace(sample.character, sample.examples, {.weighted = true}).model)};
  return result;
}

TEST(PoseSpaceOnSamples, LowersTheHeldOutErrorOfTheArm) {
  const Scores arm = scores("arm", 2000);
  EXPECT_LT(arm.unweighted, arm.plain / 5);
  EXPECT_LT(arm.weighted, 1.05 * arm.unweighted);
}

TEST(PoseSpaceOnSamples, LowersTheHeldOutErrorOfTheLimb) {
  const Scores limb = scores("limb", 3000);
  EXPECT_LT(limb.unweighted, limb.plain / 10) << limb.plain << " " << limb.unweighted << " " << limb.weighted;
  EXPECT_LT(limb.weighted, 1.05 * limb.unweighted) << limb.plain << " " << limb.unweighted << " " << limb.weighted;
}

TEST(PoseSpaceOnSamples, LowersTheHeldOutErrorOfTheBiped) {
  const Scores biped = scores("biped", 4000);
  EXPECT_LT(biped.unweighted, biped.plain / 6.5) << biped.plain << " " << biped.unweighted << " " << biped.weighted;
  EXPECT_LT(biped.weighted, 1.05 * biped.unweighted) << biped.plain << " " << biped.unweighted << " " << biped.weighted;
}

TEST(PoseSpaceOnSamples, ASingleSculptGrowsLinearlyWithItsPose) {
  Sample arm = makeSample("arm", {.exact = true});
  arm.examples.examples.resize(1);
  const PoseSpaceResult learned = learnPoseSpace(arm.character, arm.examples);
  EXPECT_TRUE(learned.report.trials.empty()) << "nothing can be chosen";
  const PoseSpaceWeights weights(*learned.model);
  Eigen::MatrixXd half(2, 1);
  weights.evaluate(0.5 * learned.model->poses.col(1), half);
  EXPECT_NEAR(half(1, 0), 0.5, 1e-5);
  weights.evaluate(learned.model->poses.col(1), half);
  EXPECT_NEAR(half(1, 0), 1, 1e-5);
}

}  // namespace
}  // namespace sinew::pose_space_samples_test
