// The frames of a clip and their meshes as examples.
#pragma once

#include <string>

#include "sinew/io/examples.h"
#include "sinew/io/examples/plan.h"

namespace sinew::examples {

/// What the frames of a sequence have in common.
struct SequenceSettings {
  std::string name = {};  ///< names begin with it; empty: those of the files
  double confidence = 1;
  std::filesystem::path mask = {};
};

/// Adds an example for each frame. `where` is the file that asked for it, for clips of the character that are not
/// there.
void addSequence(const SequenceFiles& sequence, const SequenceSettings& settings, const std::string& where, Plan& plan);

}  // namespace sinew::examples
