#include "sinew/character/check_clips.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"

namespace sinew {
namespace {

/// Rows that the values of a channel must have, or -1 for any.
Index rowsOf(ClipPath path) {
  if (path == ClipPath::Weights) return -1;
  return path == ClipPath::Rotation ? 4 : 3;
}

void checkClip(const Character& character, const Clip& clip, bool fromZero) {
  for (const ClipChannel& channel : clip.channels) {
    const bool weights = channel.path == ClipPath::Weights;
    const Index perKey = channel.interpolation == Interpolation::CubicSpline ? 3 : 1;
    const auto keys = static_cast<Index>(channel.times.size());
    SINEW_CHECK(weights || (channel.joint >= 0 && channel.joint < character.skeleton.size()), "",
                fmt::format("clip '{}' moves joint {} of {}", clip.name, channel.joint, character.skeleton.size()));
    SINEW_CHECK(!weights || (channel.firstMorph >= 0 &&
                             toSize(channel.firstMorph) + toSize(channel.values.rows()) <= character.morphs.size()),
                "", fmt::format("clip '{}' drives morph targets that the character does not have", clip.name));
    SINEW_CHECK(channel.values.cols() == perKey * keys && (weights || channel.values.rows() == rowsOf(channel.path)),
                "",
                fmt::format("clip '{}' has {} x {} values for {} keys", clip.name, channel.values.rows(),
                            channel.values.cols(), keys));
    const auto fallsTo = [](double a, double b) { return !(a < b); };  // also if one is NaN
    const bool rising = std::adjacent_find(channel.times.begin(), channel.times.end(), fallsTo) == channel.times.end();
    SINEW_CHECK(rising && (keys == 0 || ((channel.times.front() >= 0 || !fromZero) &&
                                         std::isfinite(channel.times.front()) && std::isfinite(channel.times.back()))),
                "",
                fmt::format("clip '{}' has times that are {}do not rise", clip.name, fromZero ? "negative or " : ""));
    SINEW_CHECK(channel.values.allFinite(), "",
                fmt::format("clip '{}' has a value that is not a finite number", clip.name));
  }
}

}  // namespace

void checkClips(const Character& character, bool fromZero) {
  for (const Clip& clip : character.clips) checkClip(character, clip, fromZero);
}

}  // namespace sinew
