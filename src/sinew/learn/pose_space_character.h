// From a character and its sculpts to what a file holds, in one call: the model, and the morph targets that imitate it
// where nothing but morphing and skinning is played.
#pragma once

#include "sinew/base/progress.h"
#include "sinew/character/character.h"
#include "sinew/character/example_source.h"
#include "sinew/deform/pose_space.h"
#include "sinew/learn/pose_space.h"
#include "sinew/learn/pose_space_morphs.h"

namespace sinew {

struct PoseSpaceCharacter {
  PoseSpaceResult learned;
  PoseSpaceExport exported;

  /// For writeCharacter().
  [[nodiscard]] CorrectedCharacter corrected() const { return {exported.character, learned.model, exported.morphs}; }
};

/// learnPoseSpace, then exportPoseSpace. Unless `exporting` says otherwise, the morph targets may leave what the model
/// itself leaves where it has no example. Throws as the two do, and BadInput where no example differs from plain
/// skinning.
PoseSpaceCharacter learnPoseSpaceCharacter(const Character& character, ExampleSource& examples,
                                           const PoseSpaceOptions& options = {}, PoseSpaceExportOptions exporting = {},
                                           const Progress& progress = {});
PoseSpaceCharacter learnPoseSpaceCharacter(const Character& character, const ExampleSet& set,
                                           const PoseSpaceOptions& options = {}, PoseSpaceExportOptions exporting = {},
                                           const Progress& progress = {});

}  // namespace sinew
