#include "sinew/learn/fit/regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace sinew::fit {
namespace {

/// A second joint with less weight does not make a region.
constexpr double kLeastShare = 0.05;
/// The joints in a region's name have this share of its weight.
constexpr double kMostOfIt = 2.0 / 3;
constexpr std::size_t kNamedMovers = 3;

using JointPair = std::array<int, 2>;

class RegionMaker {
 public:
  RegionMaker(const Character& character, const FitProblem& problem, const std::vector<int>& partners)
      : character_(character), problem_(problem), standsFor_(toSize(character.skeleton.size())) {
    std::iota(standsFor_.begin(), standsFor_.end(), 0);
    for (std::size_t j = 0; j < partners.size(); ++j) {
      if (partners[j] >= 0) standsFor_[j] = std::min(static_cast<int>(j), partners[j]);
    }
    for (const HelperJoint& helper : character.helpers)
      standsFor_[toSize(helper.joint)] = standsFor_[toSize(helper.source)];
  }

  PointRegions run(Index leastPoints) {
    std::map<JointPair, int> found;
    for (const std::vector<Influence>& weights : problem_.prior) {
      const JointPair joints = pairOf(weights);
      const auto [place, isNew] = found.try_emplace(joints, static_cast<int>(regions_.joints.size()));
      if (isNew) {
        regions_.joints.push_back(joints);
        regions_.points.push_back(0);
      }
      regions_.ofPoint.push_back(place->second);
      ++regions_.points[toSize(place->second)];
    }
    merge(leastPoints);
    findMovers();
    return std::move(regions_);
  }

 private:
  [[nodiscard]] JointPair pairOf(const std::vector<Influence>& column) const {
    std::map<int, double> weights;
    for (const Influence& influence : column)
      weights[standsFor_[toSize(character_.skin.bindings[influence.binding].joint)]] += influence.weight;
    JointPair best{-1, -1};
    double first = 0;
    double second = 0;
    for (const auto& [joint, weight] : weights) {
      if (weight > first) {
        second = first;
        best[1] = best[0];
        first = weight;
        best[0] = joint;
      } else if (weight > second) {
        second = weight;
        best[1] = joint;
      }
    }
    if (second < kLeastShare) best[1] = -1;
    if (best[1] >= 0 && best[1] < best[0]) std::swap(best[0], best[1]);
    return best;
  }

  void merge(Index leastPoints) {
    std::vector<std::size_t> bySize(regions_.count());
    std::iota(bySize.begin(), bySize.end(), std::size_t{0});
    std::stable_sort(bySize.begin(), bySize.end(),
                     [&](std::size_t a, std::size_t b) { return regions_.points[a] < regions_.points[b]; });
    std::vector<std::size_t> into(regions_.count());
    std::iota(into.begin(), into.end(), std::size_t{0});
    for (const std::size_t small : bySize) {
      if (regions_.points[small] >= leastPoints) continue;
      const std::size_t large = partnerOf(small, into);
      if (large == small) continue;
      into[small] = large;
      regions_.points[large] += regions_.points[small];
      regions_.points[small] = 0;
    }
    compact(into);
  }

  /// The largest other region that shares a joint, or else the largest of all.
  [[nodiscard]] std::size_t partnerOf(std::size_t small, const std::vector<std::size_t>& into) const {
    std::size_t best = small;
    std::array<Index, 2> most{-1, -1};
    for (std::size_t r = 0; r < regions_.count(); ++r) {
      if (r == small || into[r] != r) continue;
      const JointPair& a = regions_.joints[r];
      const JointPair& b = regions_.joints[small];
      const bool shares = a[0] == b[0] || a[0] == b[1] || (a[1] >= 0 && (a[1] == b[0] || a[1] == b[1]));
      const std::array<Index, 2> rank{shares ? 1 : 0, regions_.points[r]};
      if (rank <= most) continue;
      most = rank;
      best = r;
    }
    return best;
  }

  void compact(const std::vector<std::size_t>& into) {
    std::vector<int> number(regions_.count(), -1);
    PointRegions kept;
    for (std::size_t r = 0; r < regions_.count(); ++r) {
      if (into[r] != r) continue;
      number[r] = static_cast<int>(kept.joints.size());
      kept.joints.push_back(regions_.joints[r]);
      kept.points.push_back(regions_.points[r]);
    }
    for (const int region : regions_.ofPoint) {
      auto r = toSize(region);
      while (into[r] != r) r = into[r];
      kept.ofPoint.push_back(number[r]);
    }
    regions_ = std::move(kept);
  }

  void findMovers() {
    std::vector<std::map<int, double>> weights(regions_.count());
    for (std::size_t p = 0; p < problem_.prior.size(); ++p) {
      for (const Influence& influence : problem_.prior[p]) {
        const int joint = character_.skin.bindings[influence.binding].joint;
        weights[toSize(regions_.ofPoint[p])][standsFor_[toSize(joint)]] += influence.weight;
      }
    }
    for (const std::map<int, double>& region : weights) {
      std::vector<std::pair<double, int>> sorted;
      double sum = 0;
      for (const auto& [joint, weight] : region) {
        sorted.emplace_back(-weight, joint);
        sum += weight;
      }
      std::sort(sorted.begin(), sorted.end());
      std::vector<int>& movers = regions_.movers.emplace_back();
      double covered = 0;
      for (std::size_t k = 0; k < sorted.size() && covered < kMostOfIt * sum; ++k) {
        movers.push_back(sorted[k].second);
        covered -= sorted[k].first;
      }
    }
  }

  const Character& character_;
  const FitProblem& problem_;
  std::vector<int> standsFor_;
  PointRegions regions_;
};

}  // namespace

std::string PointRegions::name(const Character& character, std::size_t region) const {
  const auto& [first, second] = joints[region];
  if (first < 0) return "of vertices without weights";
  const std::vector<int>& names = movers[region];
  const bool joined =
      std::any_of(names.begin(), names.end(), [a = first, b = second](int joint) { return joint != a && joint != b; });
  if (joined && count() == 1) return "of the whole body";
  if (joined) {
    std::string text;
    for (std::size_t k = 0; k < std::min(names.size(), kNamedMovers); ++k)
      text += fmt::format("{}'{}'", k == 0 ? "" : ", ", character.skeleton[names[k]].name);
    if (names.size() <= kNamedMovers) return "around " + text;
    return fmt::format("around {} and {} more", text, names.size() - kNamedMovers);
  }
  if (second < 0) return fmt::format("around '{}'", character.skeleton[first].name);
  return fmt::format("between '{}' and '{}'", character.skeleton[first].name, character.skeleton[second].name);
}

PointRegions pointRegions(const Character& character, const FitProblem& problem, Index leastPoints,
                          const std::vector<int>& partners) {
  return RegionMaker(character, problem, partners).run(leastPoints);
}

}  // namespace sinew::fit
