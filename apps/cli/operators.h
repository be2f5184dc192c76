// The operators that `--deformer` names.
#pragma once

#include <string>
#include <vector>

#include "sinew/character/character.h"
#include "sinew/deform/deformer.h"
#include "sinew/deform/posing.h"
#include "sinew/io/formats.h"

namespace sinew::cli {

/// `linear-blend`, `dual-quaternion`, `rigid`, `lattice:FILE.json`, `wire:FILE.json`, in their order. Where none of
/// them is made from the skin, linear blend comes first. Null for no names: what the character plays by itself.
DeformerPtr makeOperators(const std::vector<std::string>& names, const Character& character);

/// What a command plays of a character.
struct Playing {
  DeformerPtr deformer;  ///< null: the character's own
  Learned learned;
};

/// All that the character has learned; nothing of it where operators are named or `plain` is asked for (its imitation
/// by morph targets then stays off too).
Playing playingOf(const CharacterFile& file, const std::vector<std::string>& deformers, bool plain = false);

}  // namespace sinew::cli
