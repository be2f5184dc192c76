// Rules become keys, for players that know joints and clips but no rules. Every curve of a helper joint follows one
// curve of its source: the rotation of half, twist and bend joints and a bulge joint's scale follow the source's
// rotation, and the former's translation is the source's translation. Translations are copied key by key, and steps
// stay steps. The others curve between the source's keys, so they get more; all of a clip share their times, so that
// the whole body is exact there.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "sinew/base/check.h"
#include "sinew/character/baked_keys.h"
#include "sinew/learn/helper_joints.h"

namespace sinew::helper_joints {
namespace {

constexpr int kMostHalvings = 8;

/// The extent of a helper joint's skin: a rotation or a stretch by x moves no vertex farther than x times this.
double reachOf(const Character& character, int joint) {
  double reach = 0;
  if (!character.hasSkin()) return reach;
  for (Index v = 0; v < character.mesh.vertexCount(); ++v) {
    for (const Influence& influence : character.skin.weights[v]) {
      const Binding& binding = character.skin.bindings[influence.binding];
      if (binding.joint != joint) continue;
      reach = std::max(reach, influence.weight * (binding.jointFromRest * Vec3(character.mesh.points.col(v))).norm());
    }
  }
  return reach;
}

/// The largest factor by which a length in a joint's frame becomes one in the world, at rest.
double worldScale(const Skeleton& skeleton, int joint) {
  double scale = 1;
  for (int at = joint; at >= 0; at = skeleton[at].parent) scale *= skeleton[at].rest.scale.cwiseAbs().maxCoeff();
  return scale;
}

double turnGap(const Eigen::Vector4d& first, const Eigen::Vector4d& last, double t, const Eigen::Vector4d& value) {
  const auto quat = [](const Eigen::Vector4d& c) { return Quat(c[3], c[0], c[1], c[2]); };
  return quat(first).slerp(t, quat(last)).angularDistance(quat(value));
}

/// What a rule gives, as a clip writes it.
Eigen::VectorXd valueOf(const Skeleton& skeleton, const HelperJoint& helper, const Pose& pose) {
  const LocalTransform local = helperTransform(skeleton, helper, pose);
  if (helper.kind == HelperKind::Bulge) return local.scale;
  return local.rotation.normalized().coeffs();
}

class ClipBaker {
 public:
  /// `reaches`: per helper, in world units.
  ClipBaker(const Character& character, const std::vector<double>& reaches, const Clip& clip)
      : character_(character), reaches_(reaches), clip_(clip) {}

  /// `tolerance` in world units.
  [[nodiscard]] std::vector<ClipChannel> bake(double framesPerSecond, double tolerance) {
    for (std::size_t h = 0; h < character_.helpers.size(); ++h) {
      const HelperJoint& helper = character_.helpers[h];
      if (const ClipChannel* turns = channelOf(helper.source, ClipPath::Rotation)) {
        if (turns->interpolation == Interpolation::Step) {
          made_.push_back(stepping(helper, *turns));
        } else {
          add(h, *turns);
        }
      }
      if (helper.kind == HelperKind::Bulge) continue;
      if (const ClipChannel* shifts = channelOf(helper.source, ClipPath::Translation))
        made_.push_back(moved(helper, *shifts));
    }
    if (!curved_.empty()) bakeCurved(framesPerSecond, tolerance);
    return std::move(made_);
  }

 private:
  /// A helper whose curve bends between keys, and the index of its numbers in a column of all.
  struct Curve {
    std::size_t helper;
    Index row;
    Index rows;
  };

  /// The last one wins when a clip is played.
  [[nodiscard]] const ClipChannel* channelOf(int joint, ClipPath path) const {
    const ClipChannel* found = nullptr;
    for (const ClipChannel& channel : clip_.channels) {
      if (channel.joint == joint && channel.path == path && !channel.times.empty()) found = &channel;
    }
    return found;
  }

  [[nodiscard]] ClipChannel emptyChannel(const HelperJoint& helper) const {
    ClipChannel channel;
    channel.path = helper.kind == HelperKind::Bulge ? ClipPath::Scale : ClipPath::Rotation;
    channel.joint = helper.joint;
    return channel;
  }

  [[nodiscard]] ClipChannel stepping(const HelperJoint& helper, const ClipChannel& turns) const {
    ClipChannel channel = emptyChannel(helper);
    channel.interpolation = Interpolation::Step;
    channel.times = turns.times;
    channel.values.resize(channel.path == ClipPath::Rotation ? 4 : 3, static_cast<Index>(turns.times.size()));
    const Clip only{{}, {turns}};
    Pose pose = restPose(character_);
    for (std::size_t k = 0; k < turns.times.size(); ++k) {
      sampleClip(only, turns.times[k], pose);
      channel.values.col(static_cast<Index>(k)) = valueOf(character_.skeleton, helper, pose);
    }
    return channel;
  }

  /// Tangents of splines are differences, so they stay.
  [[nodiscard]] ClipChannel moved(const HelperJoint& helper, const ClipChannel& shifts) const {
    ClipChannel channel = shifts;
    channel.joint = helper.joint;
    const Skeleton& skeleton = character_.skeleton;
    const Vec3 offset = skeleton[helper.joint].rest.translation - skeleton[helper.source].rest.translation;
    const Index step = shifts.interpolation == Interpolation::CubicSpline ? 3 : 1;
    for (Index column = step / 2; column < channel.values.cols(); column += step) channel.values.col(column) += offset;
    return channel;
  }

  void add(std::size_t helper, const ClipChannel& turns) {
    const Index row = curved_.empty() ? 0 : curved_.back().row + curved_.back().rows;
    curved_.push_back({helper, row, character_.helpers[helper].kind == HelperKind::Bulge ? 3 : 4});
    const auto known = [&](const ClipChannel& other) { return other.joint == turns.joint; };
    if (std::none_of(sources_.channels.begin(), sources_.channels.end(), known)) sources_.channels.push_back(turns);
  }

  void bakeCurved(double framesPerSecond, double tolerance) {
    const Index rows = curved_.back().row + curved_.back().rows;
    const int influences = character_.skin.weights.maxInfluences();
    Pose pose = restPose(character_);
    BakedCurve curve;
    curve.tolerance = tolerance;
    curve.mostHalvings = kMostHalvings;
    curve.value = [&](double time) {
      sampleClip(sources_, time, pose);
      Eigen::VectorXd values(rows);
      for (const Curve& c : curved_)
        values.segment(c.row, c.rows) = valueOf(character_.skeleton, character_.helpers[c.helper], pose);
      return values;
    };
    curve.gap = [&](const Eigen::VectorXd& first, const Eigen::VectorXd& last, double t, const Eigen::VectorXd& value) {
      std::vector<double> gaps;
      for (const Curve& c : curved_) gaps.push_back(reaches_[c.helper] * gap(c, first, last, t, value));
      // No vertex has more than so many of them.
      const auto most = std::min<std::ptrdiff_t>(influences, std::ssize(gaps));
      std::partial_sort(gaps.begin(), gaps.begin() + most, gaps.end(), std::greater<>());
      return std::accumulate(gaps.begin(), gaps.begin() + most, 0.0);
    };
    const BakedKeys keys = bakeKeys(curve, bakedTimes(
                                               sources_, [](const ClipChannel&) { return true; }, framesPerSecond));
    const Eigen::MatrixXd values = keys.values();
    for (const Curve& c : curved_) {
      ClipChannel channel = emptyChannel(character_.helpers[c.helper]);
      channel.times = keys.times;
      channel.values = values.middleRows(c.row, c.rows);
      // Neighbours in one hemisphere, for players that do not look for the shorter arc.
      for (Index k = 1; channel.path == ClipPath::Rotation && k < channel.values.cols(); ++k) {
        if (channel.values.col(k).dot(channel.values.col(k - 1)) < 0) channel.values.col(k) *= -1;
      }
      made_.push_back(std::move(channel));
    }
  }

  /// Radians of a rotation, fractions of a scale.
  static double gap(const Curve& c, const Eigen::VectorXd& first, const Eigen::VectorXd& last, double t,
                    const Eigen::VectorXd& value) {
    if (c.rows == 4) return turnGap(first.segment<4>(c.row), last.segment<4>(c.row), t, value.segment<4>(c.row));
    return (value - (1 - t) * first - t * last).segment(c.row, c.rows).cwiseAbs().maxCoeff();
  }

  const Character& character_;
  const std::vector<double>& reaches_;
  const Clip& clip_;
  std::vector<Curve> curved_;
  Clip sources_;  // the rotations of the sources of the curved ones
  std::vector<ClipChannel> made_;
};

}  // namespace
}  // namespace sinew::helper_joints

namespace sinew {

void bakeHelpers(Character& character, double framesPerSecond, double tolerance) {
  SINEW_CHECK(framesPerSecond > 0 && std::isfinite(framesPerSecond), "helper joints",
              "the number of keys per second must be positive");
  SINEW_CHECK(tolerance >= 0 && std::isfinite(tolerance), "helper joints",
              "the tolerance of baked keys must be zero or more");
  checkHelpers(character.skeleton, character.helpers, "helper joints");
  std::vector<double> reaches;
  for (const HelperJoint& helper : character.helpers)
    reaches.push_back(helper_joints::reachOf(character, helper.joint) *
                      helper_joints::worldScale(character.skeleton, helper.joint));
  const double most = tolerance * boundingBox(character.mesh.points).diagonal();
  for (Clip& clip : character.clips) {
    std::erase_if(clip.channels, [&](const ClipChannel& channel) {
      return channel.path != ClipPath::Weights && isHelper(character.helpers, channel.joint);
    });
    std::vector<ClipChannel> made = helper_joints::ClipBaker(character, reaches, clip).bake(framesPerSecond, most);
    std::move(made.begin(), made.end(), std::back_inserter(clip.channels));
  }
}

}  // namespace sinew
