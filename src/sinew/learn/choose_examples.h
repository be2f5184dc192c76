// Which of many examples to learn from, and which to keep for measuring.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sinew/character/character.h"
#include "sinew/character/example_set.h"

namespace sinew {

/// `count` examples that cover the poses, ascending: beginning at rest, the next is the one with the largest distance
/// in pose space to those chosen times the error of plain skinning there. Each driver that the outline names keeps an
/// example that moves it, if `count` allows. All if there are not more. Examples of confidence 0 are not chosen.
/// `outline`: without shapes; `errors`: one per example. Throws as choosePoseSpace.
std::vector<std::size_t> pickExamples(const Character& character, const ExampleSet& outline,
                                      std::span<const double> errors, std::size_t count);

/// A share of the examples (0 < share < 1, at least one), evenly spread over their order, ascending. Each driver that
/// some example moves is still moved by one that is not held out. Examples of confidence 0 are not held out. Throws
/// BadInput for fewer than two examples, and if none can be held out.
std::vector<std::size_t> holdOutExamples(const Character& character, const ExampleSet& outline, double share);

/// The examples in `count` folds, dealt out in turn, without those of confidence 0. Each fold can be held out as above:
/// an example without which some driver would not move is in none. Throws BadInput as above.
std::vector<std::vector<std::size_t>> foldsOfExamples(const Character& character, const ExampleSet& outline,
                                                      std::size_t count);

}  // namespace sinew
