// The operators that `--deformer` names.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sinew/character/character.h"
#include "sinew/deform/deformer.h"
#include "sinew/deform/posing.h"
#include "sinew/io/formats.h"

namespace sinew::cli {

class Console;

/// The operator that a word of `--deformer` refers to.
struct NamedOperator {
  std::string name;  ///< as it was typed
  DeformerPtr deformer;
  bool fromFile = false;  ///< a lattice or wires
};

/// Throws for a word of `--deformer` that names no operator, or has a file where none belongs; reads nothing.
void checkOperators(const std::vector<std::string>& names);

/// `linear-blend`, `dual-quaternion`, `rigid`, `lattice:FILE.json`, `wire:FILE.json`, in their order. If none of them
/// is made from the skin, linear blend comes first. Empty for no names: what the character plays by itself.
std::vector<NamedOperator> makeOperators(const std::vector<std::string>& names, const Character& character);

/// What a command plays of a character.
struct Playing {
  DeformerPtr deformer;  ///< null: the character's own
  Learned learned;
  std::vector<NamedOperator> operators = {};  ///< that `deformer` is made of
};

/// A sentence for each lattice and wire that affects no vertex in any of the poses.
std::vector<std::string> unreachingOperators(const Playing& playing, const Character& character,
                                             std::span<const Pose> poses);

/// Everything that the character has learned; nothing if operators are named or `plain` is set (morph targets that
/// approximate the model are then off too).
Playing playingOf(const CharacterFile& file, const std::vector<std::string>& deformers, bool plain = false);

/// Prints a note that `--plain` has no effect if `path` has no learned corrections.
void notePlain(const CharacterFile& file, const std::string& path, const Console& console);

}  // namespace sinew::cli
