#include "sinew/manipulate/drag_weights/near.h"

#include <algorithm>

#include "sinew/manipulate/drag_weights/points.h"

namespace sinew::drag_weights {
namespace {

/// At most this many bones away.
constexpr int kNearBones = 2;
constexpr int kRings = 3;
/// Joints of the rings cost their ring, then come parents and children, then the soft selection.
constexpr double kOfBones = kRings + 1;
constexpr double kOfSelection = kOfBones + 1;
/// More do not help: any point of a hull is a mix of four.
constexpr std::size_t kMostOffers = 12;

bool moves(std::span<const Influence> column, std::uint32_t binding) {
  return std::any_of(column.begin(), column.end(), [binding](const Influence& one) { return one.binding == binding; });
}

}  // namespace

bool areNear(const Skeleton& skeleton, int a, int b) {
  for (int up = 0; up <= kNearBones && a >= 0; ++up, a = skeleton[a].parent) {
    int other = b;
    for (int down = 0; up + down <= kNearBones && other >= 0; ++down, other = skeleton[other].parent) {
      if (a == other) return true;
    }
  }
  return false;
}

NearJoints::NearJoints(const Character& character, const DragSurface& surface)
    : character_(character),
      surface_(surface),
      reluctance_(character.skin.bindings.size(), 0),
      asked_(reluctance_.size(), -1) {
  for (const Binding& binding : character.skin.bindings) {
    std::int64_t found = -1;
    for (int up = character.skeleton[binding.joint].parent; up >= 0 && found < 0; up = character.skeleton[up].parent)
      found = bindingOf(character.skin, binding.skin, up);
    parent_.push_back(found);
  }
}

void NearJoints::offer(std::int64_t binding, double reluctance) {
  if (binding < 0) return;
  double& known = reluctance_[toSize(binding)];
  if (known == 0) offered_.push_back(static_cast<std::uint32_t>(binding));
  known = known == 0 ? reluctance : std::min(known, reluctance);
}

bool NearJoints::isNear(Index vertex, int joint) const {
  const auto own = character_.skin.weights[vertex];
  return std::any_of(own.begin(), own.end(), [&](const Influence& mine) {
    return areNear(character_.skeleton, character_.skin.bindings[mine.binding].joint, joint);
  });
}

/// Joints of another point, as far as they are near and the vertex' own skin binds them.
void NearJoints::take(Index vertex, std::uint32_t point, int skin, double reluctance) {
  const auto& bindings = character_.skin.bindings;
  for (const std::uint32_t other : surface_.verticesOf(point)) {
    for (const Influence& one : character_.skin.weights[static_cast<Index>(other)]) {
      if (asked_[one.binding] == vertex) continue;
      asked_[one.binding] = vertex;
      const Binding& found = bindings[one.binding];
      if (found.skin >= 0 && isNear(vertex, found.joint))
        offer(found.skin == skin ? one.binding : bindingOf(character_.skin, skin, found.joint), reluctance);
    }
  }
}

void NearJoints::find(Index vertex, std::span<const std::uint32_t> selected, std::span<const int> locked,
                      std::vector<Offer>& offers) {
  offers.clear();
  offered_.clear();
  const auto& bindings = character_.skin.bindings;
  const auto own = character_.skin.weights[vertex];
  const int skin = skinOf(character_, vertex);
  surface_.rings(surface_.weld().pointOfVertex[toSize(vertex)], kRings, search_, rings_);
  for (const DragSurface::Near& near : rings_) take(vertex, near.point, skin, std::max(1.0, near.distance));
  for (const std::uint32_t point : selected) take(vertex, point, skin, kOfSelection);
  for (const Influence& one : own) offer(parent_[one.binding], kOfBones);
  for (std::uint32_t b = 0; b < bindings.size(); ++b) {
    if (bindings[b].skin == skin && parent_[b] >= 0 && moves(own, static_cast<std::uint32_t>(parent_[b])))
      offer(b, kOfBones);
  }
  for (const std::uint32_t b : offered_) {
    const bool held = std::find(locked.begin(), locked.end(), bindings[b].joint) != locked.end();
    if (!held && !moves(own, b)) offers.push_back({b, reluctance_[b]});
    reluctance_[b] = 0;
  }
  std::sort(offers.begin(), offers.end(), [](const Offer& a, const Offer& b) {
    return a.reluctance != b.reluctance ? a.reluctance < b.reluctance : a.binding < b.binding;
  });
  if (offers.size() > kMostOffers) offers.resize(kMostOffers);
}

void NearJoints::share(std::span<const Index> vertices, std::vector<std::vector<Offer>>& offers) const {
  std::vector<double> least(reluctance_.size(), 0);
  for (const std::vector<Offer>& list : offers) {
    for (const Offer& one : list) {
      double& known = least[one.binding];
      known = known == 0 ? one.reluctance : std::min(known, one.reluctance);
    }
  }
  for (std::size_t k = 0; k < vertices.size(); ++k) {
    const int skin = skinOf(character_, vertices[k]);
    for (std::uint32_t b = 0; b < least.size(); ++b) {
      const Binding& binding = character_.skin.bindings[b];
      const bool has =
          moves(character_.skin.weights[vertices[k]], b) ||
          std::any_of(offers[k].begin(), offers[k].end(), [b](const Offer& one) { return one.binding == b; });
      if (least[b] > 0 && !has && binding.skin == skin && isNear(vertices[k], binding.joint))
        offers[k].push_back({b, std::max(least[b], kOfSelection)});
    }
  }
}

}  // namespace sinew::drag_weights
