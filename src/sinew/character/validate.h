// What is wrong with a character, in sentences.
#pragma once

#include <string>
#include <vector>

#include "sinew/character/character.h"

namespace sinew {

enum class Severity { Note, Warning, Fault };

struct Problem {
  Severity severity = Severity::Warning;
  std::string sentence;  ///< what, where (first vertex, joint or face), how many, and what to do
};

/// Looks for degenerate and repeated faces, edges with more than two faces, unused vertices, joints that move nothing,
/// repeated joint names, bind matrices that cannot be inverted, vertices with more than 8 influences, rotations that
/// are not normalised, clips without keys. Never throws.
std::vector<Problem> findProblems(const Character& character);

}  // namespace sinew
