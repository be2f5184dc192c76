// How a file stores a skin: as completely as its bytes allow.
#pragma once

#include <cstddef>
#include <optional>

#include "sinew/learn/budgeted_skin.h"
#include "sinew/learn/budgeted_skin/recipe.h"

namespace sinew::budgeted_skin {

struct StoredSkin {
  BudgetedSkin skin;
  SkinCost cost;
};

/// The first form of storage that keeps the budget, the most complete one first; nothing if none does, and then `least`
/// is set to the fewest bytes of all. `size` may be empty if bytes are not limited.
std::optional<StoredSkin> storeSkin(const Character& before, const MadeSkin& made, bool quantized,
                                    const SkinBudget& budget, const BudgetedSkinSize& size, std::size_t& least);

}  // namespace sinew::budgeted_skin
