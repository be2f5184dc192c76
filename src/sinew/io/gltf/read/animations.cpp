// Animations to clips: glTF 2.0, section 3.11 and appendix C.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/io/gltf/container/animation.h"
#include "sinew/io/gltf/read/read.h"

namespace sinew::gltf {
namespace {

Interpolation interpolationOf(const Json& sampler, const std::string& where) {
  const std::string name = optionalText(sampler, "interpolation", where);
  if (name.empty()) return Interpolation::Linear;
  for (const InterpolationRow& row : kInterpolations) {
    if (row.name == name) return row.interpolation;
  }
  refuse(fmt::format("{}.interpolation is '{}'; export it as LINEAR, STEP or CUBICSPLINE", where, name));
}

const Json& requiredMember(const Json& object, const char* key, const std::string& where) {
  const Json* found = find(object, key);
  if (found == nullptr) refuse(fmt::format("{}.{} is missing; export the file again", where, key));
  return *found;
}

/// Which keys of a channel can be used: times must be finite, not negative, and rise.
std::vector<Index> usableKeys(Reading& reading, const std::vector<double>& times, const std::string& where) {
  std::vector<Index> keys;
  double last = -1;
  std::optional<std::size_t> bad;
  for (std::size_t k = 0; k < times.size(); ++k) {
    if (std::isfinite(times[k]) && times[k] >= 0 && times[k] > last) {
      last = times[k];
      keys.push_back(static_cast<Index>(k));
    } else if (!bad) {
      bad = k;
    }
  }
  if (bad) {
    reading.fault(fmt::format("{} has the time {} at key {}, but times must be finite, non-negative and increasing",
                              where, times[*bad], *bad),
                  "export the animation again", fmt::format("{} keys were dropped", times.size() - keys.size()));
  }
  return keys;
}

/// Times and values of a sampler for `rows` numbers per key.
void readSampler(Reading& reading, const Json& sampler, const std::string& where, std::size_t components, Index rows,
                 ClipChannel& channel) {
  channel.interpolation = interpolationOf(sampler, where);
  const Index perKey = channel.interpolation == Interpolation::CubicSpline ? 3 : 1;
  const AccessorView input = reading.open(requiredMember(sampler, "input", where), where + ".input");
  const AccessorView output = reading.open(requiredMember(sampler, "output", where), where + ".output");
  checkType(input, 1, {Component::Float});
  checkType(output, components, {});
  if (input.count == 0) refuse(fmt::format("{} has no keys; export the animation again", input.where));
  // Counts are bounded by the elements that were opened, so this product cannot overflow.
  const double wanted = static_cast<double>(input.count) * static_cast<double>(perKey) * static_cast<double>(rows) /
                        static_cast<double>(components);
  if (static_cast<double>(output.count) != wanted) {
    refuse(fmt::format("{} has {} elements where {} keys need {}; export the animation again", output.where,
                       output.count, input.count, wanted));
  }
  std::vector<double> times(input.count);
  decodeNumbers(input, times.data());
  Eigen::MatrixXd values(rows, static_cast<Index>(input.count) * perKey);
  decodeNumbers(output, values.data());
  reading.mendNumbers(values.data(), toSize(values.size()), toSize(rows * perKey), output.where, "key");
  const std::vector<Index> keys = usableKeys(reading, times, input.where);
  if (keys.size() == times.size()) {
    channel.times = std::move(times);
    channel.values = std::move(values);
    return;
  }
  channel.values.resize(rows, static_cast<Index>(keys.size()) * perKey);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    channel.times.push_back(times[toSize(keys[k])]);
    channel.values.middleCols(static_cast<Index>(k) * perKey, perKey) = values.middleCols(keys[k] * perKey, perKey);
  }
}

Clip readClip(Reading& reading, const Json& animation, const std::string& where) {
  Clip clip;
  clip.name = optionalText(animation, "name", where);
  const Json& samplers = objectsOf(animation, "samplers", where);
  const Json& channels = objectsOf(animation, "channels", where);
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const std::string channelWhere = fmt::format("{}.channels[{}]", where, c);
    const auto target = understoodTarget(reading, channels[c], channelWhere);
    if (!target) continue;
    ClipChannel channel;
    channel.path = target->path->path;
    channel.joint = static_cast<int>(target->node);
    auto rows = static_cast<Index>(target->path->components);
    if (channel.path == ClipPath::Weights) {
      const std::size_t mesh =
          *optionalIndex(reading.list("nodes")[target->node], "mesh", reading.placements.size(), "");
      channel.firstMorph = reading.firstMorph[mesh];
      rows = reading.firstMorph[mesh + 1] - channel.firstMorph;
    }
    requiredCount(channels[c], "sampler", channelWhere);
    const std::size_t sampler = *optionalIndex(channels[c], "sampler", samplers.size(), channelWhere);
    readSampler(reading, samplers[sampler], fmt::format("{}.samplers[{}]", where, sampler), target->path->components,
                rows, channel);
    clip.channels.push_back(std::move(channel));
  }
  return clip;
}

}  // namespace

std::optional<ChannelTarget> understoodTarget(const Reading& reading, const Json& channel, const std::string& where) {
  const Json* target = find(channel, "target");
  if (target == nullptr) return std::nullopt;
  const std::string name = optionalText(*target, "path", where + ".target");
  const auto* path = std::find_if(kPaths.begin(), kPaths.end(), [&](const PathRow& row) { return row.name == name; });
  const auto node = optionalIndex(*target, "node", reading.list("nodes").size(), where + ".target");
  if (path == kPaths.end() || !node) return std::nullopt;
  if (path->path == ClipPath::Weights) {
    const auto mesh = optionalIndex(reading.list("nodes")[*node], "mesh", reading.placements.size(), "");
    if (!mesh || reading.placements[*mesh].node != static_cast<int>(*node)) return std::nullopt;
    if (reading.firstMorph[*mesh + 1] == reading.firstMorph[*mesh]) return std::nullopt;
  }
  return ChannelTarget{path, *node};
}

void readAnimations(Reading& reading) {
  const Json& animations = reading.list("animations");
  for (std::size_t a = 0; a < animations.size(); ++a) {
    reading.character.clips.push_back(readClip(reading, animations[a], fmt::format("animations[{}]", a)));
  }
}

}  // namespace sinew::gltf
