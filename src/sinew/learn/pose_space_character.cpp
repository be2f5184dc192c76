#include "sinew/learn/pose_space_character.h"

namespace sinew {

PoseSpaceCharacter learnPoseSpaceCharacter(const Character& character, const ExampleSet& set,
                                           const PoseSpaceOptions& options, PoseSpaceExportOptions exporting,
                                           const Progress& progress) {
  constexpr double kLearned = 0.3;  // of the time
  PoseSpaceCharacter result;
  result.learned = learnPoseSpace(character, set, options, partProgress(progress, 0, kLearned));
  if (exporting.leaveOneOut == 0) exporting.leaveOneOut = result.learned.report.leaveOneOut.rms;
  result.exported =
      exportPoseSpace(character, result.learned.model, set, exporting, partProgress(progress, kLearned, 1));
  return result;
}

}  // namespace sinew
