// Keys of the mode Handles: poses on a timeline, interpolation between them, and export as a clip.
#include "studio/modes/handles/handles_mode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/deform/posing.h"
#include "sinew/io/files.h"
#include "sinew/io/gltf.h"
#include "sinew/learn/reduced_clip.h"
#include "studio/modes/checks.h"

namespace sinew::studio::handles {
namespace {

constexpr double kSameTime = 1e-6;
constexpr double kFramesPerSecond = 24;  ///< sampling rate between smooth keys

void checkTime(double time) {
  if (!(time >= 0 && std::isfinite(time)))
    throw CommandFault("bad-input", fmt::format("a key at {} s; keys are at 0 or later", time));
}

/// Smoothstep from 0 to 1.
double eased(double u) {
  return u * u * (3 - 2 * u);
}

std::vector<double> valueOf(const ClipChannel& channel, const Pose& pose) {
  const LocalTransform& local = pose.local[toSize(channel.joint)];
  const Quat& q = local.rotation;
  if (channel.path == ClipPath::Rotation) return {q.x(), q.y(), q.z(), q.w()};
  const Vec3& v = channel.path == ClipPath::Translation ? local.translation : local.scale;
  return {v.x(), v.y(), v.z()};
}

/// glTF cannot ease a motion as a whole, so eased motions are sampled: the same poses, at other times.
void easeClip(const std::vector<KeyState>& keys, const Pose& rest, Clip& clip) {
  std::vector<double> times;
  std::vector<Pose> poses;
  const auto add = [&](double time, double from) {
    times.push_back(time);
    poses.push_back(rest);
    sampleClip(clip, from, poses.back());
  };
  for (std::size_t k = 0; k < keys.size(); ++k) {
    add(keys[k].time, keys[k].time);
    if (k + 1 == keys.size() || !keys[k].smooth) continue;
    const double way = keys[k + 1].time - keys[k].time;
    const int steps = std::max(2, static_cast<int>(std::ceil(way * kFramesPerSecond)));
    for (int i = 1; i < steps; ++i)
      add(keys[k].time + way * i / steps, keys[k].time + way * eased(static_cast<double>(i) / steps));
  }
  for (ClipChannel& channel : clip.channels) {
    channel.times = times;
    channel.values.resize(channel.values.rows(), static_cast<Index>(times.size()));
    for (std::size_t i = 0; i < times.size(); ++i) {
      const std::vector<double> value = valueOf(channel, poses[i]);
      for (Index r = 0; r < channel.values.rows(); ++r) channel.values(r, static_cast<Index>(i)) = value[toSize(r)];
    }
  }
}

/// The largest distance, at the keys, between the skin of a file that was read back and the model.
double deviationOf(const Character& read, const ReducedModel& model, const std::vector<KeyState>& keys) {
  double most = 0;
  Points wanted(3, model.rest.cols());
  for (const KeyState& key : keys) {
    deformReduced(model, key.state.controls, wanted);
    Pose pose = restPose(read);
    sampleClip(read.clips.front(), key.time, pose);
    most = std::max(most, (posePoints(read, pose) - wanted).colwise().norm().maxCoeff());
  }
  return most;
}

/// What readCharacter would return for the file. The buffers of a .gltf are not on disk yet, so it is read as a .glb.
CharacterFile readAgain(const GltfFiles& packed, const CharacterFile& file) {
  const auto& [path, bytes] = packed.files.front();
  if (path.extension() == ".glb") return readGltfFromMemory(bytes, path.parent_path(), path.stem().string());
  const GltfFiles whole = gltfToMemory(std::filesystem::path(path).replace_extension(".glb"), file);
  return readGltfFromMemory(whole.files.front().second, path.parent_path(), path.stem().string());
}

}  // namespace

const Character& HandlesMode::keyed() {
  const ReducedModel& model = ik().model();
  const Document& document = context_.document();
  if (document.keys.empty()) throw CommandFault("no-keys", "there are no keys yet", "Key a pose first.");
  if (!keyed_) {
    std::vector<KeyPose> keys;
    for (const KeyState& key : document.keys) keys.push_back({key.time, key.state.controls});
    Character keyed = keyedCharacter(document.file.character.mesh, model, keys, "keys").character;
    const Pose rest = restPose(keyed);
    if (std::any_of(document.keys.begin(), document.keys.end(), [](const KeyState& key) { return key.smooth; })) {
      for (Clip& clip : keyed.clips) easeClip(document.keys, rest, clip);
    }
    keyed_ = std::make_unique<const Character>(std::move(keyed));
  }
  return *keyed_;
}

std::size_t HandlesMode::checkedKey(std::size_t index) const {
  context_.requireDocument();
  if (index >= context_.document().keys.size())
    throw CommandFault("bad-input", fmt::format("there is no key {}", index));
  return index;
}

void HandlesMode::commitKeys(const std::string& name, std::vector<KeyState> keys) {
  std::sort(keys.begin(), keys.end(), [](const KeyState& a, const KeyState& b) { return a.time < b.time; });
  context_.commit({name, {KeysChange{context_.document().keys, std::move(keys)}}});
}

void HandlesMode::addKey(const wire::HandlesKeyCommand& asked) {
  const ReducedModel& model = ik().model();
  const double time = asked.time;
  checkTime(time);
  std::vector<KeyState> keys = context_.document().keys;
  KeyState key{time, context_.document().posed, !keys.empty() && keys.back().smooth};
  if (key.state.controls.empty()) key.state.controls.assign(toSize(model.controlCount()), Affine::Identity());
  std::erase_if(keys, [&](const KeyState& old) { return std::abs(old.time - time) < kSameTime; });
  keys.push_back(std::move(key));
  commitKeys(fmt::format("Key at {:.2f} s", time), std::move(keys));
}

void HandlesMode::goToKey(const wire::HandlesGotoCommand& asked) {
  const std::size_t index = checkedKey(asked.key);
  context_.commit({"Go to a key", {HandlesChange{context_.document().posed, context_.document().keys[index].state}}});
}

void HandlesMode::removeKey(const wire::HandlesUnkeyCommand& asked) {
  const std::size_t index = checkedKey(asked.key);
  std::vector<KeyState> keys = context_.document().keys;
  keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(index));
  commitKeys("Remove a key", std::move(keys));
}

void HandlesMode::moveKey(const wire::HandlesMoveKeyCommand& asked) {
  const std::size_t index = checkedKey(asked.key);
  const double time = asked.time;
  checkTime(time);
  std::vector<KeyState> keys = context_.document().keys;
  if (std::abs(keys[index].time - time) < kSameTime) return;
  for (const KeyState& other : keys) {
    if (std::abs(other.time - time) < kSameTime)
      throw CommandFault("bad-input", fmt::format("there is a key at {:.2f} s already", time),
                         "Move that one first, or delete it.");
  }
  const std::string name = fmt::format("Move a key from {:.2f} to {:.2f} s", keys[index].time, time);
  keys[index].time = time;
  commitKeys(name, std::move(keys));
}

void HandlesMode::setEasing(const wire::HandlesEaseCommand& asked) {
  context_.requireDocument();
  const bool smooth = asked.smooth;
  std::vector<KeyState> keys = context_.document().keys;
  for (KeyState& key : keys) key.smooth = smooth;
  commitKeys(smooth ? "Ease keys" : "Linear keys", std::move(keys));
}

/// The pose at a time. The handles keep their vertices; their targets are the positions of these vertices at that time.
HandlesState HandlesMode::stateAt(double seconds) {
  const Character& clip = keyed();
  Pose pose = restPose(clip);
  sampleClip(clip.clips.front(), seconds, pose);
  PosedJoints posed;
  poseJoints(clip, pose, posed);
  const auto nearer = [&](const KeyState& a, const KeyState& b) {
    return std::abs(a.time - seconds) < std::abs(b.time - seconds);
  };
  const std::vector<KeyState>& keys = context_.document().keys;
  HandlesState state = std::min_element(keys.begin(), keys.end(), nearer)->state;
  state.controls = posed.worldFromRest;
  state.handles = context_.document().posed.handles;
  for (HandleState& handle : state.handles)
    handle.target = placeOf(*context_.document().file.reduced, state.controls, handle.vertex);
  return state;
}

/// Shows a time between the keys; with `keep` it becomes the pose of the handles.
void HandlesMode::showTime(const wire::HandlesShowCommand& asked) {
  const double seconds = asked.time;
  checkTime(seconds);
  HandlesState state = stateAt(seconds);
  if (asked.keep) {
    context_.commit(
        {fmt::format("Go to {:.2f} s", seconds), {HandlesChange{context_.document().posed, std::move(state)}}});
    return;
  }
  HandlesState before = context_.document().posed;
  context_.showHandles(std::move(state));
  context_.sendViews();
  context_.showHandles(std::move(before));
}

wire::HandlesExportAnswer HandlesMode::exportClip(const wire::HandlesExportCommand& asked) {
  namespace fs = std::filesystem;
  CharacterFile file;
  file.character = keyed();
  file.reduced = context_.document().file.reduced;
  if (asked.path.starts_with("upload:")) throw CommandFault("bad-input", "a dropped file cannot be written to");
  const fs::path path = context_.confined(asked.path);
  if (!isGltf(path))
    throw CommandFault("bad-input", fmt::format("{} cannot store a clip", path.filename().string()),
                       "Give a name that ends in .glb or .gltf.");
  if (!asked.replace) requireFree(context_, path, "the clip");
  checkFolderWritable(path);
  const GltfFiles packed = gltfToMemory(path, file);
  // Read back before it is renamed into place, so that the reported error is that of the file.
  const double deviation = deviationOf(readAgain(packed, file).character, *file.reduced, context_.document().keys) /
                           context_.space().diagonal;
  writeGltfFiles(packed);
  return {.path = path.string(), .deviation = deviation};
}

}  // namespace sinew::studio::handles
