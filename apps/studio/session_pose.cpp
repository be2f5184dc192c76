// The mode Pose: joints, saved poses, clips, mirrors, and how many poses are seen at once.
#include <fmt/format.h>

#include <algorithm>

#include "session.h"
#include "sinew/base/error.h"
#include "sinew/character/mirror.h"

namespace sinew::studio {
namespace {

std::uint32_t viewOf(Session& session, const Json& args) {
  session.requireDocument();
  const auto view = args.value("view", 0u);
  if (view >= session.document().views.size())
    throw CommandFault("bad-input", fmt::format("there is no view {}", view));
  return view;
}

void commitPose(Session& session, std::uint32_t view, Pose pose, const std::string& name) {
  const Pose& before = session.document().views[view];
  session.commit({name, {PoseChange{view, before, std::move(pose)}}});
}

Json resetCommand(Session& session, const Json& args) {
  const std::uint32_t view = viewOf(session, args);
  const Document& document = session.document();
  const Pose rest = restPose(document.file.character);
  if (!args.contains("joint")) {
    commitPose(session, view, rest, "Reset the pose");
    return Json::object();
  }
  const auto joint = args.at("joint").get<std::size_t>();
  Pose pose = document.views[view];
  if (joint >= pose.local.size()) throw CommandFault("bad-input", fmt::format("there is no joint {}", joint));
  pose.local[joint] = rest.local[joint];
  commitPose(session, view, std::move(pose),
             fmt::format("Reset {}", document.file.character.skeleton[static_cast<int>(joint)].name));
  return Json::object();
}

Json clipCommand(Session& session, const Json& args) {
  const std::uint32_t view = viewOf(session, args);
  const Character& character = session.document().file.character;
  const auto clip = args.at("clip").get<std::size_t>();
  if (clip >= character.clips.size()) throw CommandFault("bad-input", fmt::format("there is no clip {}", clip));
  Pose pose = restPose(character);
  sampleClip(character.clips[clip], args.at("time").get<double>(), pose);
  if (args.value("live", false)) {
    session.document().views[view] = std::move(pose);
    session.sendFrame();
  } else {
    commitPose(session, view, std::move(pose), fmt::format("Go to {:.2f} s", args.at("time").get<double>()));
  }
  return Json::object();
}

Json mirrorCommand(Session& session, const Json& args) {
  const std::uint32_t view = viewOf(session, args);
  const Document& document = session.document();
  const MirrorMap map = findMirror(document.file.character);
  commitPose(session, view, mirrorPose(document.file.character, map, document.views[view]), "Mirror the pose");
  return {{"sentence", map.report.sentence}};
}

Json savePoseCommand(Session& session, const Json& args) {
  const std::uint32_t view = viewOf(session, args);
  const auto name = args.at("name").get<std::string>();
  std::vector<SavedPose> poses = session.document().savedPoses;
  const auto same =
      std::find_if(poses.begin(), poses.end(), [&](const SavedPose& saved) { return saved.name == name; });
  const Pose& pose = session.document().views[view];
  if (same != poses.end()) {
    same->pose = pose;
  } else {
    poses.push_back({name, pose});
  }
  session.commit(
      {fmt::format("Save pose {}", name), {SavedPosesChange{session.document().savedPoses, std::move(poses)}}});
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
                                   : savedPose(session.document().savedPoses, name)->pose;
  commitPose(session, view, pose, fmt::format("Go to pose {}", name));
  return Json::object();
}

Json deletePoseCommand(Session& session, const Json& args) {
  session.requireDocument();
  const auto name = args.at("name").get<std::string>();
  std::vector<SavedPose> poses = session.document().savedPoses;
  poses.erase(savedPose(poses, name));
  session.commit(
      {fmt::format("Delete pose {}", name), {SavedPosesChange{session.document().savedPoses, std::move(poses)}}});
  return Json::object();
}

/// How many poses are seen side by side: a setting, not a step of undo.
Json viewsCommand(Session& session, const Json& args) {
  session.requireDocument();
  const auto count = args.at("count").get<std::size_t>();
  if (count < 1 || count > kMostViews)
    throw CommandFault("bad-input", fmt::format("{} views; between 1 and {} are possible", count, kMostViews));
  std::vector<Pose>& views = session.document().views;
  while (views.size() < count) views.push_back(views.back());
  session.sendEvent("views", {{"count", count}});
  session.sendFrame();
  return Json::object();
}

constexpr SessionCommand kCommands[] = {
    {"pose.reset", resetCommand},   {"pose.clip", clipCommand},       {"pose.mirror", mirrorCommand},
    {"pose.save", savePoseCommand}, {"pose.apply", applyPoseCommand}, {"pose.delete", deletePoseCommand},
    {"views", viewsCommand},
};

}  // namespace

std::span<const SessionCommand> poseCommands() {
  return kCommands;
}

}  // namespace sinew::studio
