#include "sinew/character/examples_clip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace sinew {
namespace {

ClipChannel jointChannel(const std::vector<Pose>& poses, ClipPath path, int joint) {
  ClipChannel channel;
  channel.path = path;
  channel.joint = joint;
  channel.values.resize(path == ClipPath::Rotation ? 4 : 3, static_cast<Index>(poses.size()));
  for (std::size_t k = 0; k < poses.size(); ++k) {
    const LocalTransform& local = poses[k].local[toSize(joint)];
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

std::string freeClipName(const Character& character, const std::string& wanted) {
  const auto taken = [&](const std::string& name) {
    return std::any_of(character.clips.begin(), character.clips.end(),
                       [&](const Clip& clip) { return clip.name == name; });
  };
  std::string name = wanted;
  for (int n = 2; taken(name); ++n) name = fmt::format("{} {}", wanted, n);
  return name;
}

bool visitsExamples(const Character& character, const Clip& clip, const ExampleSet& set) {
  constexpr double kNear = 1e-4;
  if (std::abs(clip.seconds() - static_cast<double>(set.examples.size())) > kNear) return false;
  for (const ClipChannel& channel : clip.channels) {
    // Those of helper joints and morph targets are baked between the keys.
    if (channel.path == ClipPath::Weights || isHelper(character.helpers, channel.joint)) continue;
    for (const double time : channel.times) {
      if (std::abs(time - std::round(time)) > kNear) return false;
    }
  }
  for (std::size_t k = 0; k <= set.examples.size(); ++k) {
    const Pose wanted = k == 0 ? restPose(character) : set.examples[k - 1].pose;
    Pose pose = restPose(character);
    sampleClip(clip, static_cast<double>(k), pose);
    for (std::size_t j = 0; j < pose.local.size(); ++j) {
      if (isHelper(character.helpers, static_cast<int>(j))) continue;
      const LocalTransform& a = pose.local[j];
      const LocalTransform& b = wanted.local[j];
      if (a.rotation.angularDistance(b.rotation) > kNear || !a.scale.isApprox(b.scale, kNear)) return false;
      if ((a.translation - b.translation).norm() > kNear * (1 + b.translation.norm())) return false;
    }
  }
  return true;
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
