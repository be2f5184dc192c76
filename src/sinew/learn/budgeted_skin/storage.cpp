#include "sinew/learn/budgeted_skin/storage.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "sinew/deform/morph_driven_skin.h"

namespace sinew::budgeted_skin {
namespace {

/// From complete to small.
struct StorageRow {
  MorphDriving driving;
  bool normals;
  bool small;  ///< 16-bit weights, and no rest shape to match examples by
};

constexpr StorageRow kRows[] = {
    {MorphDriving::Model, true, false},
    {MorphDriving::Drivers, true, false},
    {MorphDriving::Drivers, true, true},
    {MorphDriving::Drivers, false, true},
};

BudgetedSkin stored(const MadeSkin& made, bool quantized, std::size_t ownMorphs, const StorageRow& row) {
  BudgetedSkin skin;
  skin.corrected = made.corrected;
  skin.driving = row.driving;
  skin.weights = row.small ? WeightFormat::Bits16 : WeightFormat::Float;
  skin.quantizedMorphs = quantized;
  skin.movedRest = made.movedRest;
  skin.keepsRest = !row.small;
  if (!row.normals) {
    std::vector<MorphTarget>& morphs = skin.corrected.character.morphs;
    for (std::size_t m = ownMorphs; m < morphs.size(); ++m) morphs[m].normalDeltas.resize(3, 0);
  }
  if (skin.corrected.poseSpace && row.driving == MorphDriving::Drivers)
    skin.corrected.poseSpace = std::make_shared<PoseSpaceModel>(driversOf(*skin.corrected.poseSpace));
  return skin;
}

}  // namespace

std::optional<StoredSkin> storeSkin(const Character& before, const MadeSkin& made, bool quantized,
                                    const SkinBudget& budget, const BudgetedSkinSize& size, std::size_t& least) {
  least = std::numeric_limits<std::size_t>::max();
  SkinCost cost = skinCost(before, made.corrected.character);
  for (const StorageRow& row : kRows) {
    // Without morph targets nothing is driven, and no normals are stored.
    if (!made.corrected.poseSpace && row.driving != MorphDriving::Model && row.normals != row.small) continue;
    BudgetedSkin skin = stored(made, quantized, before.morphs.size(), row);
    cost.bytes = size ? size(skin) : 0;
    least = std::min(least, cost.bytes);
    if (isWithin(cost, budget)) return StoredSkin{std::move(skin), cost};
  }
  return std::nullopt;
}

}  // namespace sinew::budgeted_skin
