// Rules become keys, for players that know joints and clips but no rules. Every curve of a helper joint follows one
// curve of its source: the rotation of half, twist and bend joints and a bulge joint's scale follow the source's
// rotation, and the former's translation is the source's translation. Translations are copied key by key, and steps
// stay steps; the others curve between the source's keys, so they get more.
#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/learn/baked_keys.h"
#include "sinew/learn/helper_joints.h"

namespace sinew {
namespace {

constexpr int kMostHalvings = 8;

/// How far a helper joint's skin reaches: a turn or a stretch by x moves no vertex farther than x times this.
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

class ClipBaker {
 public:
  ClipBaker(const Character& character, const HelperJoint& helper, const Clip& clip)
      : character_(character), helper_(helper), clip_(clip) {}

  /// `reach` in world units; `tolerance` too.
  void bake(double framesPerSecond, double tolerance, double reach, std::vector<ClipChannel>& channels) const {
    const ClipPath made = helper_.kind == HelperKind::Bulge ? ClipPath::Scale : ClipPath::Rotation;
    if (const ClipChannel* source = channelOf(ClipPath::Rotation))
      channels.push_back(followed(*source, made, framesPerSecond, reach > 0 ? tolerance / reach : 0));
    if (helper_.kind == HelperKind::Bulge) return;
    if (const ClipChannel* source = channelOf(ClipPath::Translation)) channels.push_back(moved(*source));
  }

 private:
  /// The last one wins when a clip is played.
  [[nodiscard]] const ClipChannel* channelOf(ClipPath path) const {
    const ClipChannel* found = nullptr;
    for (const ClipChannel& channel : clip_.channels) {
      if (channel.joint == helper_.source && channel.path == path && !channel.times.empty()) found = &channel;
    }
    return found;
  }

  [[nodiscard]] ClipChannel followed(const ClipChannel& source, ClipPath path, double framesPerSecond,
                                     double tolerance) const {
    ClipChannel channel;
    channel.path = path;
    channel.joint = helper_.joint;
    const Clip only{{}, {source}};  // nothing else moves the helper, so nothing else is sampled
    Pose pose = restPose(character_);
    const auto valueAt = [&](double time) -> Eigen::VectorXd {
      sampleClip(only, time, pose);
      const LocalTransform local = helperTransform(character_.skeleton, helper_, pose);
      if (path == ClipPath::Rotation) return local.rotation.normalized().coeffs();
      return local.scale;
    };
    BakedKeys keys;
    if (source.interpolation == Interpolation::Step) {
      channel.interpolation = Interpolation::Step;
      keys.times = source.times;
      for (const double time : keys.times) keys.columns.push_back(valueAt(time));
    } else {
      BakedCurve curve;
      curve.tolerance = tolerance;
      curve.mostHalvings = kMostHalvings;
      curve.value = valueAt;
      curve.gap = path == ClipPath::Rotation ? turnGap : scaleGap;
      keys = bakeKeys(curve, bakedTimes(
                                 clip_, [&](const ClipChannel& other) { return &other == &source; }, framesPerSecond));
    }
    // Neighbours in one hemisphere, for players that do not look for the shorter arc.
    for (std::size_t k = 1; path == ClipPath::Rotation && k < keys.columns.size(); ++k) {
      if (keys.columns[k].dot(keys.columns[k - 1]) < 0) keys.columns[k] = -keys.columns[k];
    }
    channel.values = keys.values();
    channel.times = std::move(keys.times);
    return channel;
  }

  static double turnGap(const Eigen::VectorXd& first, const Eigen::VectorXd& last, double t,
                        const Eigen::VectorXd& value) {
    const auto quat = [](const Eigen::VectorXd& c) { return Quat(c[3], c[0], c[1], c[2]); };
    return quat(first).slerp(t, quat(last)).angularDistance(quat(value));
  }

  static double scaleGap(const Eigen::VectorXd& first, const Eigen::VectorXd& last, double t,
                         const Eigen::VectorXd& value) {
    return (value - ((1 - t) * first + t * last)).cwiseAbs().maxCoeff();
  }

  /// Tangents of splines are differences, so they stay.
  [[nodiscard]] ClipChannel moved(const ClipChannel& source) const {
    ClipChannel channel = source;
    channel.joint = helper_.joint;
    const Skeleton& skeleton = character_.skeleton;
    const Vec3 offset = skeleton[helper_.joint].rest.translation - skeleton[helper_.source].rest.translation;
    const Index step = source.interpolation == Interpolation::CubicSpline ? 3 : 1;
    for (Index column = step / 2; column < channel.values.cols(); column += step) channel.values.col(column) += offset;
    return channel;
  }

  const Character& character_;
  const HelperJoint& helper_;
  const Clip& clip_;
};

}  // namespace

void bakeHelpers(Character& character, double framesPerSecond, double tolerance) {
  SINEW_CHECK(framesPerSecond > 0 && std::isfinite(framesPerSecond), "helper joints",
              "the number of keys per second must be positive");
  SINEW_CHECK(tolerance >= 0 && std::isfinite(tolerance), "helper joints",
              "the tolerance of baked keys must be zero or more");
  checkHelpers(character.skeleton, character.helpers, "helper joints");
  std::vector<double> reaches;
  for (const HelperJoint& helper : character.helpers)
    reaches.push_back(reachOf(character, helper.joint) * worldScale(character.skeleton, helper.joint));
  const double most = tolerance * boundingBox(character.mesh.points).diagonal();
  for (Clip& clip : character.clips) {
    std::erase_if(clip.channels, [&](const ClipChannel& channel) {
      return channel.path != ClipPath::Weights && isHelper(character.helpers, channel.joint);
    });
    std::vector<ClipChannel> made;
    for (std::size_t h = 0; h < character.helpers.size(); ++h)
      ClipBaker(character, character.helpers[h], clip).bake(framesPerSecond, most, reaches[h], made);
    std::move(made.begin(), made.end(), std::back_inserter(clip.channels));
  }
}

}  // namespace sinew
