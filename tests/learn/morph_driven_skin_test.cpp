// Morph targets that follow the pose are what a file without a model plays.
#include "sinew/deform/morph_driven_skin.h"

#include <gtest/gtest.h>

#include "sinew/base/error.h"
#include "sinew/deform/posing.h"
#include "sinew/learn/pose_space_character.h"
#include "sinew/samples/samples.h"
#include "support/allocations.h"

namespace sinew::morph_driven_skin_test {
namespace {

CorrectedCharacter correctedArm() {
  const Sample arm = makeSample("arm", {.exact = true});
  return learnPoseSpaceCharacter(arm.character, arm.examples, {}, {.maxMorphs = 4}).corrected();
}

TEST(MorphDrivenSkin, IsMorphingWithTheWeightsOfThePoseAndThenSkinning) {
  const CorrectedCharacter arm = correctedArm();
  const PoseSpaceMorphWeights weights(*arm.poseSpace, arm.morphs);
  CharacterPoser driven(arm.character, playedByMorphs(arm));
  for (const Clip& clip : arm.character.clips) {
    Pose pose = restPose(arm.character);
    sampleClip(clip, 0.4 * clip.seconds(), pose);
    Pose weighted = pose;
    weights.apply(arm.character.skeleton, weighted);
    EXPECT_LT((driven.pose(pose) - posePoints(arm.character, weighted)).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(MorphDrivenSkin, NeedsOnlyTheDriversOfTheModel) {
  CorrectedCharacter arm = correctedArm();
  const Pose pose = clipPose(arm.character, arm.character.clips.back().name, 1.3);
  const Points full = posePoints(arm.character, pose, playedByMorphs(arm));
  arm.poseSpace = std::make_shared<PoseSpaceModel>(driversOf(*arm.poseSpace));
  EXPECT_TRUE(arm.poseSpace->inMorphs);
  for (const Points& deltas : arm.poseSpace->deltas) EXPECT_TRUE(deltas.isZero(0));
  EXPECT_EQ(posePoints(arm.character, pose, playedByMorphs(arm)), full);
}

TEST(MorphDrivenSkin, KeepsTheRestShapeAndRefusesWrongSizes) {
  const CorrectedCharacter arm = correctedArm();
  const Points rest = posePoints(arm.character, restPose(arm.character), playedByMorphs(arm));
  EXPECT_LT((rest - posePoints(arm.character, restPose(arm.character))).cwiseAbs().maxCoeff(), 1e-9);
  PoseSpaceMorphs wrong = arm.morphs;
  wrong.morphs.back() = 1000;
  EXPECT_THROW(MorphDrivenSkin(arm.character, *arm.poseSpace, wrong), Error);
}

}  // namespace
}  // namespace sinew::morph_driven_skin_test
