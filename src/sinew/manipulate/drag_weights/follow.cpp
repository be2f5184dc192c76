// Soft selection. Solving each follower for a place of its own (share times the way) lets neighbours jump to different
// solutions: where the place is out of reach, one keeps a single joint and the next three. So followers take the change
// of the weights instead, for a follower with shares f_h of the handles h
//
//   w = nearest weights (non-negative, same sum) to w_0 + d,   d = sum_h f_h (w_h - w_h0)
//
// The nearest point of a simplex is nowhere farther apart than what it is nearest to, so two neighbours differ by at
// most their difference before and that of their shares of the change:
//
//   |w_a - w_b| <= |w_a0 - w_b0| + |f_a - f_b| |w_h - w_h0|.
//
// A joint that gains does so only as far as the follower's weight is on joints near it (near.h): selections through
// space leap from limb to limb. What the others give shrinks with it, so that d sums to 0.
#include "sinew/manipulate/drag_weights/follow.h"

#include <algorithm>
#include <cmath>

#include "sinew/character/skin.h"
#include "sinew/manipulate/drag_weights/near.h"

namespace sinew::drag_weights {
namespace {

/// A smaller change is none.
constexpr double kNoChange = 1e-12;

bool largerWeight(const Influence& a, const Influence& b) {
  return a.weight != b.weight ? a.weight > b.weight : a.binding < b.binding;
}

/// Scales free weights to a sum.
void scaleFree(std::span<Influence> column, std::size_t locked, double wanted) {
  double sum = 0;
  for (std::size_t i = locked; i < column.size(); ++i) sum += column[i].weight;
  for (std::size_t i = locked; i < column.size() && sum != 0; ++i) column[i].weight *= wanted / sum;
}

double sumOfFree(std::span<const Influence> column, std::size_t locked) {
  double sum = 0;
  for (std::size_t i = locked; i < column.size(); ++i) sum += column[i].weight;
  return sum;
}

/// The nearest weights that are not negative and have this sum; those that become 0 go to the end. Returns the number
/// of the others.
std::size_t project(std::span<Influence> free, double wanted) {
  std::sort(free.begin(), free.end(), largerWeight);
  double sum = 0;
  double excess = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < free.size(); ++i) {
    sum += free[i].weight;
    const double each = (sum - wanted) / static_cast<double>(i + 1);
    if (i > 0 && !(free[i].weight > each)) break;
    excess = each;
    count = i + 1;
  }
  for (Influence& one : free.first(count)) one.weight -= excess;
  return count;
}

/// At most `most` free weights, continuously: every weight loses as much as the largest of those that go.
std::size_t fade(std::span<Influence> column, std::size_t locked, std::size_t most) {
  if (column.size() <= locked + most) return column.size();
  const double sum = sumOfFree(column, locked);
  std::sort(column.begin() + static_cast<std::ptrdiff_t>(locked), column.end(), largerWeight);
  const double least = column[locked + most].weight;
  if (!(column[locked].weight > least)) return keepLargest(column, locked, most);
  std::size_t count = locked + most;
  for (std::size_t i = locked; i < count; ++i) column[i].weight -= least;
  while (count > locked + 1 && !(column[count - 1].weight > 0)) --count;
  scaleFree(column.first(count), locked, sum);
  return count;
}

}  // namespace

std::size_t dropDust(std::span<Influence> column, std::size_t locked) {
  const double sum = sumOfFree(column, locked);
  const auto free = column.subspan(locked);
  const auto isDust = [](const Influence& one) { return std::abs(one.weight) < kLeastWeight; };
  // If all of them are small (because of locks), the largest stays.
  if (std::all_of(free.begin(), free.end(), isDust)) return keepLargest(column, locked, 1);
  const auto last = std::remove_if(free.begin(), free.end(), isDust);
  if (last == free.end()) return column.size();
  const auto count = locked + toSize(last - free.begin());
  scaleFree(column.first(count), locked, sum);
  return count;
}

std::size_t keepLargest(std::span<Influence> column, std::size_t locked, std::size_t most) {
  if (column.size() <= locked + most) return column.size();
  const double sum = sumOfFree(column, locked);
  std::sort(column.begin() + static_cast<std::ptrdiff_t>(locked), column.end(), largerWeight);
  scaleFree(column.first(locked + most), locked, sum);
  return locked + most;
}

Followers::Followers(const Character& character, const DragPoints& points, std::size_t handles, FollowOptions options)
    : character_(character),
      points_(points),
      options_(options),
      joints_(toSize(character.skeleton.size())),
      changes_(handles),
      near_(joints_) {
  int skins = 0;
  for (const Binding& binding : character.skin.bindings) skins = std::max(skins, binding.skin + 1);
  bindings_.assign(toSize(skins + 1) * joints_, -1);
  for (std::size_t b = character.skin.bindings.size(); b-- > 0;) {
    const Binding& binding = character.skin.bindings[b];
    bindings_[rowOf(binding.skin) * joints_ + toSize(binding.joint)] = static_cast<std::int64_t>(b);
  }
  // Joints of a handle: those that move it now, and those that may.
  std::vector<std::vector<int>> offered(handles);
  const auto jointOf = [&](std::uint32_t binding) { return character.skin.bindings[binding].joint; };
  for (std::size_t h = 0; h < handles; ++h) {
    const DragPoint& point = points.points[h];
    for (Index c = point.begin; c < point.end; ++c) offered[h].push_back(jointOf(points.bindings[toSize(c)]));
    for (const Influence& one : character.skin.weights[point.vertex]) offered[h].push_back(jointOf(one.binding));
    std::sort(offered[h].begin(), offered[h].end());
    offered[h].erase(std::unique(offered[h].begin(), offered[h].end()), offered[h].end());
    changes_[h].reserve(offered[h].size());
    for (const int joint : offered[h]) {
      std::vector<char>& row = near_[toSize(joint)];
      if (!row.empty()) continue;
      for (int other = 0; other < character.skeleton.size(); ++other)
        row.push_back(areNear(character.skeleton, joint, other) ? 1 : 0);
    }
  }
  std::vector<std::size_t> seen(joints_, 0);
  for (std::size_t i = 0; i < points.points.size(); ++i) {
    const DragPoint& point = points.points[i];
    std::size_t room = character.skin.weights[point.vertex].size();
    for (std::uint32_t p = point.firstPull; p < point.lastPull; ++p) {
      for (const int joint : offered[points.pulls[p].handle]) {
        room += seen[toSize(joint)] == i + 1 ? 0 : 1;
        seen[toSize(joint)] = i + 1;
      }
    }
    room_.push_back(room);
  }
}

Followers::Scratch Followers::scratch() const {
  Scratch scratch;
  scratch.change.assign(joints_, 0);
  scratch.touched.reserve(joints_);
  return scratch;
}

void Followers::setHandle(std::size_t handle, std::span<const Influence> column) {
  const auto before = character_.skin.weights[points_.points[handle].vertex];
  const auto weightIn = [](std::span<const Influence> list, std::uint32_t binding) {
    for (const Influence& one : list) {
      if (one.binding == binding) return one.weight;
    }
    return 0.0;
  };
  std::vector<JointChange>& changes = changes_[handle];
  changes.clear();
  const auto add = [&](std::uint32_t binding, double after, double old) {
    if (std::abs(after - old) > kNoChange) changes.push_back({character_.skin.bindings[binding].joint, after - old});
  };
  for (const Influence& one : column) add(one.binding, one.weight, weightIn(before, one.binding));
  for (const Influence& one : before) {
    const bool gone =
        std::none_of(column.begin(), column.end(), [&](const auto& o) { return o.binding == one.binding; });
    if (gone) add(one.binding, 0, one.weight);
  }
}

void Followers::gather(const DragPoint& point, Scratch& scratch) const {
  scratch.touched.clear();
  for (std::uint32_t p = point.firstPull; p < point.lastPull; ++p) {
    const Pull& pull = points_.pulls[p];
    for (const JointChange& one : changes_[pull.handle]) {
      const auto j = toSize(one.joint);
      if (std::find(scratch.touched.begin(), scratch.touched.end(), one.joint) == scratch.touched.end()) {
        scratch.touched.push_back(one.joint);
        scratch.change[j] = 0;
      }
      scratch.change[j] += pull.share * one.change;
    }
  }
}

double Followers::nearness(std::span<const Influence> column, int joint) const {
  double sum = 0;
  for (const Influence& one : column) {
    if (near_[toSize(joint)][toSize(character_.skin.bindings[one.binding].joint)] != 0) sum += one.weight;
  }
  return std::min(1.0, sum);
}

std::size_t Followers::follow(std::size_t index, Scratch& scratch, std::span<Influence> out) const {
  const DragPoint& point = points_.points[index];
  const auto old = character_.skin.weights[point.vertex];
  gather(point, scratch);
  const auto lockedFirst = points_.locked.begin() + point.firstLocked;
  const auto lockedLast = points_.locked.begin() + point.lastLocked;
  const std::size_t locked = point.lastLocked - point.firstLocked;
  const auto isLocked = [&](std::uint32_t binding) {
    return std::any_of(lockedFirst, lockedLast, [binding](const Influence& one) { return one.binding == binding; });
  };
  const auto keep = [&] { return toSize(std::copy(old.begin(), old.end(), out.begin()) - out.begin()); };
  if (scratch.touched.empty() || point.begin == point.end) return keep();

  std::copy(lockedFirst, lockedLast, out.begin());
  std::size_t count = locked;
  for (const Influence& one : old) {
    if (!isLocked(one.binding)) out[count++] = one;
  }
  const std::size_t before = count;
  const double sum = sumOfFree(out.first(count), locked);
  // What joints give, and what others would take. A joint that the follower's skin does not bind does neither, nor does
  // a locked one.
  const int skin = skinOf(character_, point.vertex);
  double given = 0;
  double taken = 0;
  for (const int joint : scratch.touched) {
    double& change = scratch.change[toSize(joint)];
    const std::int64_t b = binding(skin, joint);
    if (b < 0 || isLocked(static_cast<std::uint32_t>(b))) change = 0;
    if (change > 0) change *= nearness(old, joint);
    (change < 0 ? given : taken) += std::abs(change);
  }
  const double moved = std::min(given, taken);
  if (!(moved > kNoChange)) return keep();
  for (const int joint : scratch.touched) {
    const double change = scratch.change[toSize(joint)];
    if (change == 0) continue;
    const double step = change * moved / (change < 0 ? given : taken);
    const auto b = static_cast<std::uint32_t>(binding(skin, joint));
    const auto column = out.subspan(locked, count - locked);
    const auto there =
        std::find_if(column.begin(), column.end(), [b](const Influence& one) { return one.binding == b; });
    if (there == column.end()) {
      out[count++] = {b, step};
    } else {
      there->weight += step;
    }
  }
  if (!options_.negative) count = locked + project(out.subspan(locked, count - locked), sum);
  count = dropDust(out.first(count), locked);
  if (options_.most > 0) {
    const auto room = toSize(std::max(1, options_.most - static_cast<int>(locked)));
    // A column that was over the limit before is cut to it.
    const bool cut = options_.negative || before > locked + room;
    count = cut ? keepLargest(out.first(count), locked, room) : fade(out.first(count), locked, room);
    count = dropDust(out.first(count), locked);
  }
  std::sort(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(count), largerWeight);
  return count;
}

}  // namespace sinew::drag_weights
