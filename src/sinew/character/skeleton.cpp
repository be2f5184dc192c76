#include "sinew/character/skeleton.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/base/check.h"
#include "sinew/base/text.h"

namespace sinew {

Skeleton::Skeleton(std::vector<Joint> joints) : joints_(std::move(joints)) {
  const int count = size();
  std::vector<std::vector<int>> children(joints_.size());
  for (int j = 0; j < count; ++j) {
    const Joint& joint = joints_[toSize(j)];
    SINEW_CHECK(joint.parent >= -1 && joint.parent < count, "skeleton",
                fmt::format("joint '{}' has parent {}, but there are {} joints", joint.name, joint.parent, count));
    if (joint.parent < 0) {
      order_.push_back(j);
    } else {
      children[toSize(joint.parent)].push_back(j);
    }
  }
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const auto& next = children[toSize(order_[i])];
    order_.insert(order_.end(), next.begin(), next.end());
  }
  if (order_.size() == joints_.size()) return;
  // Joints that the roots do not reach are on a cycle: climb until it is entered, and name a joint of it.
  std::vector<bool> reached(joints_.size(), false);
  for (const int j : order_) reached[toSize(j)] = true;
  auto lost = static_cast<int>(std::find(reached.begin(), reached.end(), false) - reached.begin());
  for (int step = 0; step < count; ++step) lost = joints_[toSize(lost)].parent;
  throw Error(ErrorCode::BadInput,
              fmt::format("joint '{}' (number {}) is its own ancestor; remove the cycle, a skeleton must be a tree",
                          joints_[toSize(lost)].name, lost),
              "skeleton");
}

std::vector<int> Skeleton::children(int joint) const {
  std::vector<int> found;
  for (int j = 0; j < size(); ++j) {
    if (joints_[toSize(j)].parent == joint) found.push_back(j);
  }
  return found;
}

std::optional<int> Skeleton::find(std::string_view name) const {
  const auto found =
      std::find_if(joints_.begin(), joints_.end(), [&](const Joint& joint) { return joint.name == name; });
  if (found == joints_.end()) return std::nullopt;
  return static_cast<int>(found - joints_.begin());
}

int Skeleton::index(std::string_view name) const {
  if (const auto found = find(name)) return *found;
  std::vector<std::string> names;
  names.reserve(joints_.size());
  for (const Joint& joint : joints_) names.push_back(joint.name);
  const std::string nearest = nearestName(name, names);
  throw Error(ErrorCode::NotFound, nearest.empty()
                                       ? fmt::format("there is no joint '{}'; `sinew info` lists the joints", name)
                                       : fmt::format("there is no joint '{}'; did you mean '{}'?", name, nearest));
}

}  // namespace sinew
