// Keys stand where the drivers have theirs, as densely as asked, and more densely where the weights curve: between keys
// players interpolate linearly.
#include "sinew/learn/pose_space_morphs_bake.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace sinew {
namespace {

/// Halvings of the gap between two keys, at most.
constexpr int kMostHalvings = 4;
/// Before a step stands a key with the value before it.
constexpr double kStepSeconds = 1e-3;

/// Files hold 32-bit floats.
double rounded(double value) {
  return static_cast<double>(static_cast<float>(value));
}

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

/// Times at which the weights may bend, in order.
std::vector<double> keyTimes(const PoseSpace& space, const Clip& clip, double framesPerSecond) {
  std::vector<double> bends;
  for (const ClipChannel& channel : clip.channels) {
    if (channel.path != ClipPath::Weights && !drives(space, channel)) continue;
    for (const double time : channel.times) {
      if (channel.interpolation == Interpolation::Step && time > kStepSeconds) {
        bends.push_back(rounded(time - kStepSeconds));
      }
      bends.push_back(rounded(time));
    }
  }
  std::sort(bends.begin(), bends.end());
  bends.erase(std::unique(bends.begin(), bends.end()), bends.end());
  std::vector<double> times;
  for (std::size_t i = 0; i < bends.size(); ++i) {
    if (i > 0) {
      const double gap = bends[i] - bends[i - 1];
      const auto steps = static_cast<int>(std::ceil(gap * framesPerSecond - 1e-4));
      for (int k = 1; k < steps; ++k) times.push_back(rounded(bends[i - 1] + gap * k / steps));
    }
    times.push_back(bends[i]);
  }
  return times;
}

/// The joint that carries the mesh, as weights channels name it.
int carrierOf(const Character& character) {
  for (const MeshPart& part : character.mesh.parts) {
    if (part.node >= 0) return part.node;
  }
  return 0;
}

class Baker {
 public:
  Baker(const Character& character, const PoseSpaceMorphWeights& weights, const BakeSettings& settings,
        const Clip& clip)
      : character_(character), weights_(weights), settings_(settings), clip_(clip) {
    // How much a weight's error shows: nothing is known of other morph targets, so theirs are left as they are.
    visible_ = Eigen::VectorXd::Zero(static_cast<Index>(character.morphs.size()));
    const PoseSpaceMorphs& morphs = weights.morphs();
    for (std::size_t m = 0; m < morphs.morphs.size() && settings.sizes.size() > 0; ++m) {
      visible_[morphs.morphs[m]] = settings.sizes[morphs.knotOf[m]];
    }
  }

  void add(double time) { push(time, valuesAt(time)); }

  /// Keys between the last one and `time`, as many as the curve needs, and that at `time`.
  void addTo(double time) {
    const Eigen::VectorXd end = valuesAt(time);
    refine(times_.back(), columns_.back(), time, end, 0);
    push(time, end);
  }

  [[nodiscard]] ClipChannel channel() const {
    ClipChannel channel;
    channel.path = ClipPath::Weights;
    channel.joint = carrierOf(character_);
    channel.times = times_;
    channel.values.resize(visible_.size(), static_cast<Index>(columns_.size()));
    for (std::size_t k = 0; k < columns_.size(); ++k) channel.values.col(static_cast<Index>(k)) = columns_[k];
    return channel;
  }

 private:
  Eigen::VectorXd valuesAt(double time) {
    Pose pose = restPose(character_);
    sampleClip(clip_, time, pose);
    weights_.apply(character_.skeleton, scratch_, pose);
    Eigen::VectorXd values(visible_.size());
    for (Index m = 0; m < values.size(); ++m) values[m] = rounded(pose.morphWeights[static_cast<std::size_t>(m)]);
    return values;
  }

  void push(double time, const Eigen::VectorXd& values) {
    times_.push_back(time);
    columns_.push_back(values);
  }

  void refine(double begin, const Eigen::VectorXd& first, double end, const Eigen::VectorXd& last, int depth) {
    if (depth >= kMostHalvings || !(settings_.tolerance > 0)) return;
    const double middle = rounded(0.5 * (begin + end));
    if (!(middle > begin && middle < end)) return;
    const Eigen::VectorXd values = valuesAt(middle);
    const double t = (middle - begin) / (end - begin);
    const Eigen::VectorXd off = values - ((1 - t) * first + t * last);
    if (off.cwiseAbs().dot(visible_) <= settings_.tolerance) return;
    refine(begin, first, middle, values, depth + 1);
    push(middle, values);
    refine(middle, values, end, last, depth + 1);
  }

  const Character& character_;
  const PoseSpaceMorphWeights& weights_;
  const BakeSettings& settings_;
  const Clip& clip_;
  Eigen::VectorXd visible_;
  PoseSpaceMorphScratch scratch_;
  std::vector<double> times_;
  std::vector<Eigen::VectorXd> columns_;
};

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
  const std::vector<double> times = keyTimes(space, clip, settings.framesPerSecond);
  if (times.empty()) return 0;
  Baker baker(character, weights, settings, clip);
  baker.add(times.front());
  for (std::size_t i = 1; i < times.size(); ++i) baker.addTo(times[i]);
  ClipChannel baked = baker.channel();
  std::erase_if(clip.channels, [](const ClipChannel& channel) { return channel.path == ClipPath::Weights; });
  const std::size_t numbers = static_cast<std::size_t>(baked.values.size()) + baked.times.size();
  clip.channels.push_back(std::move(baked));
  return numbers * sizeof(float);
}

Clip examplesClip(const Character& character, const ExampleSet& set, std::string name) {
  Clip clip;
  clip.name = std::move(name);
  std::vector<Pose> poses = {restPose(character)};
  for (const Example& example : set.examples) {
    poses.push_back(example.pose);
    // The pose may be older than the character's last morph targets.
    poses.back().morphWeights.resize(character.morphs.size(), 0);
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
