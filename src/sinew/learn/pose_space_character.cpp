#include "sinew/learn/pose_space_character.h"

#include <utility>

namespace sinew {

PoseSpaceCharacter learnPoseSpaceCharacter(const Character& character, ExampleSource& examples,
                                           const PoseSpaceOptions& options, PoseSpaceExportOptions exporting,
                                           const Progress& progress) {
  constexpr double kLearned = 0.3;  // of the time
  PoseSpaceCharacter result;
  result.learned = learnPoseSpace(character, examples, options, partProgress(progress, 0, kLearned));
  if (exporting.leaveOneOut == 0) exporting.leaveOneOut = result.learned.report.leaveOneOut.rms;
  result.exported =
      exportPoseSpace(character, result.learned.model, examples, exporting, partProgress(progress, kLearned, 1));
  return result;
}

PoseSpaceCharacter learnPoseSpaceCharacter(const Character& character, const ExampleSet& set,
                                           const PoseSpaceOptions& options, PoseSpaceExportOptions exporting,
                                           const Progress& progress) {
  ExamplesInMemory examples(set);
  return learnPoseSpaceCharacter(character, examples, options, std::move(exporting), progress);
}

}  // namespace sinew
