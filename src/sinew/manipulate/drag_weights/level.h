// Several dragged vertices of a soft selection agree with their surroundings. Internal to drag_weights.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/manipulate/drag_weights/points.h"

namespace sinew::drag_weights {

/// Dragged vertices are solved one at a time, each with its own joints: if a target is out of reach, one may end with a
/// single joint between neighbours that keep three. A weight that differs from those of all neighbours is limited to
/// their range; all others stay exact.
class Levels {
 public:
  Levels(const Character& character, const DragPoints& points, std::size_t handles, const DragSurface& surface);

  /// `column` gives the weights of a point after the step. Writes the levelled shares of the handle's free influences
  /// to `shares` and returns true if they differ from what the step gave. `most` influences at most, 0: any number.
  template <class Column>
  bool level(std::size_t handle, const Column& column, int most, Eigen::Ref<Eigen::VectorXd> shares) {
    const DragPoint& point = points_.points[handle];
    const Index n = point.end - point.begin;
    if (n < 2 || around_[handle].size() < 3) return false;
    std::size_t used = column(handle).size();
    for (Index c = 0; c < n; ++c) {
      const std::uint32_t b = points_.bindings[toSize(point.begin + c)];
      Range now;
      Range old;
      for (const Neighbour& one : around_[handle]) {
        const auto before = character_.skin.weights[one.vertex];
        old.take(weightOf(before, b));
        now.take(one.point < 0 ? weightOf(before, b) : weightOf(column(toSize(one.point)), b));
      }
      const double own = weightOf(character_.skin.weights[point.vertex], b);
      Bound& bound = bounds_[toSize(c)];
      bound = {weightOf(column(handle), b), now, std::max(kStandsOut, own - old.most),
               std::max(kStandsOut, old.least - own), now.sum / static_cast<double>(around_[handle].size())};
      // A near joint gets weight where neighbours have some.
      const bool wanted = points_.reluctance[toSize(point.begin + c)] == 0 || now.least > 0;
      bound.changes = bound.weight > 0 || (wanted && (most == 0 || used < toSize(most)));
      if (bound.changes && !(bound.weight > 0)) ++used;
    }
    return fit(toSize(n), point.free, shares);
  }

 private:
  /// Smaller differences are not outliers.
  static constexpr double kStandsOut = 0.04;

  struct Neighbour {
    Index vertex = 0;
    std::int64_t point = -1;  ///< of the drag; -1: it does not change
  };
  struct Range {
    double least = 1;
    double most = 0;
    double sum = 0;
    void take(double weight) {
      least = std::min(least, weight);
      most = std::max(most, weight);
      sum += weight;
    }
  };
  struct Bound {
    double weight = 0;
    Range around;
    double above = 0;  ///< how far it may differ: as far as before
    double below = 0;
    double mean = 0;      ///< of the neighbours
    bool changes = true;  ///< it has weight, or may get some
  };
  /// Of the joint: neighbours may belong to another skin.
  [[nodiscard]] double weightOf(std::span<const Influence> column, std::uint32_t binding) const;
  bool fit(std::size_t count, double free, Eigen::Ref<Eigen::VectorXd> shares);

  const Character& character_;
  const DragPoints& points_;
  std::vector<std::vector<Neighbour>> around_;  ///< per handle
  std::vector<Bound> bounds_;
  std::vector<double> room_;
};

}  // namespace sinew::drag_weights
