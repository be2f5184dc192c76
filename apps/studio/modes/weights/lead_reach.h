// The reach of one vertex in every view of the document.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sinew/manipulate/drag_weights.h"
#include "studio/document/document.h"
#include "studio/messages.h"

namespace sinew::studio::weights {

/// Corners and hulls do not depend on the weights of the vertex, so they are computed once; only its position changes.
class LeadReach {
 public:
  /// For a vertex that is dragged in `view` of the poses as they are drawn; soft selection, cap and other poses of the
  /// options are ignored.
  LeadReach(const Document& document, const std::vector<Pose>& views, const Vec3& centre, Index vertex,
            std::uint32_t view, DragOptions options, std::shared_ptr<const DragSurface> surface);

  /// What the page draws in the view of the drag, without target, distance and followers.
  [[nodiscard]] const wire::Reach& leading() const { return reaches_[0]; }
  /// For the other views: the position of the vertex with these weights, and its distance from the position at the
  /// start.
  [[nodiscard]] std::vector<wire::Reach> others(std::span<const Influence> weights) const;

  [[nodiscard]] std::array<float, 3> toPage(const Vec3& place) const;

 private:
  [[nodiscard]] Vec3 placeIn(std::size_t pose, std::span<const Influence> weights) const;

  const Document& document_;
  Vec3 centre_;
  std::vector<ReachableSet> sets_;    ///< of the leading view, then of the others
  std::vector<wire::Reach> reaches_;  ///< in the same order
  std::vector<Influence> start_;
};

}  // namespace sinew::studio::weights
