// The ways to make a skin, and learning one of them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "sinew/base/progress.h"
#include "sinew/character/character.h"
#include "sinew/character/example_source.h"
#include "sinew/deform/pose_space.h"
#include "sinew/learn/fit.h"
#include "sinew/learn/pose_space.h"

namespace sinew::budgeted_skin {

/// The skin under the morph targets.
struct SkinStem {
  int influences = 4;
  bool fitted = false;
  FitHelpers helpers = FitHelpers::None;
  int mostHelpers = -1;
  bool rest = false;  ///< the rest shape is fitted on top of the same stem without it

  [[nodiscard]] std::string name() const;
  [[nodiscard]] auto key() const { return std::tie(influences, fitted, helpers, mostHelpers, rest); }
  friend bool operator==(const SkinStem&, const SkinStem&) = default;
  friend bool operator<(const SkinStem& a, const SkinStem& b) { return a.key() < b.key(); }
};

struct SkinRecipe {
  SkinStem stem;
  int morphs = 0;        ///< at most so many morph targets per mesh
  bool compact = false;  ///< their weights have fewer keys in clips, and fewer poses to be interpolated from

  [[nodiscard]] std::string name() const;
  friend bool operator==(const SkinRecipe&, const SkinRecipe&) = default;
};

/// Diagonals: morph targets that the budget allows are used as long as they lower the error.
inline constexpr double kEveryMorph = 1e-6;

struct MorphForm {
  bool normals = false;
  bool quantize = false;
  double askedError = kEveryMorph;  ///< diagonals; 0: as `psd` does without being asked
  double least = 0;                 ///< scene units: smaller displacements are left out
};

struct MadeSkin {
  CorrectedCharacter corrected;  ///< no model without morph targets
  bool movedRest = false;
};

/// Learns recipes from the same examples; what they share is learned once. Keeps references.
class SkinMaker {
 public:
  SkinMaker(const Character& character, ExampleSource& examples, bool allowRepeats)
      : character_(character), examples_(examples), allowRepeats_(allowRepeats) {}

  const Character& skin(const SkinStem& stem, const Progress& progress);
  MadeSkin make(const SkinRecipe& recipe, const MorphForm& form, const Progress& progress);

 private:
  struct Correctives {
    std::unique_ptr<ExampleSource> source;  ///< with the poses of helper joints; null: the examples as they are
    PoseSpaceResult learned;
  };
  Character fit(const SkinStem& stem, const Progress& progress);
  const ExampleSet& set();
  Correctives& correctives(const SkinStem& stem, const Progress& progress);

  const Character& character_;
  ExampleSource& examples_;
  bool allowRepeats_;
  std::optional<ExampleSet> set_;
  std::map<SkinStem, Character> skins_;
  std::map<SkinStem, Correctives> correctives_;
};

}  // namespace sinew::budgeted_skin
