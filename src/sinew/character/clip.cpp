// Sampling of keyframed channels, after glTF 2.0, appendix C.
#include "sinew/character/clip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"

namespace sinew {
namespace {

/// The key before `time` and the fraction towards the next one; clamped at both ends.
struct KeySpan {
  Index key = 0;
  double fraction = 0;  ///< 0 to 1
  double seconds = 0;   ///< length of the span
};

KeySpan findSpan(const std::vector<double>& times, double time) {
  const auto last = static_cast<Index>(times.size()) - 1;
  if (time <= times.front() || last == 0) return {0, 0, 0};
  if (time >= times.back()) return {last, 0, 0};
  const auto after = std::upper_bound(times.begin(), times.end(), time);
  const Index key = after - times.begin() - 1;
  const double begin = times[toSize(key)];
  const double seconds = *after - begin;
  return {key, seconds > 0 ? (time - begin) / seconds : 0, seconds};
}

Quat quatOf(const Eigen::Ref<const Eigen::VectorXd>& xyzw) {
  return Quat(xyzw[3], xyzw[0], xyzw[1], xyzw[2]);
}

Quat normalisedOr(const Quat& q, const Quat& otherwise) {
  const double norm = q.norm();
  return norm > 0 && std::isfinite(norm) ? Quat(q.coeffs() / norm) : otherwise;
}

/// One row of a channel that is not a rotation.
double valueAt(const ClipChannel& channel, const KeySpan& span, Index row) {
  const auto& values = channel.values;
  if (channel.interpolation == Interpolation::CubicSpline) {
    const double v0 = values(row, 3 * span.key + 1);
    if (span.fraction == 0) return v0;
    // Hermite: (2t^3-3t^2+1) v0 + d(t^3-2t^2+t) b0 + (-2t^3+3t^2) v1 + d(t^3-t^2) a1.
    const double t = span.fraction;
    const double t2 = t * t;
    const double t3 = t2 * t;
    const double b0 = values(row, 3 * span.key + 2);
    const double a1 = values(row, 3 * span.key + 3);
    const double v1 = values(row, 3 * span.key + 4);
    return (2 * t3 - 3 * t2 + 1) * v0 + span.seconds * (t3 - 2 * t2 + t) * b0 + (-2 * t3 + 3 * t2) * v1 +
           span.seconds * (t3 - t2) * a1;
  }
  const double v0 = values(row, span.key);
  if (channel.interpolation == Interpolation::Step || span.fraction == 0) return v0;
  return v0 + span.fraction * (values(row, span.key + 1) - v0);
}

Quat rotationAt(const ClipChannel& channel, const KeySpan& span, const Quat& otherwise) {
  if (channel.interpolation == Interpolation::Linear && span.fraction > 0) {
    const Quat a = normalisedOr(quatOf(channel.values.col(span.key)), otherwise);
    const Quat b = normalisedOr(quatOf(channel.values.col(span.key + 1)), otherwise);
    return a.slerp(span.fraction, b);  // Eigen takes the shorter arc
  }
  return normalisedOr(
      Quat(valueAt(channel, span, 3), valueAt(channel, span, 0), valueAt(channel, span, 1), valueAt(channel, span, 2)),
      otherwise);
}

/// The values must be there before they are read.
void checkShape(const ClipChannel& channel) {
  const Index perKey = channel.interpolation == Interpolation::CubicSpline ? 3 : 1;
  const Index keys = perKey * static_cast<Index>(channel.times.size());
  const Index rows = channel.path == ClipPath::Weights    ? channel.values.rows()
                     : channel.path == ClipPath::Rotation ? 4
                                                          : 3;
  SINEW_CHECK(channel.values.cols() == keys && channel.values.rows() == rows, "clip",
              fmt::format("a channel has {} x {} values where its {} keys need {} x {}", channel.values.rows(),
                          channel.values.cols(), channel.times.size(), rows, keys));
}

}  // namespace

double Clip::seconds() const {
  double last = 0;
  for (const ClipChannel& channel : channels) {
    if (!channel.times.empty()) last = std::max(last, channel.times.back());
  }
  return last;
}

void sampleClip(const Clip& clip, double time, Pose& pose) {
  SINEW_CHECK(std::isfinite(time), "clip", "the time is not a finite number");
  for (const ClipChannel& channel : clip.channels) {
    if (channel.times.empty()) continue;
    checkShape(channel);
    const KeySpan span = findSpan(channel.times, time);
    if (channel.path == ClipPath::Weights) {
      SINEW_CHECK(
          channel.firstMorph >= 0 && toSize(channel.firstMorph + channel.values.rows()) <= pose.morphWeights.size(),
          "clip",
          fmt::format("a channel drives {} morph targets from number {}, but there are {}", channel.values.rows(),
                      channel.firstMorph, pose.morphWeights.size()));
      for (Index row = 0; row < channel.values.rows(); ++row) {
        pose.morphWeights[toSize(channel.firstMorph + row)] = valueAt(channel, span, row);
      }
      continue;
    }
    SINEW_CHECK(channel.joint >= 0 && toSize(channel.joint) < pose.local.size(), "clip",
                fmt::format("a channel moves joint {} of {}", channel.joint, pose.local.size()));
    LocalTransform& local = pose.local[toSize(channel.joint)];
    if (channel.path == ClipPath::Rotation) {
      local.rotation = rotationAt(channel, span, local.rotation);
    } else {
      const Vec3 value(valueAt(channel, span, 0), valueAt(channel, span, 1), valueAt(channel, span, 2));
      (channel.path == ClipPath::Translation ? local.translation : local.scale) = value;
    }
  }
}

}  // namespace sinew
