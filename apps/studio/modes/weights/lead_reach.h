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
  /// For the first vertex of a drag in `view` of the poses as they are drawn, with its options and its joints.
  LeadReach(const Document& document, const std::vector<Pose>& views, const Vec3& centre, std::uint32_t view,
            const DragSession& drag, DragOptions options, std::shared_ptr<const DragSurface> surface);

  /// What the page draws in the view of the drag for a vertex with these weights, without target and distance.
  [[nodiscard]] wire::Reach leading(std::span<const Influence> weights) const { return offering(reaches_[0], weights); }
  /// For the other views: the position of the vertex with these weights, and its distance from the position at the
  /// start.
  [[nodiscard]] std::vector<wire::Reach> others(std::span<const Influence> weights) const;

  [[nodiscard]] std::array<float, 3> toPage(const Vec3& place) const;

 private:
  /// A reach with the joints that are offered to a vertex with these weights.
  [[nodiscard]] wire::Reach offering(wire::Reach reach, std::span<const Influence> weights) const;
  [[nodiscard]] Vec3 placeIn(std::size_t pose, std::span<const Influence> weights) const;

  const Document& document_;
  Vec3 centre_;
  std::vector<ReachableSet> sets_;    ///< of the leading view, then of the others
  std::vector<wire::Reach> reaches_;  ///< in the same order
  std::vector<int> near_;             ///< joints that do not move the vertex, but may
  std::vector<Influence> start_;
};

}  // namespace sinew::studio::weights
