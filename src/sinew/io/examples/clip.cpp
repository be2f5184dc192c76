#include "sinew/io/examples/clip.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/point_cache.h"

namespace sinew::examples {
namespace {

namespace fs = std::filesystem;

/// Seconds: times that differ by less are the same key.
constexpr double kSameTime = 1e-5;

std::size_t onlyClip(const Character& character, const fs::path& file) {
  const std::vector<Clip>& clips = character.clips;
  if (clips.size() == 1) return 0;
  if (clips.empty()) throw Error(ErrorCode::NotFound, "has no clips; export it with its animation", file.string());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < clips.size(); ++i) names.push_back(shownName(clips[i], i));
  throw Error(ErrorCode::BadInput, fmt::format("has the clips {}; name one of them", fmt::join(names, ", ")),
              file.string());
}

/// Moves the channels to the joints of the same name.
Clip onJointsOf(const Character& character, const Character& other, const Clip& clip, const fs::path& file,
                std::vector<std::string>& notes) {
  Clip moved{.name = clip.name, .channels = {}};
  std::vector<std::string> unknown;
  for (const ClipChannel& channel : clip.channels) {
    if (channel.path == ClipPath::Weights) continue;
    const std::string& name = other.skeleton[channel.joint].name;
    const auto joint = name.empty() ? std::nullopt : character.skeleton.find(name);
    if (joint) {
      moved.channels.push_back(channel);
      moved.channels.back().joint = *joint;
    } else if (std::find(unknown.begin(), unknown.end(), name) == unknown.end()) {
      unknown.push_back(name);
    }
  }
  if (moved.channels.empty()) {
    throw Error(ErrorCode::BadInput,
                fmt::format("moves no joint of the character: {}; joints are matched by name",
                            unknown.empty() ? "the clip has no keys of joints" : "it has no " + quotedNames(unknown)),
                file.string());
  }
  if (!unknown.empty()) {
    notes.push_back(fmt::format("{}: the character has no {}; {} ignored", file.filename().string(),
                                quotedNames(unknown), unknown.size() == 1 ? "this joint is" : "these joints are"));
  }
  return moved;
}

/// The number at the end of a name, and the place where it begins; nothing without one.
std::optional<std::pair<long, std::size_t>> numberOf(const std::string& name) {
  std::size_t from = name.size();
  while (from > 0 && name[from - 1] >= '0' && name[from - 1] <= '9') --from;
  long number = 0;
  const auto [end, fault] = std::from_chars(name.data() + from, name.data() + name.size(), number);
  if (from == name.size() || fault != std::errc()) return std::nullopt;
  return std::pair{number, from};
}

/// Meshes of a folder, numbered 0, 1, 2, ... by their names. Numbers are left out where files are missing: 0001, 0002,
/// 0004 are 0, 1, 3. Names without numbers in ascending order are taken as complete.
std::vector<std::size_t> numbersOf(const ShapeList& shapes) {
  std::vector<std::size_t> places(shapes.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::vector<long> numbers;
  std::string prefix;
  for (std::size_t f = 0; f < shapes.size(); ++f) {
    const std::string name = shapes.file(f).stem().string();
    const auto number = numberOf(name);
    if (!number) return places;
    if (f == 0) prefix = name.substr(0, number->second);
    if (name.substr(0, number->second) != prefix || (f > 0 && number->first <= numbers.back())) return places;
    numbers.push_back(number->first);
  }
  long step = 0;
  for (std::size_t f = 1; f < numbers.size(); ++f) step = std::gcd(step, numbers[f] - numbers[f - 1]);
  for (std::size_t f = 1; f < numbers.size(); ++f) places[f] = toSize((numbers[f] - numbers[0]) / step);
  return places;
}

std::string missingFrames(const ShapeList& shapes, const std::vector<std::size_t>& places, const fs::path& meshes) {
  std::size_t before = 1;
  while (places[before] == before) ++before;
  return fmt::format("{}: {} of {} numbered meshes {} missing, the first after {}; times follow the numbers",
                     meshes.filename().string(), places.back() + 1 - places.size(), places.back() + 1,
                     places.back() == places.size() ? "is" : "are", shapes.file(before - 1).filename().string());
}

/// Seconds: times in files are rounded.
constexpr double kRounded = 1e-3;

/// How much later than the last key the last frame may be: half a frame. Coarser samples have the same frames.
double overhang(const std::vector<double>& times, double framesPerSecond) {
  if (times.size() < 2) return kRounded;
  const double step = (times.back() - times.front()) / static_cast<double>(times.size() - 1);
  const double frame = 1 / (framesPerSecond > 0 ? framesPerSecond : kPointCacheFrames);
  return std::max(kRounded, 0.5 * std::min(step, frame));
}

/// At the keys if there are as many places, else evenly from the first key to the last.
std::vector<double> spreadOver(const std::vector<double>& keys, const std::vector<std::size_t>& places) {
  const std::size_t last = places.back();
  std::vector<double> times;
  times.reserve(places.size());
  for (const std::size_t place : places) {
    const double share = place == 0 ? 0 : static_cast<double>(place) / static_cast<double>(last);
    times.push_back(keys.size() == last + 1 ? keys[place] : keys.front() + share * (keys.back() - keys.front()));
  }
  return times;
}

std::vector<double> atRate(const FoundClip& clip, const ShapeList& shapes, const std::vector<std::size_t>& places,
                           double framesPerSecond) {
  std::vector<double> times = shapes.times();
  for (double& time : times) time *= kPointCacheFrames / framesPerSecond;
  for (std::size_t f = times.size(); f < places.size(); ++f)
    times.push_back(clip.keys.front() + static_cast<double>(places[f]) / framesPerSecond);
  return times;
}

}  // namespace

std::string shownName(const Clip& clip, std::size_t index) {
  return clip.name.empty() ? fmt::format("{}", index) : "'" + clip.name + "'";
}

std::vector<double> keyTimes(const Clip& clip) {
  std::vector<double> all;
  for (const ClipChannel& channel : clip.channels) all.insert(all.end(), channel.times.begin(), channel.times.end());
  std::sort(all.begin(), all.end());
  std::vector<double> keys;
  for (const double time : all) {
    if (keys.empty() || time > keys.back() + kSameTime) keys.push_back(time);
  }
  return keys;
}

FoundClip findClip(const ClipSource& source, const Character& character, const FileRules& rules,
                   std::vector<std::string>& notes) {
  FoundClip found;
  try {
    if (source.file.empty()) {
      const std::size_t index = clipIndex(character, source.name);
      found = {character.clips[index], shownName(character.clips[index], index), {}};
    } else {
      checkInside(source.file, rules);
      const CharacterFile file = readCharacter(source.file, {.rules = rules});
      const Character& other = file.character;
      const std::size_t index = source.name.empty() ? onlyClip(other, source.file) : clipIndex(other, source.name);
      const Clip& clip = other.clips[index];
      found = {onJointsOf(character, other, clip, source.file, notes), shownName(clip, index), {}};
    }
  } catch (const Error& error) {
    throw source.file.empty() ? error : error.in(source.file.string());
  }
  found.keys = keyTimes(found.clip);
  if (found.keys.empty()) {
    throw Error(ErrorCode::BadInput, fmt::format("clip {} has no keys; give one that moves the character", found.shown),
                source.file.string());
  }
  return found;
}

std::vector<double> frameTimes(const FoundClip& clip, const ShapeList& shapes, const fs::path& meshes,
                               double framesPerSecond, std::vector<std::string>& notes,
                               std::vector<std::string>& warnings) {
  if (framesPerSecond > 0 && !shapes.takesRate()) {
    throw Error(
        ErrorCode::BadInput,
        fmt::format("has times of its own, but {} frames per second are given; leave them out", framesPerSecond),
        meshes.string());
  }
  std::vector<std::size_t> places(shapes.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  if (shapes.times().empty() && !(framesPerSecond <= 0 && shapes.size() == clip.keys.size()))
    places = numbersOf(shapes);
  if (places.back() >= shapes.size()) warnings.push_back(missingFrames(shapes, places, meshes));
  std::vector<double> times = framesPerSecond > 0 ? atRate(clip, shapes, places, framesPerSecond) : shapes.times();
  if (times.empty()) times = spreadOver(clip.keys, places);
  const double near = overhang(times, framesPerSecond);
  const double first = clip.keys.front();
  const double last = clip.keys.back();
  if (times.front() >= first - kRounded && times.back() <= last + near) return times;
  if (!(times.back() - times.front() <= last - first + near)) {  // also where a tiny rate makes them infinite
    throw Error(ErrorCode::BadInput,
                fmt::format("has {} from {:.4g} s to {:.4g} s, but the keys of clip {} are from {:.4g} s to {:.4g} s; "
                            "give the clip that it was made with{}",
                            counted(times.size(), "frame", "frames"), times.front(), times.back(), clip.shown, first,
                            last, shapes.takesRate() ? ", or its frames per second (--fps)" : ""),
                meshes.string());
  }
  notes.push_back(
      fmt::format("{}: its first frame is at {:.4g} s, the first key of clip {} at {:.4g} s; they are taken "
                  "as the same",
                  meshes.filename().string(), times.front(), clip.shown, first));
  const double shift = first - times.front();
  for (double& time : times) time += shift;
  return times;
}

}  // namespace sinew::examples
