// Keys are at those of the drivers, and as dense as linear interpolation needs (baked_keys.h).
#include "sinew/learn/pose_space_morphs/bake.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/character/baked_keys.h"

namespace sinew::pose_space_morphs {
namespace {

bool drives(const PoseSpace& space, const ClipChannel& channel) {
  return std::any_of(space.drivers.begin(), space.drivers.end(), [&](const PoseDriver& driver) {
    switch (driver.kind) {
      case DriverKind::Translation:
        return channel.path == ClipPath::Translation && channel.joint == driver.source;
      case DriverKind::Channel:
        return channel.path == ClipPath::Weights;
      default:
        return channel.path == ClipPath::Rotation && channel.joint == driver.source;
    }
  });
}

/// The joint that places the mesh, as used by weights channels.
int carrierOf(const Character& character) {
  for (const MeshPart& part : character.mesh.parts) {
    if (part.node >= 0) return part.node;
  }
  return 0;
}

/// How much an error of each weight shows: nothing is known of other morph targets, so theirs are left as they are.
Eigen::VectorXd visibleSizes(const Character& character, const PoseSpaceMorphs& morphs, const Eigen::VectorXd& sizes) {
  Eigen::VectorXd visible = Eigen::VectorXd::Zero(static_cast<Index>(character.morphs.size()));
  for (std::size_t m = 0; m < morphs.morphs.size() && sizes.size() > 0; ++m) {
    visible[morphs.morphs[m]] = sizes[morphs.knotOf[m]];
  }
  return visible;
}

}  // namespace

std::size_t bakeMorphWeights(const Character& character, const PoseSpaceMorphWeights& weights, const PoseSpace& space,
                             const BakeSettings& settings, Clip& clip) {
  const std::vector<double> times = bakedTimes(
      clip, [&](const ClipChannel& channel) { return channel.path == ClipPath::Weights || drives(space, channel); },
      settings.framesPerSecond);
  if (times.empty()) return 0;
  const Eigen::VectorXd visible = visibleSizes(character, weights.morphs(), settings.sizes);
  PoseSpaceMorphScratch scratch;
  BakedCurve curve;
  curve.tolerance = settings.tolerance;
  curve.value = [&](double time) {
    Pose pose = restPose(character);
    sampleClip(clip, time, pose);
    weights.apply(character.skeleton, scratch, pose);
    Eigen::VectorXd values(visible.size());
    for (Index m = 0; m < values.size(); ++m) values[m] = roundedToFile(pose.morphWeights[toSize(m)]);
    return values;
  };
  curve.gap = [&](const Eigen::VectorXd& first, const Eigen::VectorXd& last, double t, const Eigen::VectorXd& value) {
    return (value - ((1 - t) * first + t * last)).cwiseAbs().dot(visible);
  };
  const BakedKeys keys = bakeKeys(curve, times);
  ClipChannel baked;
  baked.path = ClipPath::Weights;
  baked.joint = carrierOf(character);
  baked.times = keys.times;
  baked.values = keys.values();
  std::erase_if(clip.channels, [](const ClipChannel& channel) { return channel.path == ClipPath::Weights; });
  const std::size_t numbers = toSize(baked.values.size()) + baked.times.size();
  clip.channels.push_back(std::move(baked));
  return numbers * sizeof(float);
}

}  // namespace sinew::pose_space_morphs
