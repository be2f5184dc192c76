#include "sinew/learn/pose_space_character.h"

#include <gtest/gtest.h>

#include "sinew/base/error.h"
#include "sinew/samples/samples.h"

namespace sinew::pose_space_character_test {
namespace {

TEST(PoseSpaceCharacter, IsWhatLearningAndExportingGiveOneAfterTheOther) {
  const Sample arm = makeSample("arm", {.exact = true});
  const PoseSpaceCharacter made = learnPoseSpaceCharacter(arm.character, arm.examples, {.space = DeltaSpace::Inverse});
  const PoseSpaceResult learned = learnPoseSpace(arm.character, arm.examples, {.space = DeltaSpace::Inverse});
  const PoseSpaceExport exported =
      exportPoseSpace(arm.character, learned.model, arm.examples, {.leaveOneOut = learned.report.leaveOneOut.rms});
  EXPECT_EQ(made.learned.report.leaveOneOut.rms, learned.report.leaveOneOut.rms);
  EXPECT_EQ(made.exported.report.morphs, exported.report.morphs);
  const CorrectedCharacter corrected = made.corrected();
  EXPECT_EQ(corrected.poseSpace, made.learned.model);
  EXPECT_EQ(corrected.morphs.morphs, exported.morphs.morphs);
  ASSERT_EQ(corrected.character.morphs.size(), exported.character.morphs.size());
  for (std::size_t m = 0; m < exported.character.morphs.size(); ++m) {
    EXPECT_EQ(corrected.character.morphs[m].deltas, exported.character.morphs[m].deltas);
  }
}

TEST(PoseSpaceCharacter, ReportsOneFractionThatRisesAndCanBeCancelled) {
  const Sample arm = makeSample("arm", {.exact = true});
  double last = 0;
  const auto rises = [&](const ProgressState& state) {
    EXPECT_GE(state.fraction, last - 1e-12);
    last = state.fraction;
    return true;
  };
  learnPoseSpaceCharacter(arm.character, arm.examples, {}, {}, rises);
  EXPECT_GT(last, 0.5);
  const auto stops = [](const ProgressState& state) { return state.fraction < 0.5; };
  EXPECT_THROW(learnPoseSpaceCharacter(arm.character, arm.examples, {}, {}, stops), Error);
}

}  // namespace
}  // namespace sinew::pose_space_character_test
