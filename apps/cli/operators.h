// The operators that `--deformer` names.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sinew/character/character.h"
#include "sinew/deform/deformer.h"
#include "sinew/deform/deformers.h"
#include "sinew/deform/posing.h"
#include "sinew/io/formats.h"

namespace sinew::cli {

class Console;

/// The operator that a word of `--deformer` refers to.
struct NamedOperator {
  std::string name;  ///< as it was typed
  DeformerPtr deformer;
  DeformerSource source = DeformerSource::Skin;
};

/// Throws for a word of `--deformer` that names no operator, or has a file where none belongs; reads nothing.
void checkOperators(const std::vector<std::string>& names);

/// What a command plays of a character.
struct Playing {
  Playback playback;
  std::vector<NamedOperator> operators = {};  ///< as `--deformer` names them; empty: the character's own
  std::vector<std::string> learned = {};      ///< names of learned operators that play, for the JSON
};

/// A sentence for each lattice and wire that affects no vertex in any of the poses, and for each operator that poses
/// points which another one has posed already.
std::vector<std::string> operatorWarnings(const Playing& playing, const Character& character,
                                          std::span<const Pose> poses);

/// The operators of `--deformer` in their order; without names, what the character plays by itself: its learned
/// corrections, or linear blend if it has none or `plain` is set. That also comes first if no named operator is made
/// from the skin. Morph targets that approximate the corrections are always off.
Playing playingOf(const CharacterFile& file, const std::vector<std::string>& deformers, bool plain = false);

/// Prints a note that `--plain` has no effect if `path` has no learned corrections.
void notePlain(const CharacterFile& file, const std::string& path, const Console& console);

}  // namespace sinew::cli
