#include "sinew/learn/fit/weights_near.h"

#include <algorithm>
#include <cmath>

namespace sinew::fit {

NearJoints::NearJoints(const Character& character, const std::vector<std::uint32_t>& candidates)
    : candidates_(candidates), placeOf_(character.skin.bindings.size(), -1), next_(candidates.size()) {
  std::vector<int> ofJoint(toSize(character.skeleton.size()), -1);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    placeOf_[candidates[i]] = static_cast<int>(i);
    ofJoint[toSize(character.skin.bindings[candidates[i]].joint)] = static_cast<int>(i);
  }
  const auto above = [&](int joint) {
    int at = character.skeleton[joint].parent;
    while (at >= 0 && ofJoint[toSize(at)] < 0) at = character.skeleton[at].parent;
    return at < 0 ? -1 : ofJoint[toSize(at)];
  };
  std::vector<char> helper(candidates.size(), 0);
  for (const HelperJoint& rule : character.helpers) {
    const int place = ofJoint[toSize(rule.joint)];
    if (place < 0) continue;
    helper[toSize(place)] = 1;
    const int source = ofJoint[toSize(rule.source)];
    const int parent = above(rule.source);
    for (const int base : {source, parent}) {
      if (base >= 0) next_[toSize(base)].push_back(place);
    }
    if (rule.kind == HelperKind::Half && source >= 0 && parent >= 0) halves_.push_back({parent, source, place});
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (helper[i] != 0) continue;
    const int parent = above(character.skin.bindings[candidates[i]].joint);
    if (parent < 0) continue;
    next_[i].push_back(parent);
    next_[toSize(parent)].push_back(static_cast<int>(i));
  }
}

void NearJoints::mark(const std::vector<Influence>& column, std::vector<char>& near) const {
  near.assign(candidates_.size(), 0);
  for (const Influence& influence : column) {
    const int place = placeOf_[influence.binding];
    if (place < 0) continue;
    near[toSize(place)] = 1;
    for (const int other : next_[toSize(place)]) near[toSize(other)] = 1;
  }
}

std::vector<Influence> NearJoints::halfway(const std::vector<Influence>& column,
                                           const std::vector<char>& allowed) const {
  const auto isAllowed = [&](const Half& half) {
    return allowed.empty() || allowed[candidates_[toSize(half.half)]] != 0;
  };
  std::vector<double> weights(candidates_.size(), 0);
  for (const Influence& influence : column) {
    if (placeOf_[influence.binding] >= 0) weights[toSize(placeOf_[influence.binding])] += influence.weight;
  }
  // A joint with several neighbours at the point is shared among them by their weights.
  std::vector<double> beside(candidates_.size(), 0);
  for (const Half& half : halves_) {
    if (!isAllowed(half)) continue;
    beside[toSize(half.above)] += weights[toSize(half.below)];
    beside[toSize(half.below)] += weights[toSize(half.above)];
  }
  std::vector<double> result = weights;
  for (const Half& half : halves_) {
    const auto a = toSize(half.above);
    const auto b = toSize(half.below);
    if (!isAllowed(half) || !(weights[a] > 0) || !(weights[b] > 0)) continue;
    const double given = std::min(weights[a] * weights[b] / beside[a], weights[b] * weights[a] / beside[b]);
    result[a] -= given;
    result[b] -= given;
    result[toSize(half.half)] += 2 * given;
  }
  std::vector<Influence> out;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (result[i] > 1e-12) out.push_back({candidates_[i], result[i]});
  }
  std::stable_sort(out.begin(), out.end(), [](const Influence& x, const Influence& y) { return x.weight > y.weight; });
  return out;
}

}  // namespace sinew::fit
