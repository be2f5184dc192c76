// Each joint j has a share s_j(x) in [0, 1] of the skin that its parent carries:
//   own_j   = product of soft planes (by default one, through the joint, across the mean of both bones) * gate_j
//   s_j     = (1 - (1 - own_j) (1 - gates below j)) * product over siblings k of (1 - gates at or below k)
//   S_j     = S_parent s_j,  w_j = S_j (1 - sum over children s_c),  the children scaled where their sum exceeds 1.
// A gate says to which limb a point belongs: smoothStep of (distance to all other flesh - distance to the limb). So an
// arm beside the hip follows the arm, although the hip's planes pass through it, and nothing bleeds across a gap.
// Everything is a smooth function of x, and so are the weights.
#include "sinew/samples/body/weights.h"

#include <algorithm>
#include <array>

#include "sinew/base/parallel.h"

namespace sinew::body {
namespace {

constexpr std::size_t kMostInfluences = 4;

class WeightField {
 public:
  WeightField(const BodySpec& spec, const ImplicitSurface& surface, const Skeleton& skeleton)
      : spec_(spec), surface_(surface), joints_(spec.joints.size()) {
    planes_.resize(joints_);
    parent_.resize(joints_);
    gateGroups_.resize(joints_);
    for (std::size_t j = 0; j < joints_; ++j) {
      parent_[j] = skeleton[static_cast<int>(j)].parent;
      planes_[j] = spec.joints[j].planes;
      if (parent_[j] >= 0 && planes_[j].empty()) planes_[j].push_back(acrossBones(j));
      if (spec.joints[j].gate.empty()) continue;
      // A gate includes its group and all groups that grow from it.
      const auto& groups = surface.groups();
      gateGroups_[j].assign(groups.size(), false);
      gateGroups_[j][surface.groupIndex(spec.joints[j].gate)] = true;
      for (std::size_t g = 0; g < groups.size(); ++g) {
        if (groups[g].parent >= 0 && gateGroups_[j][groups[g].parent]) gateGroups_[j][g] = true;
      }
    }
  }

  struct Scratch {
    std::vector<double> distances, gate, below, share, total, childSum;
  };

  void weightsAt(const Vec3& x, Scratch& s, std::vector<double>& weights) const {
    surface_.groupDistances(x, 0.25, s.distances);
    s.gate.assign(joints_, 1);
    s.below.assign(joints_, 0);
    s.share.assign(joints_, 1);
    s.total.assign(joints_, 1);
    s.childSum.assign(joints_, 0);
    // Children before parents: below[j] = 1 - product of (1 - gate) over gated joints strictly under j.
    for (std::size_t j = joints_; j-- > 0;) {
      s.gate[j] = gateAt(j, s.distances);
      const int p = parent_[j];
      if (p >= 0) s.below[p] = 1 - (1 - s.below[p]) * (1 - atOrBelow(j, s));
    }
    for (std::size_t j = 0; j < joints_; ++j) {
      if (parent_[j] < 0) continue;
      double own = s.gate[j];
      for (const SoftPlane& plane : planes_[j]) {
        own *= smoothStep(0.5 + 0.5 * plane.normal.normalized().dot(x - plane.point) / plane.halfWidth);
      }
      double share = 1 - (1 - own) * (1 - s.below[j]);
      for (std::size_t k = 0; k < joints_; ++k) {
        if (k != j && parent_[k] == parent_[j]) share *= 1 - atOrBelow(k, s);
      }
      s.share[j] = share;
      s.childSum[parent_[j]] += share;
    }
    weights.assign(joints_, 0);
    for (std::size_t j = 0; j < joints_; ++j) {
      if (parent_[j] >= 0) s.total[j] = s.total[parent_[j]] * s.share[j] / std::max(1.0, s.childSum[parent_[j]]);
      weights[j] = s.total[j] * std::max(0.0, 1 - s.childSum[j]);
    }
  }

 private:
  [[nodiscard]] SoftPlane acrossBones(std::size_t j) const {
    const JointSpec& joint = spec_.joints[j];
    const JointSpec& up = spec_.joints[parent_[j]];
    const Vec3 own = (joint.tail - joint.head).normalized();
    const Vec3 before = (joint.head - up.head).normalized();
    return {joint.head, own + before, joint.softness};
  }

  [[nodiscard]] double gateAt(std::size_t j, const std::vector<double>& distances) const {
    if (gateGroups_[j].empty()) return 1;
    double in = 1e9;
    double out = 1e9;
    for (std::size_t g = 0; g < distances.size(); ++g) {
      double& side = gateGroups_[j][g] ? in : out;
      side = std::min(side, distances[g]);
    }
    return smoothStep(0.5 + 0.5 * (out - in) / spec_.joints[j].gateWidth);
  }

  [[nodiscard]] double atOrBelow(std::size_t j, const Scratch& s) const {
    const double own = gateGroups_[j].empty() ? 0 : s.gate[j];
    return 1 - (1 - own) * (1 - s.below[j]);
  }

  const BodySpec& spec_;
  const ImplicitSurface& surface_;
  std::size_t joints_;
  std::vector<int> parent_;
  std::vector<std::vector<SoftPlane>> planes_;
  std::vector<std::vector<bool>> gateGroups_;
};

// The largest four. The fifth largest is taken off the others first, so that a weight fades out before it is dropped.
void keepLargest(std::vector<Influence>& column) {
  const auto larger = [](const Influence& a, const Influence& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.binding < b.binding;
  };
  std::sort(column.begin(), column.end(), larger);
  if (column.size() > kMostInfluences) {
    const double floor = column[kMostInfluences].weight;
    column.resize(kMostInfluences);
    for (Influence& influence : column) influence.weight -= floor;
  }
  double sum = 0;
  for (const Influence& influence : column) sum += influence.weight;
  for (Influence& influence : column) influence.weight /= sum;
}

}  // namespace

Skin makeSkin(const BodySpec& spec, const ImplicitSurface& surface, const Skeleton& skeleton,
              const ConstPointsRef& points) {
  Skin skin;
  PosedJoints rest;
  poseJoints(skeleton, {}, restPose(skeleton), rest);
  for (int j = 0; j < skeleton.size(); ++j) skin.bindings.push_back({j, rest.worldFromJoint[j].inverse()});

  const WeightField field(spec, surface, skeleton);
  const auto count = toSize(points.cols());
  std::vector<std::array<Influence, kMostInfluences>> columns(count);
  parallelRanges(points.cols(), 512, [&](Index begin, Index end) {
    WeightField::Scratch scratch;
    std::vector<double> weights;
    std::vector<Influence> column;
    for (Index v = begin; v < end; ++v) {
      field.weightsAt(points.col(v), scratch, weights);
      column.clear();
      for (std::size_t j = 0; j < weights.size(); ++j) {
        if (weights[j] > 1e-6) column.push_back({static_cast<std::uint32_t>(j), weights[j]});
      }
      keepLargest(column);
      std::copy(column.begin(), column.end(), columns[v].begin());
    }
  });
  std::vector<std::uint32_t> offsets{0};
  std::vector<Influence> influences;
  for (const auto& column : columns) {
    for (const Influence& influence : column) {
      if (influence.weight > 0) influences.push_back(influence);
    }
    offsets.push_back(static_cast<std::uint32_t>(influences.size()));
  }
  skin.weights = SkinWeights(skin.bindings.size(), std::move(offsets), std::move(influences));
  return skin;
}

}  // namespace sinew::body
