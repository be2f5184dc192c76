// Keys of the mode Handles: poses on a timeline, what lies between them, and the clip that is exported.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/deform/posing.h"
#include "sinew/io/files.h"
#include "sinew/io/gltf_memory.h"
#include "sinew/learn/reduced_clip.h"
#include "studio/session/describe.h"
#include "studio/session/session.h"

namespace sinew::studio {
namespace {

constexpr double kSameTime = 1e-6;
constexpr double kFramesPerSecond = 24;  ///< of what is sampled between smooth keys

void checkTime(double time) {
  if (!(time >= 0 && std::isfinite(time)))
    throw CommandFault("bad-input", fmt::format("a key at {} s; keys are at 0 or later", time));
}

std::size_t keyOf(Session& session, const Json& args) {
  session.requireDocument();
  const auto index = args.at("key").get<std::size_t>();
  if (index >= session.document().keys.size())
    throw CommandFault("bad-input", fmt::format("there is no key {}", index));
  return index;
}

void commitKeys(Session& session, const std::string& name, std::vector<KeyState> keys) {
  std::sort(keys.begin(), keys.end(), [](const KeyState& a, const KeyState& b) { return a.time < b.time; });
  session.commit({name, {KeysChange{session.document().keys, std::move(keys)}}});
}

Json keyHandlesCommand(Session& session, const Json& args) {
  const ReducedModel& model = session.ik().model();
  const auto time = args.at("time").get<double>();
  checkTime(time);
  std::vector<KeyState> keys = session.document().keys;
  KeyState key{time, session.document().posed, !keys.empty() && keys.back().smooth};
  if (key.state.controls.empty())
    key.state.controls.assign(static_cast<std::size_t>(model.controlCount()), Affine::Identity());
  std::erase_if(keys, [&](const KeyState& old) { return std::abs(old.time - time) < kSameTime; });
  keys.push_back(std::move(key));
  commitKeys(session, fmt::format("Key at {:.2f} s", time), std::move(keys));
  return Json::object();
}

Json goToKeyCommand(Session& session, const Json& args) {
  const std::size_t index = keyOf(session, args);
  session.commit({"Go to a key", {HandlesChange{session.document().posed, session.document().keys[index].state}}});
  return Json::object();
}

Json unkeyHandlesCommand(Session& session, const Json& args) {
  const std::size_t index = keyOf(session, args);
  std::vector<KeyState> keys = session.document().keys;
  keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(index));
  commitKeys(session, "Remove a key", std::move(keys));
  return Json::object();
}

Json moveKeyCommand(Session& session, const Json& args) {
  const std::size_t index = keyOf(session, args);
  const auto time = args.at("time").get<double>();
  checkTime(time);
  std::vector<KeyState> keys = session.document().keys;
  if (std::abs(keys[index].time - time) < kSameTime) return Json::object();
  for (const KeyState& other : keys) {
    if (std::abs(other.time - time) < kSameTime)
      throw CommandFault("bad-input", fmt::format("there is a key at {:.2f} s already", time),
                         "Move that one first, or delete it.");
  }
  const std::string name = fmt::format("Move a key from {:.2f} to {:.2f} s", keys[index].time, time);
  keys[index].time = time;
  commitKeys(session, name, std::move(keys));
  return Json::object();
}

Json easeCommand(Session& session, const Json& args) {
  session.requireDocument();
  const bool smooth = args.at("smooth").get<bool>();
  std::vector<KeyState> keys = session.document().keys;
  for (KeyState& key : keys) key.smooth = smooth;
  commitKeys(session, smooth ? "Smooth ways between keys" : "Straight ways between keys", std::move(keys));
  return Json::object();
}

/// How far along its way from 0 to 1: slow at both ends.
double eased(double u) {
  return u * u * (3 - 2 * u);
}

std::vector<double> valueOf(const ClipChannel& channel, const Pose& pose) {
  const LocalTransform& local = pose.local[static_cast<std::size_t>(channel.joint)];
  const Quat& q = local.rotation;
  if (channel.path == ClipPath::Rotation) return {q.x(), q.y(), q.z(), q.w()};
  const Vec3& v = channel.path == ClipPath::Translation ? local.translation : local.scale;
  return {v.x(), v.y(), v.z()};
}

/// glTF has no easing of poses as whole ways, so that ways are sampled: the same places, passed at other times.
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
      for (Index r = 0; r < channel.values.rows(); ++r)
        channel.values(r, static_cast<Index>(i)) = value[static_cast<std::size_t>(r)];
    }
  }
}

/// The pose at a time: the handles stay on their vertices, and are wanted where these are then.
HandlesState stateAt(Session& session, double seconds) {
  const Character& keyed = session.keyed();
  Pose pose = restPose(keyed);
  sampleClip(keyed.clips.front(), seconds, pose);
  PosedJoints posed;
  poseJoints(keyed, pose, posed);
  const auto nearer = [&](const KeyState& a, const KeyState& b) {
    return std::abs(a.time - seconds) < std::abs(b.time - seconds);
  };
  const std::vector<KeyState>& keys = session.document().keys;
  HandlesState state = std::min_element(keys.begin(), keys.end(), nearer)->state;
  state.controls = posed.worldFromRest;
  state.handles = session.document().posed.handles;
  for (HandleState& handle : state.handles)
    handle.target = placeOf(*session.document().file.reduced, state.controls, handle.vertex);
  return state;
}

/// Shows a time between the keys; with `keep` it becomes the pose of the handles.
Json showCommand(Session& session, const Json& args) {
  const auto seconds = args.at("time").get<double>();
  checkTime(seconds);
  HandlesState state = stateAt(session, seconds);
  if (args.value("keep", false)) {
    session.commit(
        {fmt::format("Go to {:.2f} s", seconds), {HandlesChange{session.document().posed, std::move(state)}}});
    return Json::object();
  }
  std::swap(state, session.document().posed);
  session.sendFrame();
  std::swap(state, session.document().posed);
  return Json::object();
}

/// How far the skin of a file that was read again is from the model, at the keys.
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

/// Files that the person did not mean are not replaced without a question.
void requireFree(Session& session, const std::filesystem::path& path) {
  std::error_code fault;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, fault))) return;
  const std::string name = path.filename().string();
  if (std::filesystem::equivalent(path, session.document().path, fault))
    throw CommandFault("open-document", fmt::format("{} is the open document", name),
                       "Choose another name. If it is replaced, the file has the clip alone.");
  throw CommandFault("exists", fmt::format("{} is there already", name), "Choose another name, or replace it.");
}

/// What readCharacter would give of the file. The buffers of a .gltf are not on disk yet, so a .glb stands for it.
CharacterFile readAgain(const GltfFiles& packed, const CharacterFile& file) {
  const auto& [path, bytes] = packed.files.front();
  if (path.extension() == ".glb") return readGltfFromMemory(bytes, path.parent_path(), path.stem().string());
  const GltfFiles whole = gltfToMemory(std::filesystem::path(path).replace_extension(".glb"), file);
  return readGltfFromMemory(whole.files.front().second, path.parent_path(), path.stem().string());
}

Json exportCommand(Session& session, const Json& args) {
  namespace fs = std::filesystem;
  CharacterFile file;
  file.character = session.keyed();
  file.reduced = session.document().file.reduced;
  const auto wanted = args.at("path").get<std::string>();
  if (wanted.starts_with("upload:")) throw CommandFault("bad-input", "a file that was dropped cannot be written to");
  const fs::path path = session.confined(wanted);
  if (path.extension() != ".glb" && path.extension() != ".gltf")
    throw CommandFault("bad-input", fmt::format("{} has no place for a clip", path.filename().string()),
                       "Give a name that ends in .glb or .gltf.");
  if (!args.value("replace", false)) requireFree(session, path);
  checkFolderWritable(path);
  const GltfFiles packed = gltfToMemory(path, file);
  // Read again before it gets its name: what is written is what is told.
  const double deviation =
      deviationOf(readAgain(packed, file).character, *file.reduced, session.document().keys) / session.space().diagonal;
  writeGltfFiles(packed);
  return {{"path", path.string()}, {"lost", packed.lost}, {"deviation", deviation}};
}

constexpr SessionCommand kHandleKeyCommands[] = {
    {"handles.key", keyHandlesCommand},  {"handles.goto", goToKeyCommand}, {"handles.unkey", unkeyHandlesCommand},
    {"handles.moveKey", moveKeyCommand}, {"handles.ease", easeCommand},    {"handles.show", showCommand},
    {"handles.export", exportCommand},
};

}  // namespace

const Character& Session::keyed() {
  const ReducedModel& model = ik().model();
  if (document_.keys.empty()) throw CommandFault("no-keys", "there are no keys yet", "Key a pose first.");
  if (!keyed_) {
    std::vector<KeyPose> keys;
    for (const KeyState& key : document_.keys) keys.push_back({key.time, key.state.controls});
    Character keyed = keyedCharacter(document_.file.character.mesh, model, keys, "keys").character;
    const Pose rest = restPose(keyed);
    if (std::any_of(document_.keys.begin(), document_.keys.end(), [](const KeyState& key) { return key.smooth; })) {
      for (Clip& clip : keyed.clips) easeClip(document_.keys, rest, clip);
    }
    keyed_ = std::make_unique<const Character>(std::move(keyed));
  }
  return *keyed_;
}

std::span<const SessionCommand> handleKeyCommands() {
  return kHandleKeyCommands;
}

}  // namespace sinew::studio
