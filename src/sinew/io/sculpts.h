// A single sculpt, without an examples file around it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sinew/base/progress.h"
#include "sinew/character/character.h"
#include "sinew/io/file_rules.h"

namespace sinew {

struct ReadSculptOptions {
  std::filesystem::path rest = {};  ///< the sculpt's own rest mesh; empty: vertices are known by their number
  bool force = false;               ///< a sculpt that contradicts its pose is taken all the same, with a warning
  bool inPose = true;               ///< `posed` is where the skin should be; false: something else moves it
  Progress progress = {};
  FileRules rules = {};
};

struct SculptFile {
  Points points;                   ///< in the character's vertex order, world space
  std::vector<bool> known;         ///< per vertex, where some have no partner in the sculpt; empty: all have one
  std::vector<std::string> notes;  ///< how the mesh was matched
  std::vector<std::string> warnings = {};  ///< what is probably not meant; with `force` also what contradicts
};

/// Reads a mesh, matches it to the character like an example, and checks that it can be a sculpt of the pose
/// (character/sculpt_check). Vertices without a match take the column of `posed`, the posed character. Errors
/// name the file and the remedy.
SculptFile readSculpt(const std::filesystem::path& mesh, const Character& character, const Points& posed,
                      const ReadSculptOptions& options = {});

}  // namespace sinew
