#include "sinew/learn/pose_space_character.h"

#include <utility>

#include "sinew/base/error.h"

namespace sinew {

PoseSpaceCharacter learnPoseSpaceCharacter(const Character& character, ExampleSource& examples,
                                           const PoseSpaceOptions& options, PoseSpaceExportOptions exporting,
                                           const Progress& progress) {
  constexpr double kLearned = 0.3;  // of the time
  PoseSpaceCharacter result;
  result.learned = learnPoseSpace(character, examples, options, partProgress(progress, 0, kLearned));
  const PoseSpaceModel& model = *result.learned.model;
  if (model.vertices.empty() && model.base == "linear-blend") {
    throw Error(ErrorCode::BadInput,
                "every example equals plain skinning, so there is nothing to learn; give sculpts, or the shapes of a "
                "simulation");
  }
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
