#include "sinew/deform/deformers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string>
#include <vector>

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/deform/dual_quaternion_blend.h"
#include "sinew/deform/linear_blend.h"
#include "sinew/deform/rigid_skin.h"

namespace sinew {
namespace {

constexpr std::array kRows{
    DeformerRow{"linear-blend", "the weighted mean of the joints' transforms", DeformerSource::Skin,
                [](const Skin& skin) -> DeformerPtr { return std::make_shared<LinearBlend>(skin.weights); }},
    DeformerRow{"dual-quaternion", "blends rigid motions; twists keep their volume", DeformerSource::Skin,
                [](const Skin& skin) -> DeformerPtr { return std::make_shared<DualQuaternionBlend>(skin); }},
    DeformerRow{"rigid", "each vertex follows its largest weight", DeformerSource::Skin,
                [](const Skin& skin) -> DeformerPtr { return std::make_shared<RigidSkin>(skin.weights); }},
    DeformerRow{"pose-space", "the learned corrections, with the skinning under them", DeformerSource::Model},
    DeformerRow{"lattice", "a box of control points bends the space inside it", DeformerSource::Options},
    DeformerRow{"wire", "curves move the skin near them", DeformerSource::Options},
};

}  // namespace

std::span<const DeformerRow> deformers() {
  return kRows;
}

const DeformerRow& deformerRow(std::string_view name) {
  std::vector<std::string> names;
  for (const DeformerRow& row : kRows) {
    if (row.name == name) return row;
    names.emplace_back(row.name);
  }
  const std::string nearest = nearestName(name, names);
  const std::string hint = nearest.empty() ? std::string() : fmt::format("; did you mean '{}'?", nearest);
  throw Error(ErrorCode::NotFound, fmt::format("there is no deformer '{}'{} There are: {}", name,
                                               hint.empty() ? "." : hint, fmt::join(names, ", ")));
}

std::vector<std::string> skinDeformerNames() {
  std::vector<std::string> names;
  for (const DeformerRow& row : kRows) {
    if (row.source == DeformerSource::Skin) names.emplace_back(row.name);
  }
  return names;
}

DeformerPtr makeSkinDeformer(std::string_view name, const Skin& skin) {
  const DeformerRow& row = deformerRow(name);
  if (row.fromSkin == nullptr) {
    throw Error(ErrorCode::BadInput,
                fmt::format("the deformer '{}' is not made from a skin{}", name,
                            row.source == DeformerSource::Options ? "; give its settings in a file" : " alone"));
  }
  return row.fromSkin(skin);
}

}  // namespace sinew
