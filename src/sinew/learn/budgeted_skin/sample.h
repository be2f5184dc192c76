// Examples in memory while choices are tried: those of a large mesh at some of its vertices.
#pragma once

#include <vector>

#include "sinew/base/progress.h"
#include "sinew/character/character.h"
#include "sinew/character/example_source.h"

namespace sinew::budgeted_skin {

struct SkinSample {
  Character character;          ///< without clips, which cost time and decide nothing
  std::vector<Index> vertices;  ///< of the whole character, where some were taken; empty: all
  ExampleSet learned;
  ExampleSet heldOut;  ///< empty where folds of `learned` are held out
};

/// At most about `mostPoints` skinned vertices, in mirror pairs where the body is symmetric. `heldOut` may be null.
SkinSample sampleSkin(const Character& character, ExampleSource& examples, ExampleSource* heldOut, Index mostPoints,
                      const Progress& progress);

}  // namespace sinew::budgeted_skin
