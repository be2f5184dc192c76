#include "sinew/learn/bind/bones.h"

#include <algorithm>
#include <limits>

namespace sinew::bind {
namespace {

class BoneMaker {
 public:
  BoneMaker(const Skeleton& skeleton, std::span<const Affine> worldFromJoint, std::span<const int> joints,
            const Surface& surface)
      : skeleton_(skeleton), worldFromJoint_(worldFromJoint), joints_(joints), surface_(surface) {
    listed_.assign(toSize(skeleton.size()), false);
    for (const int joint : joints) listed_[toSize(joint)] = true;
    children_.resize(listed_.size());
    for (int j = 0; j < skeleton.size(); ++j) {
      if (skeleton[j].parent >= 0) children_[toSize(skeleton[j].parent)].push_back(j);
    }
    // Joints nearer than this are at the same position.
    Vec3 low = place(0);
    Vec3 high = low;
    for (int j = 0; j < skeleton.size(); ++j) {
      low = low.cwiseMin(place(j));
      high = high.cwiseMax(place(j));
    }
    least_ = 1e-6 * std::max(surface.diagonal, (high - low).norm());
  }

  [[nodiscard]] std::vector<Bone> run() const {
    std::vector<Bone> bones;
    bool any = false;
    for (const int joint : joints_) {
      bones.push_back(boneOf(joint));
      any = any || !bones.back().segments.empty();
    }
    if (!any) {  // all joints at one position: each is a point
      for (std::size_t b = 0; b < bones.size(); ++b) bones[b].segments = {{place(joints_[b]), place(joints_[b])}};
    }
    return bones;
  }

 private:
  [[nodiscard]] Vec3 place(int joint) const { return worldFromJoint_[toSize(joint)].translation(); }

  /// The nearest listed joints below; others in between are passed through.
  void collectBelow(int joint, std::vector<int>& found) const {
    for (const int child : children_[toSize(joint)]) {
      if (listed_[toSize(child)]) {
        found.push_back(child);
      } else {
        collectBelow(child, found);
      }
    }
  }

  [[nodiscard]] Bone boneOf(int joint) const {
    std::vector<int> below;
    collectBelow(joint, below);
    if (below.empty()) return {{continuation(joint)}};
    Bone bone;
    for (const int child : below) {
      if ((place(child) - place(joint)).norm() > least_) bone.segments.push_back({place(joint), place(child)});
    }
    return bone;
  }

  /// Of a joint at the end of its chain (a hand, a head): straight on, up to twice the parent's length, but not out of
  /// the skin.
  [[nodiscard]] Segment continuation(int joint) const {
    const Vec3 here = place(joint);
    int parent = skeleton_[joint].parent;
    while (parent >= 0 && !(listed_[toSize(parent)] && (place(parent) - here).norm() > least_)) {
      parent = skeleton_[parent].parent;
    }
    if (parent < 0) return {here, here};
    const Vec3 step = here - place(parent);
    double most = 2;
    bool met = false;
    for (const Piece& piece : surface_.pieces) {
      const TriangleBvh::Hit hit = piece.triangles.firstHit(here, here + most * step);
      if (hit.triangle < 0) continue;
      most *= hit.fraction;
      met = true;
    }
    return {here, here + (met ? 0.9 * most : 0.5) * step};
  }

  const Skeleton& skeleton_;
  std::span<const Affine> worldFromJoint_;
  std::span<const int> joints_;
  const Surface& surface_;
  std::vector<bool> listed_;
  std::vector<std::vector<int>> children_;
  double least_ = 0;
};

}  // namespace

Bone::Nearest Bone::nearest(const Vec3& to) const {
  Nearest best{Vec3::Zero(), std::numeric_limits<double>::infinity()};
  for (const Segment& segment : segments) {
    const Vec3 along = segment.to - segment.from;
    const double squared = along.squaredNorm();
    const double s = squared > 0 ? std::clamp((to - segment.from).dot(along) / squared, 0.0, 1.0) : 0.0;
    const Vec3 point = segment.from + s * along;
    const double distance = (to - point).norm();
    if (distance < best.distance) best = {point, distance};
  }
  return best;
}

std::vector<Bone> makeBones(const Skeleton& skeleton, std::span<const Affine> worldFromJoint,
                            std::span<const int> joints, const Surface& surface) {
  return BoneMaker(skeleton, worldFromJoint, joints, surface).run();
}

}  // namespace sinew::bind
