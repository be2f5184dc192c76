// Examples as a clip, so that a viewer shows them one after the other.
#pragma once

#include <string>

#include "sinew/character/character.h"
#include "sinew/character/example_set.h"

namespace sinew {

/// The name, with a number behind it where the character has a clip of that name: "examples 2".
std::string freeClipName(const Character& character, const std::string& wanted);

/// A clip that shows the rest pose at 0 s and example k at k s, without the weights of the knots.
Clip examplesClip(const Character& character, const ExampleSet& set, std::string name);

/// Whether a clip is like that already: the rest pose and then every example, a key per second and none between.
bool visitsExamples(const Character& character, const Clip& clip, const ExampleSet& set);

}  // namespace sinew
