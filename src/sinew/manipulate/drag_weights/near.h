// Joints that a drag may use besides those that move a vertex. Internal to drag_weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/character/character.h"
#include "sinew/manipulate/drag_surface.h"

namespace sinew::drag_weights {

/// Whether two joints are at most two bones from each other: a hand does not help the other elbow.
bool areNear(const Skeleton& skeleton, int a, int b);

/// A joint that does not move a vertex, but may.
struct Offer {
  std::uint32_t binding = 0;
  double reluctance = 0;  ///< above 0: how much rather other joints are used, see ReachOptions
};

/// Offered are joints that move vertices within three rings or within the soft selection, if they are at most two bones
/// from a joint of the vertex, and the parents and children of its joints.
class NearJoints {
 public:
  NearJoints(const Character& character, const DragSurface& surface);

  /// Of a vertex with a soft selection around it, the least reluctance first. Call it once for each vertex.
  void find(Index vertex, std::span<const std::uint32_t> selected, std::span<const int> locked,
            std::vector<Offer>& offers);
  /// Vertices that are dragged together share what one of them is offered, as far as it is near: neighbours with
  /// different joints would move apart. `offers` is per vertex.
  void share(std::span<const Index> vertices, std::vector<std::vector<Offer>>& offers) const;

 private:
  /// Whether a joint is near one of those that move a vertex.
  [[nodiscard]] bool isNear(Index vertex, int joint) const;
  void take(Index vertex, std::uint32_t point, int skin, double reluctance);
  void offer(std::int64_t binding, double reluctance);

  const Character& character_;
  const DragSurface& surface_;
  std::vector<std::int64_t> parent_;  ///< per binding: that of the nearest joint above that its skin binds; -1: none
  std::vector<double> reluctance_;    ///< per binding; 0: not offered
  std::vector<Index> asked_;          ///< per binding: the last vertex for which it was considered
  std::vector<std::uint32_t> offered_;
  DragSurface::Search search_;
  std::vector<DragSurface::Near> rings_;
};

}  // namespace sinew::drag_weights
