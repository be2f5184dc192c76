// The operators that `--deformer` names.
#pragma once

#include <string>
#include <vector>

#include "sinew/character/character.h"
#include "sinew/deform/deformer.h"

namespace sinew::cli {

/// `linear-blend`, `dual-quaternion`, `rigid`, `lattice:FILE.json`, `wire:FILE.json`, in their order. Where none of
/// them is made from the skin, linear blend comes first. Null for no names: what the character plays by itself.
DeformerPtr makeOperators(const std::vector<std::string>& names, const Character& character);

}  // namespace sinew::cli
