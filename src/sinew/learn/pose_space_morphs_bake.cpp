// Keys are at those of the drivers, and as dense as linear interpolation needs (baked_keys.h).
#include "sinew/learn/pose_space_morphs_bake.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/learn/baked_keys.h"

namespace sinew {
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

ClipChannel jointChannel(const std::vector<Pose>& poses, ClipPath path, int joint) {
  ClipChannel channel;
  channel.path = path;
  channel.joint = joint;
  channel.values.resize(path == ClipPath::Rotation ? 4 : 3, static_cast<Index>(poses.size()));
  for (std::size_t k = 0; k < poses.size(); ++k) {
    const LocalTransform& local = poses[k].local[static_cast<std::size_t>(joint)];
    const auto column = static_cast<Index>(k);
    channel.times.push_back(static_cast<double>(k));
    if (path == ClipPath::Rotation) {
      channel.values.col(column) = local.rotation.normalized().coeffs();
    } else {
      channel.values.col(column) = path == ClipPath::Translation ? local.translation : local.scale;
    }
  }
  return channel;
}

bool moves(const ClipChannel& channel) {
  for (Index k = 1; k < channel.values.cols(); ++k) {
    if (channel.values.col(k) != channel.values.col(0)) return true;
  }
  return false;
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
    for (Index m = 0; m < values.size(); ++m) values[m] = roundedToFile(pose.morphWeights[static_cast<std::size_t>(m)]);
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
  const std::size_t numbers = static_cast<std::size_t>(baked.values.size()) + baked.times.size();
  clip.channels.push_back(std::move(baked));
  return numbers * sizeof(float);
}

std::string freeClipName(const Character& character, const std::string& wanted) {
  const auto taken = [&](const std::string& name) {
    return std::any_of(character.clips.begin(), character.clips.end(),
                       [&](const Clip& clip) { return clip.name == name; });
  };
  std::string name = wanted;
  for (int n = 2; taken(name); ++n) name = fmt::format("{} {}", wanted, n);
  return name;
}

Clip examplesClip(const Character& character, const ExampleSet& set, std::string name) {
  Clip clip;
  clip.name = std::move(name);
  std::vector<Pose> poses = {restPose(character)};
  for (const Example& example : set.examples) {
    poses.push_back(example.pose);
    // The pose may be older than the character's last morph targets.
    poses.back().morphWeights.resize(character.morphs.size(), 0);
    applyHelpers(character.skeleton, character.helpers, poses.back());
  }
  for (int joint = 0; joint < character.skeleton.size(); ++joint) {
    for (const ClipPath path : {ClipPath::Translation, ClipPath::Rotation, ClipPath::Scale}) {
      ClipChannel channel = jointChannel(poses, path, joint);
      if (moves(channel)) clip.channels.push_back(std::move(channel));
    }
  }
  ClipChannel weights;
  weights.path = ClipPath::Weights;
  weights.values.resize(static_cast<Index>(character.morphs.size()), static_cast<Index>(poses.size()));
  for (std::size_t k = 0; k < poses.size(); ++k) {
    weights.times.push_back(static_cast<double>(k));
    for (std::size_t m = 0; m < character.morphs.size(); ++m) {
      weights.values(static_cast<Index>(m), static_cast<Index>(k)) = poses[k].morphWeights[m];
    }
  }
  if (moves(weights)) clip.channels.push_back(std::move(weights));
  return clip;
}

}  // namespace sinew
