// Recipes learned without some examples and measured there.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sinew/base/progress.h"
#include "sinew/character/compare.h"
#include "sinew/learn/budgeted_skin.h"
#include "sinew/learn/budgeted_skin/recipe.h"
#include "sinew/learn/budgeted_skin/sample.h"

namespace sinew::budgeted_skin {

/// Which examples of a sample are held out, one fold after the other.
struct HeldOutPlan {
  std::vector<std::vector<std::size_t>> folds;  ///< of SkinSample::learned; empty: SkinSample::heldOut is measured
  std::string name;
};

/// Each example once where there are few, a share where there are many.
HeldOutPlan planHeldOut(const SkinSample& sample);

struct Trial {
  SkinRecipe recipe;
  SequenceErrors errors;
  double squares = 0;            ///< sum over frames of their mean squared distance
  std::size_t frames = 0;        ///< at which it was measured
  SkinCost cost;                 ///< the largest of the folds; bytes are an estimate for the whole mesh
  bool complete = true;          ///< measured in all folds
  std::vector<double> course{};  ///< the error after each fold
  double scale = 1;  ///< where it was not measured in all folds: how much larger its error is expected to be there

  [[nodiscard]] double rms() const;
  /// In all folds.
  [[nodiscard]] double expected() const { return scale * rms(); }
  /// Whether the recipe, or one with somewhat fewer morph targets, may keep the budget.
  [[nodiscard]] bool mayKeep(const SkinBudget& budget) const;
};

/// A recipe that may be made, and the error that is expected of it.
struct Candidate {
  SkinRecipe recipe;
  double rms = 0;
  bool measured = true;  ///< in all folds; else `rms` is that of fewer morph targets
};

/// The place of the best. Of errors that held-out examples cannot tell apart, the one with most morph targets (those
/// that were tried have seen fewer examples than those of the file will), or with fewest if the error is at most
/// `unseen` anyway; then the one without a new rest shape. Of this skin, the fewest morph targets that are as good.
/// There is at least one candidate.
std::size_t bestCandidate(const std::vector<Candidate>& candidates, double unseen);

struct TrialSettings {
  BudgetedSkinOptions options;
  double diagonal = 1;          ///< of the whole character
  Index vertices = 0;           ///< of the whole character
  double clipSeconds = 0;       ///< of the whole character
  std::vector<SkinStem> stems;  ///< the first is the plain skin
  std::vector<int> morphs;      ///< counts, the largest first; empty: none
  MorphForm form;
};

struct TrialResult {
  std::vector<Trial> trials;
  SequenceError before;            ///< the character as it was, at the same examples
  std::vector<std::string> names;  ///< of these examples
  std::vector<std::string> warnings;
};

/// Recipes that fall behind in the first folds are not tried in the others.
TrialResult runTrials(const SkinSample& sample, const HeldOutPlan& plan, const TrialSettings& settings,
                      const Progress& progress);

/// One more recipe, in all folds.
Trial tryRecipe(const SkinSample& sample, const HeldOutPlan& plan, const TrialSettings& settings,
                const SkinRecipe& recipe, const Progress& progress);

}  // namespace sinew::budgeted_skin
