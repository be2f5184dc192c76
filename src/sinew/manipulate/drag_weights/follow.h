// How vertices of a soft selection follow those that are dragged. Internal to drag_weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/manipulate/drag_weights/points.h"

namespace sinew::drag_weights {

struct FollowOptions {
  int most = 0;           ///< influences of a vertex; 0: any number
  bool negative = false;  ///< weights need only sum to 1
};

/// A follower takes its share of the change of the handles' weights. Shares fade out smoothly over the surface, so the
/// change does, and no vertex ends as an island between its neighbours.
class Followers {
 public:
  /// Memory of one thread.
  struct Scratch {
    std::vector<double> change;  ///< per joint
    std::vector<int> touched;
  };

  Followers(const Character& character, const DragPoints& points, std::size_t handles, FollowOptions options);

  /// Influences that a point has at most.
  [[nodiscard]] std::size_t roomOf(std::size_t point) const { return room_[point]; }
  [[nodiscard]] Scratch scratch() const;
  /// The weights of a handle after a step, and whether there is any change of them.
  void setHandle(std::size_t handle, std::span<const Influence> column);
  /// Writes the weights of a follower to `out` and returns their number; the old ones where nothing changes.
  std::size_t follow(std::size_t point, Scratch& scratch, std::span<Influence> out) const;

 private:
  struct JointChange {
    int joint = 0;
    double change = 0;
  };
  [[nodiscard]] std::int64_t binding(int skin, int joint) const {
    return bindings_[rowOf(skin) * joints_ + toSize(joint)];
  }
  /// Row 0 is of meshes without a skin, whose bindings have the skin -1.
  static std::size_t rowOf(int skin) { return toSize(skin + 1); }
  void gather(const DragPoint& point, Scratch& scratch) const;
  /// The weight of a column on joints near a joint of a handle, 0 to 1.
  [[nodiscard]] double nearness(std::span<const Influence> column, int joint) const;

  const Character& character_;
  const DragPoints& points_;
  FollowOptions options_;
  std::size_t joints_;
  std::vector<std::int64_t> bindings_;             ///< per row and joint; -1: none
  std::vector<std::vector<JointChange>> changes_;  ///< per handle
  std::vector<std::vector<char>> near_;            ///< per joint of a handle and joint; empty for other joints
  std::vector<std::size_t> room_;
};

/// Drops free weights of less than kLeastWeight and scales the other free ones to the sum that all of them had; the
/// first `locked` stay. Returns the new number.
std::size_t dropDust(std::span<Influence> column, std::size_t locked);

/// Keeps the `most` largest free weights, the first `locked` besides. Returns the new number.
std::size_t keepLargest(std::span<Influence> column, std::size_t locked, std::size_t most);

}  // namespace sinew::drag_weights
