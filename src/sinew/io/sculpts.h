// A single sculpt, without an examples file around it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sinew/character/character.h"

namespace sinew {

struct SculptFile {
  Points points;                   ///< in the character's vertex order, world space
  std::vector<bool> known;         ///< per vertex, where some have no partner in the sculpt; empty: all have one
  std::vector<std::string> notes;  ///< how the mesh was matched
};

/// Reads a mesh and matches it to the character as examples are: by `rest`, the sculpt's own rest mesh, or, where that
/// is empty, by the number of its vertices (with seams split or closed). Vertices without a partner take the column of
/// `posed`, the character as it stands in the pose. Errors name the file and the remedy.
SculptFile readSculpt(const std::filesystem::path& mesh, const Character& character, const Points& posed,
                      const std::filesystem::path& rest = {});

}  // namespace sinew
