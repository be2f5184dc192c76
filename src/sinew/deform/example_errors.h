// How well a character plays examples.
#pragma once

#include "sinew/base/progress.h"
#include "sinew/character/character.h"
#include "sinew/character/compare.h"
#include "sinew/character/example_source.h"
#include "sinew/deform/posing.h"

namespace sinew {

/// Errors at examples, read one after the other, relative to the character's rest shape as it plays; a frame per
/// example. Vertices with mask 0 count as matched. Poses may be those of the character before joints and morph targets
/// were added at its end.
SequenceError errorOfExamples(const Character& character, const Playback& playback, ExampleSource& examples,
                              const Progress& progress = {});

/// The pose on a character that has more joints and morph targets at the end than the one it was made for.
Pose poseOn(const Character& character, const Pose& pose);

}  // namespace sinew
