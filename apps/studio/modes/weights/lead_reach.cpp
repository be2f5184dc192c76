#include "studio/modes/weights/lead_reach.h"

#include <algorithm>

#include "sinew/base/types.h"

namespace sinew::studio::weights {

LeadReach::LeadReach(const Document& document, const std::vector<Pose>& poses, const Vec3& centre, std::uint32_t view,
                     const DragSession& drag, DragOptions options, std::shared_ptr<const DragSurface> surface)
    : document_(document), centre_(centre) {
  const Index vertex = drag.vertices()[0].vertex;
  const ReachableSet known = drag.reachable(0);
  for (std::size_t c = 0; c < known.joints.size(); ++c) {
    if (known.near[c] != 0) near_.push_back(known.joints[c]);
  }
  DragStart start{.vertices = {vertex}, .pose = poses[view]};
  std::vector<std::uint32_t> views{view};
  for (std::uint32_t v = 0; v < poses.size(); ++v) {
    if (v == view) continue;
    views.push_back(v);
    start.also.push_back(poses[v]);
  }
  options.soft = 0;
  options.alpha = 0;
  options.maxInfluences = 0;
  // The drag has found the joints near the vertex, with its soft selection.
  options.presentOnly = true;
  options.added.insert(options.added.end(), near_.begin(), near_.end());
  const bool unbounded = options.negative;
  const DragSession session(document.file.character, start, std::move(options), std::move(surface));
  const auto column = document.file.character.skin.weights[vertex];
  start_.assign(column.begin(), column.end());
  for (std::size_t pose = 0; pose < views.size(); ++pose) {
    sets_.push_back(session.reachable(0, pose));
    const ReachableSet& set = sets_.back();
    wire::Reach reach;
    reach.vertex = static_cast<std::uint32_t>(vertex);
    reach.view = views[pose];
    reach.leads = pose == 0 ? 1 : 0;
    reach.dimension = static_cast<std::uint32_t>(std::max(set.hull.dimension, 0));
    reach.unbounded = unbounded ? 1 : 0;
    // If all its joints are locked, the reach of a vertex is one corner that belongs to no joint.
    for (Index c = 0; c < set.corners.cols() && !set.joints.empty(); ++c) {
      reach.joints.push_back(static_cast<std::uint32_t>(set.joints[toSize(c)]));
      for (const float x : toPage(set.corners.col(c))) reach.corners.push_back(x);
    }
    if (!set.joints.empty()) {
      for (const auto& edge : set.hull.edges) reach.edges.insert(reach.edges.end(), edge.begin(), edge.end());
      for (const Triangle& t : set.hull.triangles) reach.triangles.insert(reach.triangles.end(), t.begin(), t.end());
    }
    reach.target = reach.position = toPage(placeIn(pose, start_));
    reaches_.push_back(std::move(reach));
  }
}

std::vector<wire::Reach> LeadReach::others(std::span<const Influence> weights) const {
  std::vector<wire::Reach> list(reaches_.begin() + 1, reaches_.end());
  for (std::size_t pose = 1; pose < sets_.size(); ++pose) {
    list[pose - 1] = offering(std::move(list[pose - 1]), weights);
    const Vec3 place = placeIn(pose, weights);
    list[pose - 1].position = toPage(place);
    list[pose - 1].distance = static_cast<float>((place - placeIn(pose, start_)).norm());
  }
  return list;
}

wire::Reach LeadReach::offering(wire::Reach reach, std::span<const Influence> weights) const {
  const auto& bindings = document_.file.character.skin.bindings;
  reach.offered.clear();
  for (const std::uint32_t joint : reach.joints) {
    const bool near = std::find(near_.begin(), near_.end(), static_cast<int>(joint)) != near_.end();
    const bool used = std::any_of(weights.begin(), weights.end(), [&](const Influence& one) {
      return one.weight != 0 && bindings[one.binding].joint == static_cast<int>(joint);
    });
    reach.offered.push_back(near && !used ? 1 : 0);
  }
  return reach;
}

std::array<float, 3> LeadReach::toPage(const Vec3& place) const {
  const Vec3 q = place - centre_;
  return {static_cast<float>(q.x()), static_cast<float>(q.y()), static_cast<float>(q.z())};
}

Vec3 LeadReach::placeIn(std::size_t pose, std::span<const Influence> weights) const {
  // Corners include the part of locked joints, so the shares of the others sum to 1.
  const ReachableSet& set = sets_[pose];
  Vec3 sum = Vec3::Zero();
  double shares = 0;
  for (const Influence& one : weights) {
    const int joint = document_.file.character.skin.bindings[one.binding].joint;
    const auto found = std::find(set.joints.begin(), set.joints.end(), joint);
    if (found == set.joints.end()) continue;
    sum += one.weight * set.corners.col(found - set.joints.begin());
    shares += one.weight;
  }
  return shares > 0 ? Vec3(sum / shares) : Vec3(set.corners.col(0));
}

}  // namespace sinew::studio::weights
