// Poses as people write them: {"joints": {NAME: {euler | rotation, translation, scale}}, "morphs": {NAME: weight}}.
// Euler angles are degrees in the joint's own rest frame: local = rest * Rz * Ry * Rx.
#include "sinew/io/poses.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/files.h"
#include "sinew/io/text/hand_written_json.h"
#include "sinew/io/text/text_formats.h"

namespace sinew {
namespace {

/// The number in "#12": how joints and morph targets are named whose own name is empty or not unique.
std::optional<std::size_t> numberIn(std::string_view key, std::size_t count) {
  if (!key.starts_with('#')) return std::nullopt;
  std::size_t number = 0;
  const char* const end = key.data() + key.size();
  const auto [stop, fault] = std::from_chars(key.data() + 1, end, number);
  if (fault != std::errc() || stop != end || number >= count) return std::nullopt;
  return number;
}

std::vector<std::string> jointNames(const Skeleton& skeleton) {
  std::vector<std::string> names;
  for (const Joint& joint : skeleton.joints()) names.push_back(joint.name);
  return names;
}

std::vector<std::string> morphNames(const Character& character) {
  std::vector<std::string> names;
  for (const MorphTarget& morph : character.morphs) names.push_back(morph.name);
  return names;
}

/// The meaning of a key: a name that one or several joints have, or "#" and a number.
std::vector<std::size_t> namedBy(std::string_view key, std::span<const std::string> names) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == key) found.push_back(i);
  }
  if (found.empty()) {
    if (const auto number = numberIn(key, names.size())) found.push_back(*number);
  }
  return found;
}

[[noreturn]] void refuseName(std::string_view kind, std::string_view key, std::span<const std::string> names,
                             const std::string& where) {
  const std::string nearest = nearestName(key, names);
  throw Error(ErrorCode::NotFound,
              fmt::format("there is no {} '{}' in this character; {}", kind, key,
                          !nearest.empty() ? fmt::format("did you mean '{}'?", nearest)
                          : names.empty()  ? fmt::format("it has no {}s", kind)
                                           : fmt::format("`sinew info` lists the {}s", kind)),
              where);
}

std::size_t jointOf(const std::string& key, std::span<const std::string> names, const std::string& where) {
  const std::vector<std::size_t> found = namedBy(key, names);
  if (found.empty()) refuseName("joint", key, names, where);
  if (found.size() > 1) {
    text::refuseJson(where, fmt::format("the name '{}' belongs to {} joints; give the number of one, as '#{}' or '#{}'",
                                        key, found.size(), found[0], found[1]));
  }
  return found.front();
}

Quat quaternionOf(const text::HandJson& value, const std::string& what, const std::string& where) {
  const std::vector<double> xyzw = text::numbersOf(value, 4, what, where);
  const Eigen::Vector4d coefficients(xyzw[0], xyzw[1], xyzw[2], xyzw[3]);
  const double length = coefficients.stableNorm();
  if (!(length > 1e-12)) {
    text::refuseJson(
        where, fmt::format("{} is a quaternion of length 0; write x, y, z, w with [0, 0, 0, 1] for no rotation", what));
  }
  // A quaternion that was written by this program comes back with the same bits.
  return Quat(std::abs(length - 1) < 1e-15 ? coefficients : Eigen::Vector4d(coefficients / length));
}

Quat eulerOf(const std::vector<double>& degrees) {
  const auto turn = [&](std::size_t axis) {
    return Eigen::AngleAxisd(degrees[axis] * std::numbers::pi / 180, Vec3::Unit(static_cast<Index>(axis)));
  };
  return turn(2) * turn(1) * turn(0);
}

Vec3 vectorOf(const text::HandJson& value, const std::string& what, const std::string& where) {
  const std::vector<double> xyz = text::numbersOf(value, 3, what, where);
  return {xyz[0], xyz[1], xyz[2]};
}

void applyJoint(const std::string& key, const text::HandJson& value, const LocalTransform& rest, LocalTransform& local,
                const std::string& where) {
  const std::string what = fmt::format("joint '{}'", key);
  text::checkObject(value, {"euler", "rotation", "translation", "scale"}, what, where);
  if (value.contains("euler") && value.contains("rotation"))
    text::refuseJson(where, fmt::format("{} has both 'euler' and 'rotation'; keep one", what));
  if (value.contains("euler"))
    local.rotation = rest.rotation * eulerOf(text::numbersOf(value["euler"], 3, what + ": 'euler'", where));
  if (value.contains("rotation")) local.rotation = quaternionOf(value["rotation"], what + ": 'rotation'", where);
  if (value.contains("translation"))
    local.translation = vectorOf(value["translation"], what + ": 'translation'", where);
  if (value.contains("scale")) local.scale = vectorOf(value["scale"], what + ": 'scale'", where);
}

/// Times are typed as they are shown, rounded to a millisecond.
constexpr double kRoundedTime = 1e-3;

/// Adds a sentence if `time` is outside the clip, which is then clamped.
void warnOutside(const Character& character, std::string_view clip, double time, std::vector<std::string>* warnings) {
  if (warnings == nullptr) return;
  const std::size_t index = clipIndex(character, clip);
  const Clip& played = character.clips[index];
  const double length = played.seconds();
  if (time >= -kRoundedTime && time <= length + kRoundedTime) return;
  const bool early = time < 0;
  warnings->push_back(
      fmt::format("the time {:g} s is outside the clip {}, which is {:.4g} s long; its {} ({:.4g} s) is used", time,
                  played.name.empty() ? fmt::format("{}", index) : "'" + played.name + "'", length,
                  early ? "start" : "end", early ? 0 : length));
}

Pose clipPoseOf(const Character& character, std::string_view clip, double time, std::vector<std::string>* warnings) {
  Pose pose = clipPose(character, clip, time);
  warnOutside(character, clip, time, warnings);
  return pose;
}

/// Suggestions for an unknown pose: a clip, `rest`, or a file with a similar name.
std::string nearestPose(std::string_view word, const Character& character) {
  namespace fs = std::filesystem;
  std::vector<std::string> names{"rest"};
  for (const Clip& clip : character.clips) {
    if (!clip.name.empty()) names.push_back(clip.name + "@0");
    if (clip.name == word) return fmt::format("{}@0", word);
  }
  const fs::path path(word);
  std::error_code fault;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  constexpr int kMostFiles = 1000;
  int seen = 0;
  for (fs::directory_iterator entry(folder, fault), end; !fault && entry != end && seen < kMostFiles;
       entry.increment(fault), ++seen) {
    if (entry->path().extension() == ".json")
      names.push_back((path.has_parent_path() ? entry->path() : entry->path().filename()).string());
  }
  std::sort(names.begin(), names.end());  // folders have no order of their own
  return nearestName(word, names);
}

/// Where the pose starts: a clip at a time, or rest.
Pose startOf(const text::HandJson& value, const Character& character, const std::string& where,
             std::vector<std::string>* warnings) {
  if (!value.contains("clip") && !value.contains("time")) return restPose(character);
  if (!value.contains("clip") || !value.contains("time"))
    text::refuseJson(where, "the pose has only one of 'clip' and 'time'; give both");
  const text::HandJson& clip = value["clip"];
  if (!clip.is_string() && !clip.is_number_unsigned())
    text::refuseJson(where, fmt::format("'clip' must be a name or an index, not {}", clip.dump().substr(0, 40)));
  try {
    const std::size_t before = warnings == nullptr ? 0 : warnings->size();
    Pose pose =
        clipPoseOf(character, clip.is_string() ? clip.get<std::string>() : fmt::format("{}", clip.get<std::uint64_t>()),
                   text::numberOf(value["time"], "'time'", where), warnings);
    for (std::size_t i = before; warnings != nullptr && i < warnings->size(); ++i)
      (*warnings)[i] = fmt::format("{}: {}", where, (*warnings)[i]);
    return pose;
  } catch (const Error& error) {
    throw error.in(where);
  }
}

Pose readPoseFile(const std::filesystem::path& path, const Character& character, std::vector<std::string>* warnings) {
  const std::string where = path.string();
  return text::poseFromJson(text::parseHandJson(readFile(path), where, "a pose file"), character, where, warnings);
}

/// The name, or "#" and the number if the name is empty, ambiguous or not valid in JSON.
std::string quotedKey(std::size_t index, std::span<const std::string> names) {
  const bool unique = std::count(names.begin(), names.end(), names[index]) == 1;
  if (unique && !names[index].empty()) {
    try {
      return text::HandJson(names[index]).dump();
    } catch (const text::HandJson::type_error&) {
      // Not UTF-8: the number names it all the same.
    }
  }
  return fmt::format("\"#{}\"", index);
}

template <class Vector>
text::HandJson listOf(const Vector& vector) {
  return std::vector<double>(vector.data(), vector.data() + vector.size());
}

}  // namespace

Pose text::poseFromJson(const text::HandJson& value, const Character& character, const std::string& where,
                        std::vector<std::string>* warnings) {
  text::checkObject(value, {"joints", "morphs", "clip", "time"}, "the pose", where);
  Pose pose = startOf(value, character, where, warnings);
  if (value.contains("joints")) {
    if (!value["joints"].is_object()) text::refuseJson(where, "'joints' must be an object with joint names as keys");
    const std::vector<std::string> names = jointNames(character.skeleton);
    for (const auto& [key, entry] : value["joints"].items()) {
      const std::size_t joint = jointOf(key, names, where);
      applyJoint(key, entry, character.skeleton[static_cast<int>(joint)].rest, pose.local[joint], where);
    }
  }
  if (value.contains("morphs")) {
    if (!value["morphs"].is_object())
      text::refuseJson(where, "'morphs' must be an object with names as keys and weights as values");
    const std::vector<std::string> names = morphNames(character);
    for (const auto& [key, weight] : value["morphs"].items()) {
      const std::vector<std::size_t> found = namedBy(key, names);
      if (found.empty()) refuseName("morph target", key, names, where);
      // Parts of one mesh repeat its morph targets under the same name: all of them move.
      for (const std::size_t morph : found)
        pose.morphWeights[morph] = text::numberOf(weight, fmt::format("morph target '{}'", key), where);
    }
  }
  return pose;
}

Pose readPose(std::string_view fileOrClip, const Character& character, std::vector<std::string>* warnings) {
  const std::filesystem::path path(fileOrClip);
  std::error_code fault;
  if (std::filesystem::exists(path, fault)) return readPoseFile(path, character, warnings);
  if (fileOrClip == "rest") return restPose(character);
  // A clip's name may contain an @, so the last one counts.
  const std::size_t at = fileOrClip.rfind('@');
  if (at == std::string_view::npos) {
    const std::string nearest = nearestPose(fileOrClip, character);
    throw Error(ErrorCode::NotFound,
                fmt::format("there is no such pose; give a pose file (.json), CLIP@SECONDS or rest{}",
                            nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)),
                std::string(fileOrClip));
  }
  const auto seconds = text::parseDouble(fileOrClip.substr(at + 1));
  if (!seconds || !std::isfinite(*seconds)) {
    throw Error(ErrorCode::BadInput,
                fmt::format("'{}' is not a time; write CLIP@SECONDS, as in walk@0.4", fileOrClip.substr(at + 1)),
                std::string(fileOrClip));
  }
  try {
    return clipPoseOf(character, fileOrClip.substr(0, at), *seconds, warnings);
  } catch (const Error& error) {
    throw error.in(std::string(fileOrClip));
  }
}

std::string poseToText(const Character& character, const Pose& pose) {
  const auto count = toSize(character.skeleton.size());
  if (pose.local.size() != count || pose.morphWeights.size() != character.morphs.size()) {
    throw Error(ErrorCode::BadInput,
                fmt::format("the pose has {} joints and {} morph weights, the character {} and {}", pose.local.size(),
                            pose.morphWeights.size(), count, character.morphs.size()));
  }
  std::vector<std::string> lines;
  const std::vector<std::string> joints = jointNames(character.skeleton);
  for (std::size_t j = 0; j < count; ++j) {
    const LocalTransform& rest = character.skeleton[static_cast<int>(j)].rest;
    const LocalTransform& local = pose.local[j];
    text::HandJson entry = text::HandJson::object();
    if (local.rotation.coeffs() != rest.rotation.coeffs()) entry["rotation"] = listOf(local.rotation.coeffs());
    if (local.translation != rest.translation) entry["translation"] = listOf(local.translation);
    if (local.scale != rest.scale) entry["scale"] = listOf(local.scale);
    if (!entry.empty()) lines.push_back(fmt::format("    {}: {}", quotedKey(j, joints), entry.dump()));
  }
  std::string text =
      lines.empty() ? "{\n  \"joints\": {}" : fmt::format("{{\n  \"joints\": {{\n{}\n  }}", fmt::join(lines, ",\n"));
  lines.clear();
  const std::vector<std::string> morphs = morphNames(character);
  for (std::size_t m = 0; m < morphs.size(); ++m) {
    if (pose.morphWeights[m] == character.morphs[m].defaultWeight) continue;
    lines.push_back(fmt::format("    {}: {}", quotedKey(m, morphs), text::HandJson(pose.morphWeights[m]).dump()));
  }
  if (!lines.empty()) text += fmt::format(",\n  \"morphs\": {{\n{}\n  }}", fmt::join(lines, ",\n"));
  return text + "\n}\n";
}

void writePose(const std::filesystem::path& path, const Character& character, const Pose& pose) {
  writeFile(path, poseToText(character, pose));
}

}  // namespace sinew
