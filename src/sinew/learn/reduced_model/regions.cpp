#include "sinew/learn/reduced_model/regions.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>

namespace sinew::reduced_model {
namespace {

constexpr std::uint32_t kNoRegion = 0xffffffffu;

double jointCost(double areaA, double areaB, const Eigen::VectorXf& a, const Eigen::VectorXf& b) {
  const double sum = areaA + areaB;
  return sum > 0 ? areaA * areaB / sum * static_cast<double>((a - b).squaredNorm()) : 0;
}

}  // namespace

Regions::Regions(const TriangleGraph& graph, const RotationFeatures& features, const std::vector<std::uint32_t>& labels)
    : graph_(graph), features_(features), groupOf_(labels.size(), kNoRegion) {
  std::vector<std::uint32_t> stack;
  for (std::size_t t = 0; t < labels.size(); ++t) {
    if (groupOf_[t] != kNoRegion) continue;
    const auto group = static_cast<std::uint32_t>(groups_.size());
    Group fresh;
    fresh.mean = Eigen::VectorXf::Zero(features.points.rows());
    fresh.label = labels[t];
    groupOf_[t] = group;
    stack.push_back(static_cast<std::uint32_t>(t));
    Eigen::VectorXf plain = fresh.mean;
    while (!stack.empty()) {
      const std::uint32_t at = stack.back();
      stack.pop_back();
      fresh.area += features.areas[at];
      fresh.mean += static_cast<float>(features.areas[at]) * features.points.col(at);
      plain += features.points.col(at);
      ++fresh.triangles;
      for (const std::uint32_t next : graph[at]) {
        if (groupOf_[next] != kNoRegion || labels[next] != labels[t]) continue;
        groupOf_[next] = group;
        stack.push_back(next);
      }
    }
    fresh.mean = fresh.area > 0 ? Eigen::VectorXf(fresh.mean / static_cast<float>(fresh.area))
                                : Eigen::VectorXf(plain / static_cast<float>(fresh.triangles));
    groups_.push_back(std::move(fresh));
  }
  for (std::size_t t = 0; t < labels.size(); ++t) {
    for (const std::uint32_t next : graph[t])
      if (groupOf_[next] != groupOf_[t]) groups_[groupOf_[t]].neighbours.push_back(groupOf_[next]);
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    auto& near = groups_[g].neighbours;
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    joined_.push_back(static_cast<std::uint32_t>(g));
  }
  alive_ = static_cast<Index>(groups_.size());
}

std::uint32_t Regions::root(std::uint32_t group) const {
  while (joined_[group] != group) group = joined_[group] = joined_[joined_[group]];
  return group;
}

std::vector<std::uint32_t> Regions::liveNeighbours(std::uint32_t group) const {
  std::vector<std::uint32_t> near;
  for (const std::uint32_t other : groups_[group].neighbours) {
    const std::uint32_t live = root(other);
    if (live != group) near.push_back(live);
  }
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  return near;
}

void Regions::join(std::uint32_t from, std::uint32_t into) {
  Group& a = groups_[from];
  Group& b = groups_[into];
  const double area = a.area + b.area;
  if (area > 0) b.mean += static_cast<float>(a.area / area) * (a.mean - b.mean);
  b.area = area;
  b.triangles += a.triangles;
  std::vector<std::uint32_t> near = liveNeighbours(into);
  const std::vector<std::uint32_t> more = liveNeighbours(from);
  near.insert(near.end(), more.begin(), more.end());
  joined_[from] = into;
  --alive_;
  b.neighbours = std::move(near);
  b.neighbours = liveNeighbours(into);
  a.neighbours = {};
}

void Regions::dissolveSmall(double leastArea) {
  using Entry = std::tuple<double, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (std::uint32_t g = 0; g < groups_.size(); ++g)
    if (root(g) == g && groups_[g].area < leastArea) queue.emplace(groups_[g].area, g);
  while (!queue.empty()) {
    const double area = std::get<0>(queue.top());
    const std::uint32_t group = std::get<1>(queue.top());
    queue.pop();
    if (root(group) != group || groups_[group].area != area) continue;
    const std::vector<std::uint32_t> near = liveNeighbours(group);
    if (near.empty()) continue;
    const std::uint32_t into = *std::min_element(near.begin(), near.end(), [&](std::uint32_t l, std::uint32_t r) {
      return (groups_[l].mean - groups_[group].mean).squaredNorm() <
             (groups_[r].mean - groups_[group].mean).squaredNorm();
    });
    join(group, into);
    if (groups_[into].area < leastArea) queue.emplace(groups_[into].area, into);
  }
}

void Regions::joinNearest() {
  double best = std::numeric_limits<double>::infinity();
  std::uint32_t from = kNoRegion;
  std::uint32_t into = kNoRegion;
  const auto consider = [&](std::uint32_t a, std::uint32_t b) {
    const double cost = jointCost(groups_[a].area, groups_[b].area, groups_[a].mean, groups_[b].mean);
    if (cost >= best) return;
    best = cost;
    from = std::max(a, b);
    into = std::min(a, b);
  };
  for (std::uint32_t g = 0; g < groups_.size(); ++g) {
    if (root(g) != g) continue;
    for (const std::uint32_t other : liveNeighbours(g)) consider(g, other);
  }
  for (std::uint32_t a = 0; from == kNoRegion && a < groups_.size(); ++a) {
    for (std::uint32_t b = a + 1; root(a) == a && b < groups_.size(); ++b)
      if (root(b) == b) consider(a, b);
  }
  if (from != kNoRegion) join(from, into);
}

std::vector<std::uint32_t> Regions::members(std::uint32_t group) const {
  std::vector<std::uint32_t> inside;
  for (std::size_t t = 0; t < groupOf_.size(); ++t)
    if (root(groupOf_[t]) == group) inside.push_back(static_cast<std::uint32_t>(t));
  return inside;
}

bool Regions::splitWidest() {
  std::vector<double> spread(groups_.size(), 0.0);
  for (std::size_t t = 0; t < groupOf_.size(); ++t) {
    const std::uint32_t group = root(groupOf_[t]);
    spread[group] +=
        features_.areas[static_cast<Index>(t)] *
        static_cast<double>((features_.points.col(static_cast<Index>(t)) - groups_[group].mean).squaredNorm());
  }
  std::uint32_t widest = kNoRegion;
  for (std::uint32_t g = 0; g < groups_.size(); ++g) {
    if (root(g) != g || groups_[g].triangles < 2) continue;
    if (widest == kNoRegion || spread[g] > spread[widest]) widest = g;
  }
  if (widest == kNoRegion) return false;
  part(widest);
  return true;
}

// Two ends grow towards each other, nearest sequences first, so both parts are connected. A group of several pieces
// (joined for want of neighbours) gives its unreached triangles to the first part.
void Regions::part(std::uint32_t group) {
  const std::vector<std::uint32_t> inside = members(group);
  const auto farthest = [&](const Eigen::VectorXf& from, std::uint32_t otherThan) {
    std::uint32_t best = kNoRegion;
    float most = -1;
    for (const std::uint32_t t : inside) {
      const float away = (features_.points.col(t) - from).squaredNorm();
      if (t == otherThan || away <= most) continue;
      most = away;
      best = t;
    }
    return best;
  };
  const std::array<std::uint32_t, 2> ends{farthest(groups_[group].mean, kNoRegion), 0};
  const std::uint32_t other = farthest(features_.points.col(ends[0]), ends[0]);
  std::vector<std::uint8_t> side(groupOf_.size(), 0);  // 0: not inside, 1: open, 2 and 3: the parts
  for (const std::uint32_t t : inside) side[t] = 1;
  using Entry = std::tuple<float, std::uint32_t, std::uint8_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  // Before all others: where sequences are equal, one end would take the other, and the part stay empty.
  queue.emplace(-1.0F, ends[0], std::uint8_t{2});
  queue.emplace(-1.0F, other, std::uint8_t{3});
  while (!queue.empty()) {
    const auto [away, at, part] = queue.top();
    queue.pop();
    if (side[at] != 1) continue;
    side[at] = part;
    const std::uint32_t end = part == 2 ? ends[0] : other;
    for (const std::uint32_t next : graph_[at]) {
      if (side[next] != 1) continue;
      const float cost = (features_.points.col(next) - features_.points.col(end)).squaredNorm();
      queue.emplace(std::max(away, cost), next, part);
    }
  }
  // Everything is numbered again: splits are few.
  std::vector<std::uint32_t> fresh = labels();
  const auto extra = static_cast<std::uint32_t>(alive_);
  for (const std::uint32_t t : inside)
    if (side[t] == 3) fresh[t] = extra;
  std::vector<Group> groups(toSize(extra) + 1);
  for (Group& g : groups) g.mean = Eigen::VectorXf::Zero(features_.points.rows());
  for (std::size_t t = 0; t < fresh.size(); ++t) {
    Group& g = groups[fresh[t]];
    g.area += features_.areas[static_cast<Index>(t)];
    g.mean += static_cast<float>(features_.areas[static_cast<Index>(t)]) * features_.points.col(static_cast<Index>(t));
    ++g.triangles;
    for (const std::uint32_t next : graph_[t])
      if (fresh[next] != fresh[t]) g.neighbours.push_back(fresh[next]);
  }
  joined_.clear();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].area > 0) groups[g].mean /= static_cast<float>(groups[g].area);
    std::sort(groups[g].neighbours.begin(), groups[g].neighbours.end());
    groups[g].neighbours.erase(std::unique(groups[g].neighbours.begin(), groups[g].neighbours.end()),
                               groups[g].neighbours.end());
    joined_.push_back(static_cast<std::uint32_t>(g));
  }
  groups_ = std::move(groups);
  groupOf_ = std::move(fresh);
  alive_ = static_cast<Index>(groups_.size());
}

std::vector<std::uint32_t> Regions::labels() const {
  std::vector<std::uint32_t> number(groups_.size(), kNoRegion);
  std::vector<std::uint32_t> result;
  std::uint32_t next = 0;
  for (const std::uint32_t group : groupOf_) {
    std::uint32_t& mine = number[root(group)];
    if (mine == kNoRegion) mine = next++;
    result.push_back(mine);
  }
  return result;
}

}  // namespace sinew::reduced_model
