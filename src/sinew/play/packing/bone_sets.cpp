// Runs of equal joint sets. Sets are found by a hash of the sorted joints. A loop over a short run is mostly set-up,
// and a block costs the same however many of its 16 lanes are filled, so small groups look for a run whose joints
// contain theirs (the missing weights are 0), and then for each other: full blocks with 8 joints beat half-empty ones
// with 4.
#include "sinew/play/packing/bone_sets.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <unordered_map>

#include "sinew/play/packing/layout.h"

namespace sinew::play {
namespace {

using Bones = std::vector<std::uint16_t>;

struct BonesHash {
  std::size_t operator()(const Bones& bones) const {
    std::size_t hash = 14695981039346656037u;
    for (const std::uint16_t bone : bones) hash = (hash ^ bone) * 1099511628211u;
    return hash ^ (hash >> 29);
  }
};

void sortedBones(std::span<const Influence> column, Bones& bones) {
  bones.clear();
  for (const Influence& influence : column) bones.push_back(static_cast<std::uint16_t>(influence.joint));
  std::sort(bones.begin(), bones.end());
}

std::vector<BoneGroup> exactGroups(const Influences& influences, std::span<const std::uint32_t> vertices) {
  std::vector<BoneGroup> groups;
  std::unordered_map<Bones, std::size_t, BonesHash> groupOf;
  Bones bones;
  for (const std::uint32_t v : vertices) {
    sortedBones(influences[v], bones);
    const auto [found, added] = groupOf.try_emplace(bones, groups.size());
    if (added) groups.push_back({bones, {}, 0});
    groups[found->second].vertices.push_back(v);
  }
  return groups;
}

void join(BoneGroup& run, const BoneGroup& small) {
  run.vertices.insert(run.vertices.end(), small.vertices.begin(), small.vertices.end());
  if (small.bones.size() < run.bones.size()) run.merged += small.vertices.size();
}

/// The run with the fewest joints that contain all of `bones`, or none.
class SupersetFinder {
 public:
  SupersetFinder(const std::vector<BoneGroup>& runs, std::size_t jointCount) : runs_(runs), runsOf_(jointCount) {
    for (std::size_t r = 0; r < runs.size(); ++r) {
      for (const std::uint16_t bone : runs[r].bones) runsOf_[bone].push_back(r);
    }
  }

  [[nodiscard]] std::size_t find(const Bones& bones, std::size_t mostBones) const {
    const auto rarest = *std::min_element(bones.begin(), bones.end(), [this](std::uint16_t a, std::uint16_t b) {
      return runsOf_[a].size() < runsOf_[b].size();
    });
    std::size_t best = kNone;
    std::size_t bestBones = mostBones + 1;
    for (const std::size_t r : runsOf_[rarest]) {
      const Bones& has = runs_[r].bones;
      if (has.size() >= bestBones || !std::includes(has.begin(), has.end(), bones.begin(), bones.end())) continue;
      best = r;
      bestBones = has.size();
    }
    return best;
  }

  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

 private:
  const std::vector<BoneGroup>& runs_;
  std::vector<std::vector<std::size_t>> runsOf_;
};

/// Small groups in lexicographic order of their joints, united while the union stays small.
void uniteNeighbours(std::vector<BoneGroup> small, const PackOptions& options, BoneGroups& result) {
  std::sort(small.begin(), small.end(), [](const BoneGroup& a, const BoneGroup& b) { return a.bones < b.bones; });
  const auto most = static_cast<std::size_t>(options.mostMerged);
  for (std::size_t i = 0; i < small.size();) {
    Bones bones = small[i].bones;
    std::size_t count = small[i].vertices.size();
    std::size_t next = i + 1;
    for (Bones wider; next < small.size(); ++next) {
      wider.clear();
      std::set_union(bones.begin(), bones.end(), small[next].bones.begin(), small[next].bones.end(),
                     std::back_inserter(wider));
      const bool enough = count >= static_cast<std::size_t>(options.wantedRun);
      if (wider.size() > most || (enough && wider.size() > bones.size())) break;
      bones.swap(wider);
      count += small[next].vertices.size();
    }
    if (count >= static_cast<std::size_t>(options.leastRun) && bones.size() <= kMostRunBones) {
      BoneGroup run{bones, {}, 0};
      for (; i < next; ++i) join(run, small[i]);
      result.runs.push_back(std::move(run));
    } else {
      // Only the first group gives up: the ones after it may fit better with what follows them.
      result.alone.insert(result.alone.end(), small[i].vertices.begin(), small[i].vertices.end());
      ++i;
    }
  }
}

}  // namespace

BoneGroups groupByBones(const Influences& influences, std::span<const std::uint32_t> vertices, std::size_t jointCount,
                        const PackOptions& options) {
  BoneGroups result;
  std::vector<BoneGroup> small;
  for (BoneGroup& group : exactGroups(influences, vertices)) {
    const bool large = group.vertices.size() >= static_cast<std::size_t>(options.wantedRun);
    (large && group.bones.size() <= kMostRunBones ? result.runs : small).push_back(std::move(group));
  }
  const SupersetFinder finder(result.runs, jointCount);
  std::vector<BoneGroup> homeless;
  for (BoneGroup& group : small) {
    const std::size_t run = finder.find(group.bones, static_cast<std::size_t>(options.mostMerged));
    if (run != SupersetFinder::kNone) {
      join(result.runs[run], group);
    } else {
      homeless.push_back(std::move(group));
    }
  }
  uniteNeighbours(std::move(homeless), options, result);
  for (BoneGroup& run : result.runs) std::sort(run.vertices.begin(), run.vertices.end());
  std::sort(result.runs.begin(), result.runs.end(),
            [](const BoneGroup& a, const BoneGroup& b) { return a.vertices.front() < b.vertices.front(); });
  std::sort(result.alone.begin(), result.alone.end());
  return result;
}

}  // namespace sinew::play
