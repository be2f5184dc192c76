// Morph targets by SVD: many examples in few targets.
#include <gtest/gtest.h>

#include <algorithm>

#include "arm3.h"
#include "sinew/base/parallel.h"
#include "sinew/character/morph_deltas.h"
#include "sinew/deform/pose_space_morphs.h"
#include "sinew/deform/posing.h"
#include "sinew/learn/pose_space.h"
#include "sinew/learn/pose_space_morphs.h"

namespace sinew::pose_space_shapes_test {
namespace {

/// ARM3 with random examples; other random poses are held out.
struct RandomArm3 {
  test::Arm3 arm;
  ExampleSet set;
  std::vector<Example> truths;
  double diagonal = 1;

  explicit RandomArm3(int examples) {
    Lcg training(8);
    for (int i = 0; i < examples; ++i) {
      set.examples.push_back(arm.random(training, 70, 125));
      set.examples.back().name = "example" + std::to_string(i);
    }
    Lcg testing(5);
    for (int i = 0; i < 40; ++i) truths.push_back(arm.random(testing, 70, 125));
    diagonal = boundingBox(arm.character.mesh.points).diagonal();
  }

  /// Percent of the diagonal.
  [[nodiscard]] double modelError(const std::shared_ptr<const PoseSpaceModel>& model) const {
    std::vector<Points> truth, posed;
    for (const Example& example : truths) {
      truth.push_back(example.points);
      posed.push_back(
          posePoints(arm.character, example.pose, std::make_shared<PoseSpaceDeformer>(arm.character, model)));
    }
    return compareSequences(truth, posed, diagonal).total.rmsPercent;
  }

  /// Of a player that has the morph targets only, and the weights that are baked into a clip of the truths' poses.
  [[nodiscard]] double bakedError(const PoseSpaceExport& result) const {
    std::vector<Points> truth, posed;
    for (std::size_t k = 0; k < truths.size(); ++k) {
      truth.push_back(truths[k].points);
      posed.push_back(posePoints(result.character, clipPose(result.character, "held out", static_cast<double>(k))));
    }
    return compareSequences(truth, posed, diagonal).total.rmsPercent;
  }

  /// The same with weights that the player computes.
  [[nodiscard]] double playedError(const PoseSpaceModel& model, const PoseSpaceExport& result) const {
    const PoseSpaceMorphWeights weights(model, result.morphs);
    std::vector<Points> truth, posed;
    for (const Example& example : truths) {
      truth.push_back(example.points);
      Pose pose = example.pose;
      pose.morphWeights.resize(result.character.morphs.size(), 0);
      weights.apply(result.character.skeleton, pose);
      posed.push_back(posePoints(result.character, pose));
    }
    return compareSequences(truth, posed, diagonal).total.rmsPercent;
  }
};

PoseSpaceExport shapes(const RandomArm3& scene, const PoseSpaceResult& learned, int count, bool quantize = false) {
  return exportPoseSpace(scene.arm.character, learned.model, scene.set,
                         {.method = MorphMethod::Svd, .maxMorphs = count, .askedError = 1e-7, .quantize = quantize});
}

/// The arm with a clip that visits the truths' poses, one per second.
Character withHeldOutClip(const RandomArm3& scene) {
  Character character = scene.arm.character;
  Clip clip;
  clip.name = "held out";
  for (int joint = 0; joint < character.skeleton.size(); ++joint) {
    ClipChannel channel;
    channel.path = ClipPath::Rotation;
    channel.joint = joint;
    channel.values.resize(4, static_cast<Index>(scene.truths.size()));
    for (std::size_t k = 0; k < scene.truths.size(); ++k) {
      channel.times.push_back(static_cast<double>(k));
      channel.values.col(static_cast<Index>(k)) = scene.truths[k].pose.local[toSize(joint)].rotation.coeffs();
    }
    clip.channels.push_back(std::move(channel));
  }
  character.clips.push_back(std::move(clip));
  return character;
}

TEST(PoseSpaceShapes, HoldTwoHundredExamplesInTwelveTargets) {
  RandomArm3 scene(200);
  const PoseSpaceResult learned = learnPoseSpace(scene.arm.character, scene.set);
  EXPECT_LE(scene.modelError(learned.model), 0.0022);
  scene.arm.character = withHeldOutClip(scene);
  const PoseSpaceExport twelve = shapes(scene, learned, 12);
  EXPECT_EQ(twelve.report.morphs, 12);
  EXPECT_EQ(twelve.report.method, MorphMethod::Svd);
  EXPECT_LE(scene.bakedError(twelve), 0.0048);
  EXPECT_LE(scene.bakedError(shapes(scene, learned, 16)), 0.0032);
}

TEST(PoseSpaceShapes, HaveComputedWeightsThatAreNearlyAsGood) {
  const RandomArm3 scene(200);
  const PoseSpaceResult learned = learnPoseSpace(scene.arm.character, scene.set);
  EXPECT_LE(scene.playedError(*learned.model, shapes(scene, learned, 12)), 0.0090);
}

TEST(PoseSpaceShapes, AreChosenWhereKnotsAreTooFew) {
  const RandomArm3 scene(60);
  const PoseSpaceResult learned = learnPoseSpace(scene.arm.character, scene.set);
  const auto with = [&](MorphMethod method) {
    return exportPoseSpace(scene.arm.character, learned.model, scene.set, {.method = method, .maxMorphs = 12});
  };
  const PoseSpaceExport automatic = with(MorphMethod::Auto);
  EXPECT_EQ(automatic.report.method, MorphMethod::Svd);
  EXPECT_LT(3 * scene.playedError(*learned.model, automatic),
            scene.playedError(*learned.model, with(MorphMethod::Knots)));
  // The table has both.
  for (const MorphMethod method : {MorphMethod::Svd, MorphMethod::Knots}) {
    EXPECT_TRUE(std::any_of(automatic.report.trade.begin(), automatic.report.trade.end(),
                            [&](const PoseSpaceTrade& row) { return row.method == method; }))
        << nameOf(method);
  }
}

TEST(PoseSpaceShapes, HaveWeightsOfAboutOneAndNoneAtRest) {
  const RandomArm3 scene(40);
  const PoseSpaceResult learned = learnPoseSpace(scene.arm.character, scene.set);
  const PoseSpaceExport result = shapes(scene, learned, 8);
  const PoseSpaceMorphWeights weights(*learned.model, result.morphs);
  const Eigen::VectorXd atRest = weights.evaluate(learned.model->poses.col(0));
  EXPECT_LT(atRest.cwiseAbs().maxCoeff(), 1e-9);
  Eigen::VectorXd most = Eigen::VectorXd::Zero(atRest.size());
  for (const auto& pose : learned.model->poses.colwise()) most = most.cwiseMax(weights.evaluate(pose));
  EXPECT_LE(most.maxCoeff(), 1 + 1e-9);
  EXPECT_GT(most.minCoeff(), 0.2);
}

TEST(PoseSpaceShapes, LoseNothingThatShowsInSixteenBits) {
  const RandomArm3 scene(40);
  const PoseSpaceResult learned = learnPoseSpace(scene.arm.character, scene.set);
  const PoseSpaceExport floats = shapes(scene, learned, 12);
  const PoseSpaceExport fractions = shapes(scene, learned, 12, true);
  EXPECT_NEAR(scene.playedError(*learned.model, fractions), scene.playedError(*learned.model, floats), 5e-4);
  for (const MorphTarget& morph : fractions.character.morphs) EXPECT_TRUE(areFractions16(morph.deltas)) << morph.name;
  EXPECT_FALSE(areFractions16(floats.character.morphs[0].deltas));
  EXPECT_LT(fractions.report.bytes, floats.report.bytes);
}

TEST(PoseSpaceShapes, AreTheSameOnAnyNumberOfThreads) {
  const RandomArm3 scene(24);
  const PoseSpaceResult learned = learnPoseSpace(scene.arm.character, scene.set);
  const PoseSpaceExport all = shapes(scene, learned, 6);
  const ThreadLimit limit(1);
  const PoseSpaceExport one = shapes(scene, learned, 6);
  EXPECT_EQ(all.morphs, one.morphs);
  ASSERT_EQ(all.character.morphs.size(), one.character.morphs.size());
  for (std::size_t m = 0; m < all.character.morphs.size(); ++m) {
    EXPECT_EQ(all.character.morphs[m].deltas, one.character.morphs[m].deltas) << m;
  }
}

}  // namespace
}  // namespace sinew::pose_space_shapes_test
