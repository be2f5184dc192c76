// The best skin within a budget: examples decide how much of the error goes to weights, helper joints, the rest shape
// and morph targets. Errors are those of what any player of morph targets and linear blend shows, at examples that were
// not learned.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sinew/base/choice.h"
#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/character/character.h"
#include "sinew/character/compare.h"
#include "sinew/character/example_source.h"
#include "sinew/deform/pose_space.h"
#include "sinew/learn/skin_budget.h"

namespace sinew {

struct BudgetedSkinOptions {
  SkinBudget budget{};
  bool rest = true;           ///< also try a fitted rest shape
  bool allowRepeats = false;  ///< also learn from many examples that mostly repeat or contradict each other
  int mostPoints = 4000;      ///< larger meshes are sampled while choices are tried
};

template <class Visitor>
void visitFields(BudgetedSkinOptions& o, Visitor&& visit) {
  visit(o.rest, {.name = "rest", .help = "also try to move the rest vertices"});
  visit(o.mostPoints, {.name = "most-points",
                       .help = "vertices at which choices are compared; larger meshes are sampled",
                       .least = 100,
                       .most = 1e8});
}

/// What moves the morph targets of a file where no clip does.
enum class MorphDriving {
  Model,   ///< the model itself is in the file too
  Drivers  ///< only what computes the weights of the morph targets from a pose
};
constexpr auto choiceRows(MorphDriving) {
  return choiceTable<MorphDriving>({{MorphDriving::Model, "model"}, {MorphDriving::Drivers, "drivers"}});
}

/// A skin as a file stores it.
struct BudgetedSkin {
  CorrectedCharacter corrected;  ///< without a model if there are no morph targets
  MorphDriving driving = MorphDriving::Model;
  WeightFormat weights = WeightFormat::Float;  ///< of skin weights that were fitted
  bool quantizedMorphs = false;                ///< displacements are 16-bit fractions
  bool movedRest = false;
  bool keepsRest = true;  ///< the file also has the old rest shape, to match examples by; where it moved
};

/// Bytes that a file of a skin adds to one of the character alone.
using BudgetedSkinSize = std::function<std::size_t(const BudgetedSkin&)>;

/// One line of the report: a way to make a skin.
struct SkinChoice {
  std::string name;  ///< "fit, helper joints + 16 morph targets"
  double error = 0;  ///< rms at held-out examples, scene units
  double errorPercent = 0;
  std::size_t examples = 0;  ///< at which it was measured; fewer where it fell behind early, and then the error is
                             ///< scaled by how much more difficult the others were for the best and the plain skin
  SkinCost cost;             ///< bytes are an estimate, but for the chosen one; others are scaled as its estimate was
  bool fits = true;          ///< within the budget
  bool front = false;        ///< nothing cheaper is as good (in bytes and nanoseconds)
  bool chosen = false;
};

struct BudgetedSkinReport {
  std::vector<SkinChoice> choices;   ///< by rising error
  std::string heldOutBy;             ///< "3 folds", "leave-one-out", "a share"
  std::vector<std::string> heldOut;  ///< names of the examples that errors are measured at
  ShapeError before;                 ///< the character as it was, there
  ShapeError after;                  ///< the chosen skin, learned without them
  bool learnedAll = true;            ///< the result is learned from the held-out examples too
  SkinCost used;                     ///< of the result
  SkinBudget limits;                 ///< the budget, with the usual influences and morph targets where it names none
  double diagonal = 0;
  std::vector<std::string> notes;     ///< what was left out to keep the budget, a sentence each
  std::vector<std::string> warnings;  ///< a sentence each
  double seconds = 0;

  /// One line for display.
  [[nodiscard]] std::string sentence() const;
};

struct BudgetedSkinResult {
  BudgetedSkin skin;
  BudgetedSkinReport report;
};

/// Tries the skin cut to the influences, fitted weights, helper joints, a fitted rest shape, and morph targets for each
/// of them, and learns the best that keeps the budget; `size` may be empty where bytes are not limited. With `heldOut`
/// choices are scored there, and the result is learned from `examples` alone. Without, examples are held out in folds
/// (a fifth of them, where they are many), and the result is learned from all. Throws BadInput as fitSkin and
/// learnPoseSpace, for fewer than two examples (with `heldOut`, one), and for a budget that the character itself
/// exceeds.
BudgetedSkinResult learnBudgetedSkin(const Character& character, ExampleSource& examples, ExampleSource* heldOut,
                                     const BudgetedSkinSize& size, const BudgetedSkinOptions& options = {},
                                     const Progress& progress = {});

}  // namespace sinew
