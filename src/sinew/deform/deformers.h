// The kinds of skinning operators, by name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/character/skin.h"
#include "sinew/deform/deformer.h"

namespace sinew {

/// What an operator is made from.
enum class DeformerSource {
  Skin,    ///< the bindings and weights of a character
  Model,   ///< what a character has learned: PoseSpaceModel
  Options  ///< a struct of settings, read from a file: LatticeOptions, WireOptions
};

struct DeformerRow {
  std::string_view name;  ///< as the command spells it
  std::string_view description;
  DeformerSource source = DeformerSource::Skin;
  DeformerPtr (*fromSkin)(const Skin&) = nullptr;  ///< null if the source is not Skin
};

/// All kinds, in the order of the documentation. The contract test runs over every row.
std::span<const DeformerRow> deformers();

/// The row of a name; throws NotFound with the nearest name and all names.
const DeformerRow& deformerRow(std::string_view name);

/// The names of the kinds whose source is Skin.
std::vector<std::string> skinDeformerNames();

/// An operator whose source is Skin. Throws NotFound for unknown names and BadInput for kinds that need more.
DeformerPtr makeSkinDeformer(std::string_view name, const Skin& skin);

}  // namespace sinew
