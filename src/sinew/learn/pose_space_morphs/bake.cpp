// Keys are at those of the drivers, and as dense as linear interpolation needs (baked_keys.h).
#include "sinew/learn/pose_space_morphs/bake.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/character/baked_keys.h"

namespace sinew::pose_space_morphs {
namespace {

/// Weights are projected at the keys of the drivers and this often per second between them. Their difference from
/// computed weights changes slowly.
constexpr double kProjectedRate = 4;

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

/// Adds a curve that is linear between its own keys, which span the others.
void addShifts(const BakedKeys& shifts, BakedKeys& keys) {
  for (std::size_t k = 0; k < keys.times.size(); ++k) {
    const auto next = std::lower_bound(shifts.times.begin(), shifts.times.end(), keys.times[k]);
    const auto i = static_cast<std::size_t>(std::min(next, shifts.times.end() - 1) - shifts.times.begin());
    if (i == 0 || shifts.times[i] <= keys.times[k]) {
      keys.columns[k] += shifts.columns[i];
      continue;
    }
    const double t = (keys.times[k] - shifts.times[i - 1]) / (shifts.times[i] - shifts.times[i - 1]);
    keys.columns[k] += (1 - t) * shifts.columns[i - 1] + t * shifts.columns[i];
  }
}

}  // namespace

std::size_t bakeMorphWeights(const Character& character, const PoseSpaceMorphWeights& weights, const PoseSpace& space,
                             MorphProjection* projection, const BakeSettings& settings, const Progress& progress,
                             Clip& clip) {
  const auto counts = [&](const ClipChannel& channel) {
    return channel.path == ClipPath::Weights || drives(space, channel);
  };
  const std::vector<double> times = bakedTimes(clip, counts, settings.framesPerSecond);
  if (times.empty()) return 0;
  const Eigen::VectorXd visible = visibleSizes(character, weights.morphs(), settings.sizes);
  PoseSpaceMorphScratch scratch;
  BakedCurve curve;
  curve.tolerance = settings.tolerance;
  double reached = 0;
  const auto poseAt = [&](double time) {
    Pose pose = restPose(character);
    sampleClip(clip, time, pose);
    weights.apply(character.skeleton, scratch, pose);
    return pose;
  };
  curve.value = [&](double time) {
    // Keys are refined between times that were passed.
    reached = std::max(reached, 0.5 * time / std::max(times.back(), 1e-12));
    report(progress, {reached, "clips"});
    const Pose pose = poseAt(time);
    return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(pose.morphWeights.data(), visible.size()));
  };
  curve.gap = [&](const Eigen::VectorXd& first, const Eigen::VectorXd& last, double t, const Eigen::VectorXd& value) {
    return (value - ((1 - t) * first + t * last)).cwiseAbs().dot(visible);
  };
  BakedKeys keys = bakeKeys(curve, times);
  if (projection != nullptr) {
    BakedKeys shifts;
    shifts.times = bakedTimes(clip, counts, std::min(kProjectedRate, settings.framesPerSecond));
    for (const double time : shifts.times) {
      report(progress, {0.5 + 0.5 * time / std::max(times.back(), 1e-12), "clips"});
      Pose pose = poseAt(time);
      const std::vector<double> before = pose.morphWeights;
      projection->apply(pose);
      shifts.columns.push_back(Eigen::Map<const Eigen::VectorXd>(pose.morphWeights.data(), visible.size()) -
                               Eigen::Map<const Eigen::VectorXd>(before.data(), visible.size()));
    }
    addShifts(shifts, keys);
  }
  for (Eigen::VectorXd& column : keys.columns) column = column.unaryExpr(&roundedToFile);
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
