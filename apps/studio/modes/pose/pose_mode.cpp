#include "studio/modes/pose/pose_mode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/types.h"
#include "studio/modes/checks.h"
#include "studio/modes/pose/pose_keys.h"

namespace sinew::studio::pose {
namespace {

/// The tolerance for mirror images of poses that come from 32-bit numbers.
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

std::vector<SavedPose>::const_iterator savedPose(const std::vector<SavedPose>& poses, const std::string& name) {
  const auto found =
      std::find_if(poses.begin(), poses.end(), [&](const SavedPose& saved) { return saved.name == name; });
  if (found == poses.end()) throw CommandFault("not-found", fmt::format("there is no pose '{}'", name));
  return found;
}

void addJoint(std::uint32_t joint, const Pose& pose, wire::Followers& message) {
  const LocalTransform& local = pose.local[joint];
  message.joints.push_back(joint);
  for (const double x : local.rotation.coeffs()) message.rotations.push_back(static_cast<float>(x));
  for (const double x : local.translation) message.translations.push_back(static_cast<float>(x));
  for (const double x : local.scale) message.scales.push_back(static_cast<float>(x));
}

/// The largest plausible typed time.
constexpr double kLongestSeconds = 3600;

void checkMoment(double time) {
  if (!(time >= 0 && time <= kLongestSeconds))
    throw CommandFault("bad-input", fmt::format("{} s is not between 0 and {} s", time, kLongestSeconds));
}

}  // namespace

std::span<const CommandRow> PoseMode::commands() const {
  static constexpr CommandRow kCommands[] = {
      command<&PoseMode::reset>(),       command<&PoseMode::showClip>(), command<&PoseMode::mirror>(),
      command<&PoseMode::mirrorJoint>(), command<&PoseMode::save>(),     command<&PoseMode::apply>(),
      command<&PoseMode::remove>(),      command<&PoseMode::key>(),      command<&PoseMode::unkey>(),
      command<&PoseMode::takeBack>(),    command<&PoseMode::setViews>(), command<&PoseMode::setMorph>(),
      command<&PoseMode::copy>(),
  };
  return kCommands;
}

bool PoseMode::receive(const wire::PageMessage& message) {
  const auto* set = std::get_if<wire::PoseSet>(&message);
  if (set == nullptr) return false;
  setPose(*set);
  return true;
}

void PoseMode::opened(const std::shared_ptr<const void>& /*prepared*/) {
  mirrors_.clear();
}

void PoseMode::edited(const Edit& edit) noexcept {
  for (const Change& change : edit.changes) {
    if (std::holds_alternative<CharacterChange>(change)) mirrors_.clear();
  }
}

int PoseMode::mirrorTo(std::size_t joint, Pose& pose) {
  const Character& character = context_.document().file.character;
  if (mirrors_.empty()) mirrors_ = jointMirrors(character, context_.mirror(MirrorAxis::Auto));
  const JointMirror& mirror = mirrors_[joint];
  if (mirror.partner < 0) return -1;
  const LocalTransform& local = pose.local[joint];
  const LocalTransform& from = character.skeleton[static_cast<int>(joint)].rest;
  const LocalTransform& to = character.skeleton[mirror.partner].rest;
  LocalTransform& partner = pose.local[toSize(mirror.partner)];
  partner.rotation = (mirror.above * local.rotation * mirror.own.conjugate()).normalized();
  partner.translation = to.translation - mirror.above * (local.translation - from.translation);
  for (int i = 0; i < 3; ++i)
    partner.scale[i] = to.scale[i] * local.scale[i] / (from.scale[i] == 0 ? 1 : from.scale[i]);
  return mirror.partner;
}

void PoseMode::settle() {
  if (!live_) return;
  const std::uint32_t view = live_->view;
  dropLive();
  context_.sendPose(view);
  context_.sendView(view);
}

void PoseMode::keepGesture() {
  if (!live_) return;
  const Document& document = context_.document();
  const std::uint32_t view = live_->view;
  const std::string name = live_->name;
  if (view < document.views.size()) commitPose(view, Pose(document.views[view]), name, document.angles[view]);
}

void PoseMode::show(std::uint32_t view, Pose pose, const std::string& name) {
  if (live_ && live_->view != view) dropLive();
  if (!live_) live_ = {view, context_.document().views[view], {}};
  live_->name = name;
  context_.showPose(view, std::move(pose));
  context_.sendView(view);
}

void PoseMode::dropLive() {
  if (!live_) return;
  if (live_->view < context_.document().views.size()) context_.showPose(live_->view, std::move(live_->before));
  live_.reset();
}

void PoseMode::commitPose(std::uint32_t view, Pose pose, const std::string& name, JointAngles angles) {
  dropLive();
  const Document& document = context_.document();
  context_.commit(
      {name, {PoseChange{view, document.views[view], std::move(pose), document.angles[view], std::move(angles)}}});
}

void PoseMode::reset(const wire::PoseResetCommand& asked) {
  const std::uint32_t view = checkedView(context_, asked.view);
  const Document& document = context_.document();
  const Pose rest = restPose(document.file.character);
  if (!asked.joint) {
    commitPose(view, rest, "Reset pose");
    return;
  }
  const std::uint32_t joint = *asked.joint;
  Pose pose = document.views[view];
  if (joint >= pose.local.size()) throw CommandFault("bad-input", fmt::format("there is no joint {}", joint));
  pose.local[joint] = rest.local[joint];
  JointAngles angles = document.angles[view];
  angles.erase(joint);
  commitPose(view, std::move(pose),
             fmt::format("Reset {}", document.file.character.skeleton[static_cast<int>(joint)].name),
             std::move(angles));
}

void PoseMode::showClip(const wire::PoseClipCommand& asked) {
  const std::uint32_t view = checkedView(context_, asked.view);
  context_.settleOthers(*this);
  const Character& character = context_.document().file.character;
  const std::size_t clip = asked.clip;
  if (clip >= character.clips.size()) throw CommandFault("bad-input", fmt::format("there is no clip {}", clip));
  Pose pose = restPose(character);
  sampleClip(character.clips[clip], asked.time, pose);
  const std::string name = fmt::format("Go to {:.2f} s", asked.time);
  if (asked.live) {
    show(view, std::move(pose), name);
    context_.sendPose(view);
  } else {
    commitPose(view, std::move(pose), name);
  }
}

wire::PoseMirrorAnswer PoseMode::mirror(const wire::PoseMirrorCommand& asked) {
  const std::uint32_t view = checkedView(context_, asked.view);
  const Document& document = context_.document();
  Pose mirrored = mirrorPose(document.file.character, context_.mirror(MirrorAxis::Auto), document.views[view]);
  const bool changed = !samePose(mirrored, document.views[view], kSymmetric);
  if (changed) commitPose(view, std::move(mirrored), "Mirror pose");
  return {.changed = changed};
}

void PoseMode::mirrorJoint(const wire::PoseMirrorJointCommand& asked) {
  const std::uint32_t view = checkedView(context_, asked.view);
  const Document& document = context_.document();
  const std::size_t joint = asked.joint;
  Pose pose = document.views[view];
  if (joint >= pose.local.size()) throw CommandFault("bad-input", fmt::format("there is no joint {}", joint));
  const int partner = mirrorTo(joint, pose);
  if (partner < 0) throw CommandFault("bad-input", fmt::format("joint {} has no partner on the other side", joint));
  JointAngles angles = document.angles[view];
  angles.erase(static_cast<std::uint32_t>(partner));
  commitPose(view, std::move(pose), fmt::format("Pose {}", document.file.character.skeleton[partner].name),
             std::move(angles));
}

void PoseMode::save(const wire::PoseSaveCommand& asked) {
  const std::uint32_t view = checkedView(context_, asked.view);
  const std::string& name = asked.name;
  std::vector<SavedPose> poses = context_.document().file.poses;
  const auto same =
      std::find_if(poses.begin(), poses.end(), [&](const SavedPose& saved) { return saved.name == name; });
  const Pose& pose = context_.document().views[view];
  if (same != poses.end()) {
    same->pose = pose;
  } else {
    poses.push_back({name, pose});
  }
  context_.commit(
      {fmt::format("Save pose {}", name), {SavedPosesChange{context_.document().file.poses, std::move(poses)}}});
}

void PoseMode::apply(const wire::PoseApplyCommand& asked) {
  const std::uint32_t view = checkedView(context_, asked.view);
  const std::string& name = asked.name;
  const Pose pose = name == "rest" ? restPose(context_.document().file.character)
                                   : savedPose(context_.document().file.poses, name)->pose;
  commitPose(view, pose, fmt::format("Go to pose {}", name));
}

void PoseMode::remove(const wire::PoseDeleteCommand& asked) {
  context_.requireDocument();
  const std::string& name = asked.name;
  std::vector<SavedPose> poses = context_.document().file.poses;
  poses.erase(savedPose(poses, name));
  context_.commit(
      {fmt::format("Delete pose {}", name), {SavedPosesChange{context_.document().file.poses, std::move(poses)}}});
}

wire::PoseKeyAnswer PoseMode::key(const wire::PoseKeyCommand& asked) {
  const std::uint32_t view = checkedView(context_, asked.view);
  const double time = asked.time;
  checkMoment(time);
  const Character& character = context_.document().file.character;
  if (character.skeleton.empty()) throw CommandFault("bad-input", "there are no joints to key");
  const auto found = keyedClip(character);
  const std::size_t index = found.value_or(character.clips.size());
  const std::optional<Clip> before = found ? std::optional(character.clips[index]) : std::nullopt;
  Clip clip = before.value_or(Clip{keyedClipName(character), {}});
  Pose pose = context_.document().views[view];
  // As drawn: morph targets that imitate learned corrections have their weights for the pose.
  if (!character.morphs.empty()) pose.morphWeights = context_.drawnViews()[view].morphWeights;
  setKey(character, pose, time, clip);
  context_.commit({fmt::format("Key at {:.2f} s", time), {ClipChange{index, before, std::move(clip)}}});
  return {.clip = static_cast<std::uint32_t>(index)};
}

void PoseMode::unkey(const wire::PoseUnkeyCommand& asked) {
  context_.requireDocument();
  const double time = asked.time;
  checkMoment(time);
  const Character& character = context_.document().file.character;
  const auto found = keyedClip(character);
  std::optional<Clip> after = found ? std::optional(character.clips[*found]) : std::nullopt;
  if (!after || !removeKey(time, *after))
    throw CommandFault("not-found", fmt::format("there is no key at {:.2f} s", time));
  if (after->channels.empty()) after.reset();
  context_.commit({fmt::format("Remove the key at {:.2f} s", time),
                   {ClipChange{*found, character.clips[*found], std::move(after)}}});
}

/// The number of poses side by side: a setting, not a step of undo.
void PoseMode::setViews(const wire::ViewsCommand& asked) {
  context_.requireDocument();
  const std::uint32_t count = asked.count;
  if (count < 1 || count > kMostViews)
    throw CommandFault("bad-input", fmt::format("{} views; between 1 and {} are possible", count, kMostViews));
  dropLive();
  context_.setViewCount(count);
  context_.tell(wire::ViewsEvent{.count = count});
  for (std::uint32_t view = 0; view < count; ++view) context_.sendPose(view);
  context_.sendViews();
}

/// Cancels a gesture. Every command does so (see runCommand); this one does nothing else.
void PoseMode::takeBack(const wire::PoseTakeBackCommand& /*asked*/) {
  context_.requireDocument();
}

void PoseMode::setMorph(const wire::PoseMorphCommand& asked) {
  const std::uint32_t view = checkedView(context_, asked.view);
  context_.settleOthers(*this);
  const Document& document = context_.document();
  const std::vector<MorphTarget>& morphs = document.file.character.morphs;
  if (asked.morph >= morphs.size())
    throw CommandFault("bad-input", fmt::format("there is no morph target {}", asked.morph));
  const std::string& name = morphs[asked.morph].name;
  const std::vector<int>& learned = document.file.poseSpaceMorphs.morphs;
  if (std::find(learned.begin(), learned.end(), static_cast<int>(asked.morph)) != learned.end())
    throw CommandFault("bad-input", fmt::format("the weight of '{}' follows the pose", name),
                       "It imitates a learned correction; pose the joints instead.");
  constexpr double kMostWeight = 1000;
  if (!(std::abs(asked.weight) <= kMostWeight))
    throw CommandFault("bad-input",
                       fmt::format("the weight {} is not between -{} and {}", asked.weight, kMostWeight, kMostWeight));
  Pose pose = document.views[view];
  pose.morphWeights.resize(morphs.size(), 0);
  pose.morphWeights[asked.morph] = asked.weight;
  const std::string step = fmt::format("Set morph target {}", name);
  if (asked.live) {
    show(view, std::move(pose), step);
    context_.sendPose(view);
  } else {
    commitPose(view, std::move(pose), step, JointAngles(document.angles[view]));
  }
}

void PoseMode::copy(const wire::PoseCopyCommand& asked) {
  const std::uint32_t view = checkedView(context_, asked.view);
  const std::uint32_t from = checkedView(context_, asked.from);
  const Document& document = context_.document();
  commitPose(view, Pose(document.views[from]), fmt::format("Copy pose {}", static_cast<char>('A' + from)),
             JointAngles(document.angles[from]));
}

void PoseMode::setPose(const wire::PoseSet& set) {
  context_.requireDocument();
  context_.settleOthers(*this);
  const Document& document = context_.document();
  const std::size_t n = set.joints.size();
  if (set.view >= document.views.size() || set.rotations.size() != 4 * n || set.translations.size() != 3 * n ||
      set.scales.size() != 3 * n || (!set.angles.empty() && set.angles.size() != 3 * n))
    throw CommandFault("malformed", "a pose does not fit its view or its joints");
  Pose pose = document.views[set.view];
  JointAngles angles = document.angles[set.view];
  for (std::size_t i = 0; i < n; ++i) {
    if (set.joints[i] >= pose.local.size()) throw CommandFault("malformed", "a pose names an unknown joint");
    LocalTransform& local = pose.local[set.joints[i]];
    const float* q = set.rotations.data() + 4 * i;
    const float* t = set.translations.data() + 3 * i;
    const float* s = set.scales.data() + 3 * i;
    const Quat rotation(q[3], q[0], q[1], q[2]);
    if (!(rotation.norm() > 1e-6)) throw CommandFault("malformed", "a rotation is not a quaternion");
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
  wire::Followers followers{.view = set.view};
  for (std::size_t i = 0; i < n && set.mirror != 0; ++i) {
    const int partner = mirrorTo(set.joints[i], pose);
    if (partner < 0) continue;
    angles.erase(static_cast<std::uint32_t>(partner));
    addJoint(static_cast<std::uint32_t>(partner), pose, followers);
  }
  const Skeleton& skeleton = document.file.character.skeleton;
  const std::size_t count = n + followers.joints.size();
  const std::string name = count == 1 ? fmt::format("Pose {}", skeleton[static_cast<int>(set.joints[0])].name)
                                      : fmt::format("Pose {} joints", count);
  if (set.live == 0) return commitPose(set.view, std::move(pose), name, std::move(angles));
  show(set.view, std::move(pose), name);
  if (!followers.joints.empty()) context_.send(followers);
}

}  // namespace sinew::studio::pose
