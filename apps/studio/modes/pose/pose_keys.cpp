#include "studio/modes/pose/pose_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "sinew/base/check.h"
#include "sinew/base/types.h"

namespace sinew::studio::pose {
namespace {

constexpr const char* kKeyedClip = "keys";
constexpr double kSameMoment = 1e-6;  // seconds
constexpr double kMoved = 1e-9;
constexpr std::array kPaths{ClipPath::Translation, ClipPath::Rotation, ClipPath::Scale};

Eigen::VectorXd valueOf(const LocalTransform& local, ClipPath path) {
  if (path == ClipPath::Rotation) return local.rotation.coeffs();
  return path == ClipPath::Translation ? local.translation : local.scale;
}

std::size_t momentOf(const std::vector<double>& times, double time) {
  return toSize(std::lower_bound(times.begin(), times.end(), time - kSameMoment) - times.begin());
}

bool isThere(const std::vector<double>& times, std::size_t at, double time) {
  return at < times.size() && std::abs(times[at] - time) <= kSameMoment;
}

void setValue(ClipChannel& channel, double time, const Eigen::VectorXd& value) {
  const std::size_t at = momentOf(channel.times, time);
  const auto column = static_cast<Index>(at);
  if (!isThere(channel.times, at, time)) {
    channel.times.insert(channel.times.begin() + static_cast<std::ptrdiff_t>(at), time);
    const Index behind = channel.values.cols() - column;
    Eigen::MatrixXd grown(value.size(), channel.values.cols() + 1);
    grown.leftCols(column) = channel.values.leftCols(column);
    grown.rightCols(behind) = channel.values.rightCols(behind);
    channel.values = std::move(grown);
  }
  channel.values.col(column) = value;
}

ClipChannel* channelOf(Clip& clip, int joint, ClipPath path) {
  const auto found = std::find_if(clip.channels.begin(), clip.channels.end(),
                                  [&](const ClipChannel& one) { return one.joint == joint && one.path == path; });
  return found == clip.channels.end() ? nullptr : &*found;
}

/// The channel of weights of the morph targets from `first` on.
ClipChannel* channelOfMorphs(Clip& clip, int first) {
  const auto found = std::find_if(clip.channels.begin(), clip.channels.end(), [&](const ClipChannel& one) {
    return one.path == ClipPath::Weights && one.firstMorph == first;
  });
  return found == clip.channels.end() ? nullptr : &*found;
}

/// The joint that places the mesh, or 0.
int jointOfMesh(const Character& character, int mesh) {
  const auto& parts = character.mesh.parts;
  const auto found = std::find_if(parts.begin(), parts.end(), [&](const MeshPart& part) { return part.mesh == mesh; });
  return found == parts.end() ? 0 : std::max(found->node, 0);
}

void setMorphKeys(const Character& character, const std::vector<double>& weights, double time,
                  const std::vector<double>& times, Clip& clip) {
  SINEW_CHECK(weights.size() == character.morphs.size(), "pose key",
              fmt::format("the pose has {} weights for {} morph targets", weights.size(), character.morphs.size()));
  const std::vector<double> rest = restPose(character).morphWeights;
  for (std::size_t first = 0, end = 0; first < character.morphs.size(); first = end) {
    // The morph targets of a mesh are one channel.
    const int mesh = character.morphs[first].mesh;
    while (end < character.morphs.size() && character.morphs[end].mesh == mesh) ++end;
    const auto count = static_cast<Index>(end - first);
    const Eigen::VectorXd value = Eigen::Map<const Eigen::VectorXd>(weights.data() + first, count);
    const Eigen::VectorXd before = Eigen::Map<const Eigen::VectorXd>(rest.data() + first, count);
    ClipChannel* channel = channelOfMorphs(clip, static_cast<int>(first));
    if (channel == nullptr) {
      if ((value - before).cwiseAbs().maxCoeff() < kMoved) continue;
      clip.channels.push_back({ClipPath::Weights, Interpolation::Linear, jointOfMesh(character, mesh),
                               static_cast<int>(first), times, before.replicate(1, static_cast<Index>(times.size()))});
      channel = &clip.channels.back();
    }
    setValue(*channel, time, value);
  }
}

}  // namespace

std::optional<std::size_t> keyedClip(const Character& character) {
  for (std::size_t c = 0; c < character.clips.size(); ++c) {
    const Clip& clip = character.clips[c];
    if (!clip.name.starts_with(kKeyedClip) || clip.channels.empty()) continue;
    const bool keyed = std::all_of(clip.channels.begin(), clip.channels.end(), [&](const ClipChannel& channel) {
      return channel.interpolation == Interpolation::Linear && channel.times == clip.channels.front().times;
    });
    if (keyed) return c;
  }
  return std::nullopt;
}

std::string keyedClipName(const Character& character) {
  const auto taken = [&](const std::string& name) {
    return std::any_of(character.clips.begin(), character.clips.end(),
                       [&](const Clip& clip) { return clip.name == name; });
  };
  std::string name = kKeyedClip;
  for (int n = 2; taken(name); ++n) name = fmt::format("{} {}", kKeyedClip, n);
  return name;
}

void setKey(const Character& character, const Pose& pose, double time, Clip& clip) {
  const std::vector<double> times = clip.channels.empty() ? std::vector<double>() : clip.channels.front().times;
  setMorphKeys(character, pose.morphWeights, time, times, clip);
  for (int j = 0; j < character.skeleton.size(); ++j) {
    for (const ClipPath path : kPaths) {
      const Eigen::VectorXd value = valueOf(pose.local[toSize(j)], path);
      const Eigen::VectorXd rest = valueOf(character.skeleton[j].rest, path);
      ClipChannel* channel = channelOf(clip, j, path);
      // A clip of only rest poses needs one channel to have a key.
      const bool first = clip.channels.empty() && j + 1 == character.skeleton.size() && path == ClipPath::Rotation;
      if (channel == nullptr && !first && (value - rest).cwiseAbs().maxCoeff() < kMoved) continue;
      if (channel == nullptr) {
        // Before this key the joint was at rest.
        clip.channels.push_back(
            {path, Interpolation::Linear, j, 0, times, rest.replicate(1, static_cast<Index>(times.size()))});
        channel = &clip.channels.back();
      }
      setValue(*channel, time, value);
    }
  }
}

bool removeKey(double time, Clip& clip) {
  if (clip.channels.empty()) return false;
  const std::size_t at = momentOf(clip.channels.front().times, time);
  if (!isThere(clip.channels.front().times, at, time)) return false;
  for (ClipChannel& channel : clip.channels) {
    channel.times.erase(channel.times.begin() + static_cast<std::ptrdiff_t>(at));
    const auto column = static_cast<Index>(at);
    const Index behind = channel.values.cols() - column - 1;
    Eigen::MatrixXd shrunk(channel.values.rows(), channel.values.cols() - 1);
    shrunk.leftCols(column) = channel.values.leftCols(column);
    shrunk.rightCols(behind) = channel.values.rightCols(behind);
    channel.values = std::move(shrunk);
  }
  if (clip.channels.front().times.empty()) clip.channels.clear();
  return true;
}

}  // namespace sinew::studio::pose
