// The mode Pose: joints, saved poses, clips, mirrors, and how many poses are seen at once.
#include <fmt/format.h>

#include <algorithm>

#include "sinew/base/error.h"
#include "sinew/character/mirror.h"
#include "studio/modes/pose/pose_keys.h"
#include "studio/session/session.h"

namespace sinew::studio {
namespace {

std::uint32_t viewOf(Session& session, const Json& args) {
  session.requireDocument();
  const auto view = args.value("view", 0u);
  if (view >= session.document().views.size())
    throw CommandFault("bad-input", fmt::format("there is no view {}", view));
  return view;
}

/// Poses that come from 32-bit numbers differ by this much from their mirror images.
constexpr double kSymmetric = 1e-6;

bool samePose(const Pose& a, const Pose& b, double tolerance) {
  const auto near = [tolerance](const auto& x, const auto& y) {
    return (x - y).cwiseAbs().maxCoeff() <= tolerance * (1 + y.cwiseAbs().maxCoeff());
  };
  return a.morphWeights == b.morphWeights &&
         std::equal(a.local.begin(), a.local.end(), b.local.begin(), b.local.end(),
                    [&](const LocalTransform& one, const LocalTransform& other) {
                      const double sign = one.rotation.dot(other.rotation) < 0 ? -1 : 1;
                      return near(one.translation, other.translation) && near(one.scale, other.scale) &&
                             near(one.rotation.coeffs(), Eigen::Vector4d(sign * other.rotation.coeffs()));
                    });
}

Json resetPoseCommand(Session& session, const Json& args) {
  const std::uint32_t view = viewOf(session, args);
  const Document& document = session.document();
  const Pose rest = restPose(document.file.character);
  if (!args.contains("joint")) {
    session.commitPose(view, rest, "Reset the pose");
    return Json::object();
  }
  const auto joint = args.at("joint").get<std::size_t>();
  Pose pose = document.views[view];
  if (joint >= pose.local.size()) throw CommandFault("bad-input", fmt::format("there is no joint {}", joint));
  pose.local[joint] = rest.local[joint];
  JointAngles angles = document.angles[view];
  angles.erase(static_cast<std::uint32_t>(joint));
  session.commitPose(view, std::move(pose),
                     fmt::format("Reset {}", document.file.character.skeleton[static_cast<int>(joint)].name),
                     std::move(angles));
  return Json::object();
}

Json clipCommand(Session& session, const Json& args) {
  const std::uint32_t view = viewOf(session, args);
  const Character& character = session.document().file.character;
  const auto clip = args.at("clip").get<std::size_t>();
  if (clip >= character.clips.size()) throw CommandFault("bad-input", fmt::format("there is no clip {}", clip));
  Pose pose = restPose(character);
  sampleClip(character.clips[clip], args.at("time").get<double>(), pose);
  const std::string name = fmt::format("Go to {:.2f} s", args.at("time").get<double>());
  if (args.value("live", false)) {
    session.showPose(view, std::move(pose), name);
    session.sendPose(view);
  } else {
    session.commitPose(view, std::move(pose), name);
  }
  return Json::object();
}

Json mirrorCommand(Session& session, const Json& args) {
  const std::uint32_t view = viewOf(session, args);
  const Document& document = session.document();
  const MirrorMap& map = session.mirror();
  Pose mirrored = mirrorPose(document.file.character, map, document.views[view]);
  const bool changed = !samePose(mirrored, document.views[view], kSymmetric);
  if (changed) session.commitPose(view, std::move(mirrored), "Mirror the pose");
  return {{"sentence", map.report.sentence}, {"changed", changed}};
}

Json savePoseCommand(Session& session, const Json& args) {
  const std::uint32_t view = viewOf(session, args);
  const auto name = args.at("name").get<std::string>();
  std::vector<SavedPose> poses = session.document().file.poses;
  const auto same =
      std::find_if(poses.begin(), poses.end(), [&](const SavedPose& saved) { return saved.name == name; });
  const Pose& pose = session.document().views[view];
  if (same != poses.end()) {
    same->pose = pose;
  } else {
    poses.push_back({name, pose});
  }
  session.commit(
      {fmt::format("Save pose {}", name), {SavedPosesChange{session.document().file.poses, std::move(poses)}}});
  return Json::object();
}

std::vector<SavedPose>::const_iterator savedPose(const std::vector<SavedPose>& poses, const std::string& name) {
  const auto found =
      std::find_if(poses.begin(), poses.end(), [&](const SavedPose& saved) { return saved.name == name; });
  if (found == poses.end()) throw CommandFault("not-found", fmt::format("there is no pose '{}'", name));
  return found;
}

Json applyPoseCommand(Session& session, const Json& args) {
  const std::uint32_t view = viewOf(session, args);
  const auto name = args.at("name").get<std::string>();
  const Pose pose = name == "rest" ? restPose(session.document().file.character)
                                   : savedPose(session.document().file.poses, name)->pose;
  session.commitPose(view, pose, fmt::format("Go to pose {}", name));
  return Json::object();
}

Json deletePoseCommand(Session& session, const Json& args) {
  session.requireDocument();
  const auto name = args.at("name").get<std::string>();
  std::vector<SavedPose> poses = session.document().file.poses;
  poses.erase(savedPose(poses, name));
  session.commit(
      {fmt::format("Delete pose {}", name), {SavedPosesChange{session.document().file.poses, std::move(poses)}}});
  return Json::object();
}

/// Beyond this a typed time is a slip.
constexpr double kLongestSeconds = 3600;

double momentOf(const Json& args) {
  const auto time = args.at("time").get<double>();
  if (!(time >= 0 && time <= kLongestSeconds))
    throw CommandFault("bad-input", fmt::format("{} s is not between 0 and {} s", time, kLongestSeconds));
  return time;
}

/// {"view", "time"}: the pose becomes a key. Answers with the clip that has it.
Json keyCommand(Session& session, const Json& args) {
  const std::uint32_t view = viewOf(session, args);
  const double time = momentOf(args);
  const Character& character = session.document().file.character;
  if (character.skeleton.empty()) throw CommandFault("bad-input", "there are no joints to key");
  const auto found = keyedClip(character);
  const std::size_t index = found.value_or(character.clips.size());
  const std::optional<Clip> before = found ? std::optional(character.clips[index]) : std::nullopt;
  Clip clip = before.value_or(Clip{keyedClipName(character), {}});
  setKey(character, session.document().views[view], time, clip);
  session.commit({fmt::format("Key at {:.2f} s", time), {ClipChange{index, before, std::move(clip)}}});
  return {{"clip", index}};
}

/// {"time"}: the key there is removed, with the last one its clip.
Json unkeyCommand(Session& session, const Json& args) {
  session.requireDocument();
  const double time = momentOf(args);
  const Character& character = session.document().file.character;
  const auto found = keyedClip(character);
  std::optional<Clip> after = found ? std::optional(character.clips[*found]) : std::nullopt;
  if (!after || !removeKey(time, *after))
    throw CommandFault("not-found", fmt::format("there is no key at {:.2f} s", time));
  if (after->channels.empty()) after.reset();
  session.commit({fmt::format("Remove the key at {:.2f} s", time),
                  {ClipChange{*found, character.clips[*found], std::move(after)}}});
  return Json::object();
}

/// How many poses are seen side by side: a setting, not a step of undo.
Json viewsCommand(Session& session, const Json& args) {
  session.requireDocument();
  const auto count = args.at("count").get<std::size_t>();
  if (count < 1 || count > kMostViews)
    throw CommandFault("bad-input", fmt::format("{} views; between 1 and {} are possible", count, kMostViews));
  session.dropLivePose();
  std::vector<Pose>& views = session.document().views;
  const std::size_t had = views.size();
  views.resize(count, Pose(views.back()));
  for (std::size_t view = had; view < count; ++view)
    session.document().angles[view] = session.document().angles[had - 1];
  session.sendEvent("views", {{"count", count}});
  for (std::uint32_t view = 0; view < count; ++view) session.sendPose(view);
  session.sendFrame();
  return Json::object();
}

/// A gesture is not wanted. Every command ends what is under way (see runCommand); this one does nothing else.
Json takeBackCommand(Session& session, const Json& /*args*/) {
  session.requireDocument();
  return Json::object();
}

constexpr SessionCommand kPoseCommands[] = {
    {"pose.reset", resetPoseCommand},   {"pose.clip", clipCommand},       {"pose.mirror", mirrorCommand},
    {"pose.save", savePoseCommand},     {"pose.apply", applyPoseCommand}, {"pose.delete", deletePoseCommand},
    {"pose.key", keyCommand},           {"pose.unkey", unkeyCommand},     {"views", viewsCommand},
    {"pose.takeBack", takeBackCommand},
};

}  // namespace

std::span<const SessionCommand> poseCommands() {
  return kPoseCommands;
}

void Session::showPose(std::uint32_t view, Pose pose, const std::string& name) {
  if (livePose_ && livePose_->view != view) dropLivePose();
  Pose& shown = document_.views[view];
  if (!livePose_) livePose_ = {view, shown, {}};
  livePose_->name = name;
  shown = std::move(pose);
  sendFrame();
}

void Session::commitPose(std::uint32_t view, Pose pose, const std::string& name, JointAngles angles) {
  dropLivePose();
  commit({name, {PoseChange{view, document_.views[view], std::move(pose), document_.angles[view], std::move(angles)}}});
}

void Session::dropLivePose() {
  if (!livePose_) return;
  if (livePose_->view < document_.views.size()) document_.views[livePose_->view] = std::move(livePose_->before);
  livePose_.reset();
}

void Session::sendPose(std::uint32_t view) {
  sendEvent("pose", {{"view", view},
                     {"count", document_.views.size()},
                     {"pose", toJson(document_.views[view])},
                     {"angles", toJson(document_.angles[view])}});
}

void Session::setPose(const wire::PoseSet& set) {
  requireDocument();
  const std::size_t n = set.joints.size();
  if (set.view >= document_.views.size() || set.rotations.size() != 4 * n || set.translations.size() != 3 * n ||
      set.scales.size() != 3 * n || (!set.angles.empty() && set.angles.size() != 3 * n))
    throw CommandFault("malformed", "a pose does not fit its view or its joints");
  Pose pose = document_.views[set.view];
  JointAngles angles = document_.angles[set.view];
  for (std::size_t i = 0; i < n; ++i) {
    if (set.joints[i] >= pose.local.size()) throw CommandFault("malformed", "a pose names a joint that is not there");
    LocalTransform& local = pose.local[set.joints[i]];
    const float* q = set.rotations.data() + 4 * i;
    const float* t = set.translations.data() + 3 * i;
    const float* s = set.scales.data() + 3 * i;
    const Quat rotation(q[3], q[0], q[1], q[2]);
    if (!(rotation.norm() > 1e-6)) throw CommandFault("malformed", "a rotation is no quaternion");
    local.rotation = rotation.normalized();
    local.translation = Vec3(t[0], t[1], t[2]);
    local.scale = Vec3(s[0], s[1], s[2]);
    if (!local.parentFromJoint().matrix().allFinite()) throw CommandFault("malformed", "a pose is not finite");
    if (set.angles.empty()) {
      angles.erase(set.joints[i]);
    } else {
      const float* a = set.angles.data() + 3 * i;
      angles[set.joints[i]] = {a[0], a[1], a[2]};
    }
  }
  const Skeleton& skeleton = document_.file.character.skeleton;
  const std::string name = n == 1 ? fmt::format("Pose {}", skeleton[static_cast<int>(set.joints[0])].name)
                                  : fmt::format("Pose {} joints", n);
  if (set.live != 0) return showPose(set.view, std::move(pose), name);
  commitPose(set.view, std::move(pose), name, std::move(angles));
}

}  // namespace sinew::studio
