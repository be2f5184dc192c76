// Made by web/scripts/make_protocol.mjs from apps/studio/protocol.json; do not edit.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "studio/answers.h"
#include "studio/messages.h"

// clang-format off
namespace sinew::studio::wire {

enum class CommandKind {
  Edit,     ///< cancels a gesture in progress first
  Look,     ///< changes nothing: gestures continue, and pages that were replaced may use it too
  Gesture,  ///< continues a gesture of several commands
};

/// What a command allows for a field.
struct FieldRule {
  bool required = true;
  std::span<const std::string_view> values = {};  ///< the words that it may be; empty: any
};

struct NoFields {
  template <class Self, class Visitor>
  static void visitFields(Self& /*m*/, Visitor&& /*visit*/) {}
};

// visitFields calls with the name of every field, the field and its rule. command_json.h reads and checks them.

/// The first message of a page.
struct HelloCommand {
  static constexpr std::string_view kName = "hello", kOwner = "session";
  static constexpr CommandKind kKind = CommandKind::Look;
  using Answer = HelloAnswer;
  std::string token{};  ///< from the page's address; compared before anything else is read
  std::uint32_t protocol = 0;
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("token", m.token, FieldRule{.required = false}); visit("protocol", m.protocol, FieldRule{.required = false}); }
};

struct UndoCommand : NoFields {
  static constexpr std::string_view kName = "undo", kOwner = "session";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
};

struct RedoCommand : NoFields {
  static constexpr std::string_view kName = "redo", kOwner = "session";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
};

struct HistoryJumpCommand {
  static constexpr std::string_view kName = "history.jump", kOwner = "session";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  std::uint32_t depth{};  ///< steps that are done afterwards
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("depth", m.depth, FieldRule{}); }
};

struct HistoryListCommand : NoFields {
  static constexpr std::string_view kName = "history.list", kOwner = "session";
  static constexpr CommandKind kKind = CommandKind::Look;
  using Answer = HistoryListAnswer;
};

/// Sends the frames of all views again.
struct FrameCommand : NoFields {
  static constexpr std::string_view kName = "frame", kOwner = "session";
  static constexpr CommandKind kKind = CommandKind::Look;
  using Answer = void;
};

struct JobCancelCommand {
  static constexpr std::string_view kName = "job.cancel", kOwner = "session";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  std::uint32_t job{};
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("job", m.job, FieldRule{}); }
};

/// Answers with a job, or with a question; with neither, the document is open already.
struct OpenCommand {
  static constexpr std::string_view kName = "open", kOwner = "session";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = OpenAnswer;
  static constexpr std::array<std::string_view, 3> kUnfinished{"ask", "continue", "discard"};
  std::string what{};  ///< a path below the root, sample:NAME, upload:NAME, or the name of a related document
  std::string unfinished = "ask";  ///< what becomes of unsaved steps
  std::vector<std::string> skip{};  ///< names of meshes of a folder to leave out
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("what", m.what, FieldRule{}); visit("unfinished", m.unfinished, FieldRule{.required = false, .values = kUnfinished}); visit("skip", m.skip, FieldRule{.required = false}); }
};

struct SamplesCommand : NoFields {
  static constexpr std::string_view kName = "samples", kOwner = "session";
  static constexpr CommandKind kKind = CommandKind::Look;
  using Answer = SamplesAnswer;
};

/// The folders, and the files that can be opened, in a folder below the root.
struct FilesCommand {
  static constexpr std::string_view kName = "files", kOwner = "session";
  static constexpr CommandKind kKind = CommandKind::Look;
  using Answer = FilesAnswer;
  std::string path = ".";  ///< of a folder
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("path", m.path, FieldRule{.required = false}); }
};

struct DescribeCommand : NoFields {
  static constexpr std::string_view kName = "describe", kOwner = "session";
  static constexpr CommandKind kKind = CommandKind::Look;
  using Answer = nlohmann::json;
};

struct SaveCommand {
  static constexpr std::string_view kName = "save", kOwner = "session";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = SaveAnswer;
  std::string path{};  ///< empty: the document's own file
  bool replace = false;
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("path", m.path, FieldRule{.required = false}); visit("replace", m.replace, FieldRule{.required = false}); }
};

struct PoseResetCommand {
  static constexpr std::string_view kName = "pose.reset", kOwner = "pose";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  std::uint32_t view = 0;
  std::optional<std::uint32_t> joint{};  ///< only this one
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("view", m.view, FieldRule{.required = false}); visit("joint", m.joint, FieldRule{.required = false}); }
};

/// Poses a view as a clip.
struct PoseClipCommand {
  static constexpr std::string_view kName = "pose.clip", kOwner = "pose";
  static constexpr CommandKind kKind = CommandKind::Gesture;
  using Answer = void;
  std::uint32_t view = 0;
  std::uint32_t clip{};
  double time{};  ///< seconds
  bool live = false;  ///< a preview, not a step
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("view", m.view, FieldRule{.required = false}); visit("clip", m.clip, FieldRule{}); visit("time", m.time, FieldRule{}); visit("live", m.live, FieldRule{.required = false}); }
};

struct PoseMirrorCommand {
  static constexpr std::string_view kName = "pose.mirror", kOwner = "pose";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = PoseMirrorAnswer;
  std::uint32_t view = 0;
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("view", m.view, FieldRule{.required = false}); }
};

struct PoseMirrorJointCommand {
  static constexpr std::string_view kName = "pose.mirrorJoint", kOwner = "pose";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  std::uint32_t view = 0;
  std::uint32_t joint{};  ///< its partner is posed as its mirror image
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("view", m.view, FieldRule{.required = false}); visit("joint", m.joint, FieldRule{}); }
};

struct PoseSaveCommand {
  static constexpr std::string_view kName = "pose.save", kOwner = "pose";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  std::uint32_t view = 0;
  std::string name{};
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("view", m.view, FieldRule{.required = false}); visit("name", m.name, FieldRule{}); }
};

struct PoseApplyCommand {
  static constexpr std::string_view kName = "pose.apply", kOwner = "pose";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  std::uint32_t view = 0;
  std::string name{};  ///< of a saved pose, or rest
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("view", m.view, FieldRule{.required = false}); visit("name", m.name, FieldRule{}); }
};

struct PoseDeleteCommand {
  static constexpr std::string_view kName = "pose.delete", kOwner = "pose";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  std::string name{};
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("name", m.name, FieldRule{}); }
};

/// Adds the pose of a view as a key.
struct PoseKeyCommand {
  static constexpr std::string_view kName = "pose.key", kOwner = "pose";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = PoseKeyAnswer;
  std::uint32_t view = 0;
  double time{};  ///< seconds
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("view", m.view, FieldRule{.required = false}); visit("time", m.time, FieldRule{}); }
};

/// Removes the key there, and the clip if it was its last.
struct PoseUnkeyCommand {
  static constexpr std::string_view kName = "pose.unkey", kOwner = "pose";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  double time{};  ///< seconds
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("time", m.time, FieldRule{}); }
};

/// Cancels a gesture, and nothing else.
struct PoseTakeBackCommand : NoFields {
  static constexpr std::string_view kName = "pose.takeBack", kOwner = "pose";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
};

/// The number of poses side by side: a setting, not a step.
struct ViewsCommand {
  static constexpr std::string_view kName = "views", kOwner = "pose";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  std::uint32_t count{};
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("count", m.count, FieldRule{}); }
};

struct WeightsLocksCommand {
  static constexpr std::string_view kName = "weights.locks", kOwner = "weights";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  std::vector<std::string> joints{};  ///< names of all that are locked
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("joints", m.joints, FieldRule{}); }
};

/// Sets one weight of a vertex and the others on its seam.
struct WeightsSetCommand {
  static constexpr std::string_view kName = "weights.set", kOwner = "weights";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  std::uint32_t vertex{};
  std::uint32_t binding{};
  double weight{};
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("vertex", m.vertex, FieldRule{}); visit("binding", m.binding, FieldRule{}); visit("weight", m.weight, FieldRule{}); }
};

/// Moves all unlocked weight to one joint.
struct WeightsAssignCommand {
  static constexpr std::string_view kName = "weights.assign", kOwner = "weights";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = WeightsAssignAnswer;
  std::vector<std::uint32_t> vertices{};
  std::int32_t joint{};
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("vertices", m.vertices, FieldRule{}); visit("joint", m.joint, FieldRule{}); }
};

/// Sends a Reach per view.
struct WeightsReachCommand {
  static constexpr std::string_view kName = "weights.reach", kOwner = "weights";
  static constexpr CommandKind kKind = CommandKind::Look;
  using Answer = void;
  std::uint32_t vertex{};
  std::uint32_t view{};
  bool negative = false;  ///< negative weights are allowed
  bool near = true;  ///< with joints near the vertex
  double radius = 0;  ///< of the soft selection, scene units
  bool volume = false;  ///< its distances are through space
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("vertex", m.vertex, FieldRule{}); visit("view", m.view, FieldRule{}); visit("negative", m.negative, FieldRule{.required = false}); visit("near", m.near, FieldRule{.required = false}); visit("radius", m.radius, FieldRule{.required = false}); visit("volume", m.volume, FieldRule{.required = false}); }
};

/// Preview of a soft selection.
struct WeightsSoftCommand {
  static constexpr std::string_view kName = "weights.soft", kOwner = "weights";
  static constexpr CommandKind kKind = CommandKind::Look;
  using Answer = WeightsSoftAnswer;
  std::vector<std::uint32_t> vertices{};  ///< that would be dragged
  std::uint32_t view{};
  double radius{};  ///< scene units
  std::string curve = "smooth";
  bool volume = false;  ///< distances through space, not along the surface
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("vertices", m.vertices, FieldRule{}); visit("view", m.view, FieldRule{}); visit("radius", m.radius, FieldRule{}); visit("curve", m.curve, FieldRule{.required = false, .values = kFalloffCurves}); visit("volume", m.volume, FieldRule{.required = false}); }
};

struct WeightsNormaliseCommand {
  static constexpr std::string_view kName = "weights.normalise", kOwner = "weights";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = WeightsNormaliseAnswer;
  std::vector<std::uint32_t> vertices{};  ///< none: all
  std::int32_t most = 0;  ///< influences that a vertex may have; 0: unlimited
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("vertices", m.vertices, FieldRule{.required = false}); visit("most", m.most, FieldRule{.required = false}); }
};

struct WeightsPruneCommand {
  static constexpr std::string_view kName = "weights.prune", kOwner = "weights";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = WeightsPruneAnswer;
  std::vector<std::uint32_t> vertices{};  ///< none: all
  std::int32_t most = 0;  ///< influences that a vertex may have; 0: unlimited
  double below = 0.01;
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("vertices", m.vertices, FieldRule{.required = false}); visit("most", m.most, FieldRule{.required = false}); visit("below", m.below, FieldRule{.required = false}); }
};

struct WeightsSmoothCommand {
  static constexpr std::string_view kName = "weights.smooth", kOwner = "weights";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = WeightsSmoothAnswer;
  std::vector<std::uint32_t> vertices{};  ///< none: all
  std::int32_t most = 0;  ///< influences that a vertex may have; 0: unlimited
  double amount = 0.5;
  std::int32_t times = 1;
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("vertices", m.vertices, FieldRule{.required = false}); visit("most", m.most, FieldRule{.required = false}); visit("amount", m.amount, FieldRule{.required = false}); visit("times", m.times, FieldRule{.required = false}); }
};

struct WeightsMirrorCommand {
  static constexpr std::string_view kName = "weights.mirror", kOwner = "weights";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = WeightsMirrorAnswer;
  static constexpr std::array<std::string_view, 2> kFrom{"above", "below"};
  std::vector<std::uint32_t> vertices{};  ///< none: all
  std::int32_t most = 0;  ///< influences that a vertex may have; 0: unlimited
  std::string axis = "auto";
  std::string from = "above";  ///< the side of the plane whose weights are copied
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("vertices", m.vertices, FieldRule{.required = false}); visit("most", m.most, FieldRule{.required = false}); visit("axis", m.axis, FieldRule{.required = false, .values = kMirrorPlanes}); visit("from", m.from, FieldRule{.required = false, .values = kFrom}); }
};

struct HandlesLearnCommand {
  static constexpr std::string_view kName = "handles.learn", kOwner = "handles";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = HandlesLearnAnswer;
  std::int32_t controls = 0;  ///< 0: as many as the examples need
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("controls", m.controls, FieldRule{.required = false}); }
};

struct HandlesPlaceCommand {
  static constexpr std::string_view kName = "handles.place", kOwner = "handles";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = HandlesPlaceAnswer;
  std::uint32_t vertex{};
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("vertex", m.vertex, FieldRule{}); }
};

struct HandlesRemoveCommand {
  static constexpr std::string_view kName = "handles.remove", kOwner = "handles";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  std::uint32_t handle{};
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("handle", m.handle, FieldRule{}); }
};

struct HandlesPinCommand {
  static constexpr std::string_view kName = "handles.pin", kOwner = "handles";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  std::uint32_t handle{};
  bool pinned{};
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("handle", m.handle, FieldRule{}); visit("pinned", m.pinned, FieldRule{}); }
};

/// Unpins all.
struct HandlesUnpinCommand : NoFields {
  static constexpr std::string_view kName = "handles.unpin", kOwner = "handles";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
};

struct HandlesMoveCommand {
  static constexpr std::string_view kName = "handles.move", kOwner = "handles";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  std::uint32_t handle{};
  std::array<double, 3> target{};
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("handle", m.handle, FieldRule{}); visit("target", m.target, FieldRule{}); }
};

/// The rest shape; handles stay on their vertices.
struct HandlesResetCommand : NoFields {
  static constexpr std::string_view kName = "handles.reset", kOwner = "handles";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
};

struct HandlesStrengthCommand {
  static constexpr std::string_view kName = "handles.strength", kOwner = "handles";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  std::uint32_t handle{};
  double strength{};  ///< 0: exact
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("handle", m.handle, FieldRule{}); visit("strength", m.strength, FieldRule{}); }
};

/// Adds the pose as a key.
struct HandlesKeyCommand {
  static constexpr std::string_view kName = "handles.key", kOwner = "handles";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  double time{};  ///< seconds
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("time", m.time, FieldRule{}); }
};

struct HandlesGotoCommand {
  static constexpr std::string_view kName = "handles.goto", kOwner = "handles";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  std::uint32_t key{};
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("key", m.key, FieldRule{}); }
};

struct HandlesUnkeyCommand {
  static constexpr std::string_view kName = "handles.unkey", kOwner = "handles";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  std::uint32_t key{};
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("key", m.key, FieldRule{}); }
};

struct HandlesMoveKeyCommand {
  static constexpr std::string_view kName = "handles.moveKey", kOwner = "handles";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  std::uint32_t key{};
  double time{};  ///< seconds
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("key", m.key, FieldRule{}); visit("time", m.time, FieldRule{}); }
};

struct HandlesEaseCommand {
  static constexpr std::string_view kName = "handles.ease", kOwner = "handles";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  bool smooth{};  ///< of all keys: eased, or linear
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("smooth", m.smooth, FieldRule{}); }
};

/// Shows a time between the keys.
struct HandlesShowCommand {
  static constexpr std::string_view kName = "handles.show", kOwner = "handles";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  double time{};  ///< seconds
  bool keep = false;  ///< becomes the pose of the handles, a step
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("time", m.time, FieldRule{}); visit("keep", m.keep, FieldRule{.required = false}); }
};

struct HandlesExportCommand {
  static constexpr std::string_view kName = "handles.export", kOwner = "handles";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = HandlesExportAnswer;
  std::string path{};
  bool replace = false;
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("path", m.path, FieldRule{}); visit("replace", m.replace, FieldRule{.required = false}); }
};

struct BindCommand {
  static constexpr std::string_view kName = "bind", kOwner = "bind";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = BindAnswer;
  std::string skeleton{};  ///< a file with joints
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("skeleton", m.skeleton, FieldRule{}); }
};

/// Replaces the examples by those of an examples file.
struct ExamplesOpenCommand {
  static constexpr std::string_view kName = "examples.open", kOwner = "correct";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = ExamplesOpenAnswer;
  std::string path{};  ///< of an examples.json below the root; empty: those that the document offers
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("path", m.path, FieldRule{.required = false}); }
};

/// Writes the examples: examples.json, poses and meshes.
struct ExamplesSaveCommand {
  static constexpr std::string_view kName = "examples.save", kOwner = "correct";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = ExamplesSaveAnswer;
  std::string path{};  ///< of a folder, or of an examples file (.json) in it
  bool replace = false;
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("path", m.path, FieldRule{}); visit("replace", m.replace, FieldRule{.required = false}); }
};

/// Adds a corrected mesh as the example at the pose of a view.
struct ExamplesImportCommand {
  static constexpr std::string_view kName = "examples.import", kOwner = "correct";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = ExamplesImportAnswer;
  std::uint32_t view = 0;
  std::string path{};  ///< of a mesh below the root
  std::string name{};  ///< empty: the name of the file
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("view", m.view, FieldRule{.required = false}); visit("path", m.path, FieldRule{}); visit("name", m.name, FieldRule{.required = false}); }
};

/// Adds what a view shows as an example at its pose; an example of that name is replaced.
struct ExamplesAddCommand {
  static constexpr std::string_view kName = "examples.add", kOwner = "correct";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  std::uint32_t view = 0;
  std::string name{};
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("view", m.view, FieldRule{.required = false}); visit("name", m.name, FieldRule{}); }
};

struct ExamplesRenameCommand {
  static constexpr std::string_view kName = "examples.rename", kOwner = "correct";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  std::uint32_t example{};
  std::string name{};
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("example", m.example, FieldRule{}); visit("name", m.name, FieldRule{}); }
};

struct ExamplesRemoveCommand {
  static constexpr std::string_view kName = "examples.remove", kOwner = "correct";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  std::uint32_t example{};
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("example", m.example, FieldRule{}); }
};

struct ExamplesReorderCommand {
  static constexpr std::string_view kName = "examples.reorder", kOwner = "correct";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  std::uint32_t example{};
  std::uint32_t to{};  ///< its new number
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("example", m.example, FieldRule{}); visit("to", m.to, FieldRule{}); }
};

/// Sets the drivers of the pose space.
struct ExamplesDriversCommand {
  static constexpr std::string_view kName = "examples.drivers", kOwner = "correct";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  std::vector<std::string> joints{};  ///< or morph targets; none: chosen from what the examples move
  std::vector<double> weights{};  ///< of each: how much it counts
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("joints", m.joints, FieldRule{}); visit("weights", m.weights, FieldRule{}); }
};

/// Poses a view as an example.
struct ExamplesGotoCommand {
  static constexpr std::string_view kName = "examples.goto", kOwner = "correct";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  std::uint32_t view = 0;
  std::uint32_t example{};
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("view", m.view, FieldRule{.required = false}); visit("example", m.example, FieldRule{}); }
};

/// The options of learning.
struct CorrectFieldsCommand : NoFields {
  static constexpr std::string_view kName = "correct.fields", kOwner = "correct";
  static constexpr CommandKind kKind = CommandKind::Look;
  using Answer = CorrectFieldsAnswer;
};

/// Learns from the examples in the background, instead of what is being learned; `learned` tells the result.
struct CorrectLearnCommand {
  static constexpr std::string_view kName = "correct.learn", kOwner = "correct";
  static constexpr CommandKind kKind = CommandKind::Gesture;
  using Answer = CorrectLearnAnswer;
  std::vector<std::string> names{};  ///< of options that are not at their default
  std::vector<std::string> values{};  ///< of each
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("names", m.names, FieldRule{.required = false}); visit("values", m.values, FieldRule{.required = false}); }
};

/// Learns, and gives the character what was learned.
struct CorrectKeepCommand {
  static constexpr std::string_view kName = "correct.keep", kOwner = "correct";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = CorrectKeepAnswer;
  std::vector<std::string> names{};  ///< as in correct.learn
  std::vector<std::string> values{};
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("names", m.names, FieldRule{.required = false}); visit("values", m.values, FieldRule{.required = false}); }
};

/// What the views show: a setting, not a step.
struct CorrectShowCommand {
  static constexpr std::string_view kName = "correct.show", kOwner = "correct";
  static constexpr CommandKind kKind = CommandKind::Gesture;
  using Answer = void;
  std::vector<std::string> shows{};  ///< per view: document, plain, model, result (the sculpt, or else the model) or target (the example at this pose, or else the result); missing: document
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("shows", m.shows, FieldRule{}); }
};

/// Three views of one pose, or as many as before in their own poses: a setting, not a step.
struct CorrectCompareCommand {
  static constexpr std::string_view kName = "correct.compare", kOwner = "correct";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  bool on{};
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("on", m.on, FieldRule{}); }
};

/// Poses a view between two examples.
struct CorrectScrubCommand {
  static constexpr std::string_view kName = "correct.scrub", kOwner = "correct";
  static constexpr CommandKind kKind = CommandKind::Gesture;
  using Answer = void;
  std::uint32_t view = 0;
  std::int32_t from{};  ///< an example; -1: rest
  std::int32_t to{};
  double t{};  ///< 0 to 1
  bool live = false;  ///< a preview, not a step
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("view", m.view, FieldRule{.required = false}); visit("from", m.from, FieldRule{}); visit("to", m.to, FieldRule{}); visit("t", m.t, FieldRule{}); visit("live", m.live, FieldRule{.required = false}); }
};

/// How the examples count between two of them.
struct CorrectCurvesCommand {
  static constexpr std::string_view kName = "correct.curves", kOwner = "correct";
  static constexpr CommandKind kKind = CommandKind::Look;
  using Answer = CorrectCurvesAnswer;
  std::int32_t from{};  ///< an example; -1: rest
  std::int32_t to{};
  std::uint32_t steps{};
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("from", m.from, FieldRule{}); visit("to", m.to, FieldRule{}); visit("steps", m.steps, FieldRule{}); }
};

/// Poses a view as the model suggests to sculpt next.
struct CorrectHintCommand {
  static constexpr std::string_view kName = "correct.hint", kOwner = "correct";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  std::uint32_t view = 0;
  std::uint32_t hint{};
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("view", m.view, FieldRule{.required = false}); visit("hint", m.hint, FieldRule{}); }
};

/// Discards the sculpt in progress.
struct CorrectDropSculptCommand : NoFields {
  static constexpr std::string_view kName = "correct.dropSculpt", kOwner = "correct";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
};

/// Poses a view as the sculpt in progress.
struct CorrectGotoSculptCommand {
  static constexpr std::string_view kName = "correct.gotoSculpt", kOwner = "correct";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  std::uint32_t view = 0;
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("view", m.view, FieldRule{.required = false}); }
};

/// Shows an example as the model reconstructs it; handles move along.
struct HandlesExampleCommand {
  static constexpr std::string_view kName = "handles.example", kOwner = "handles";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  std::uint32_t example{};
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("example", m.example, FieldRule{}); }
};

/// What the document has that a file may hold.
struct ExportContentCommand : NoFields {
  static constexpr std::string_view kName = "export.content", kOwner = "export";
  static constexpr CommandKind kKind = CommandKind::Look;
  using Answer = ExportContentAnswer;
};

/// Sets the options, and starts a job that prepares the file in memory: an exportPlan follows.
struct ExportPlanCommand {
  static constexpr std::string_view kName = "export.plan", kOwner = "export";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = ExportPlanAnswer;
  static constexpr std::array<std::string_view, 3> kWeights{"f32", "u16", "u8"};
  static constexpr std::array<std::string_view, 3> kMethod{"auto", "svd", "knots"};
  std::string extension = ".glb";
  std::uint32_t influences = 0;  ///< per vertex at most; 0: all
  std::string weights = "f32";  ///< storage of skin weights
  double fps = 30;  ///< least rate of baked keys
  bool skin = true;
  bool helpers = true;
  bool correctives = true;
  std::string method = "auto";
  std::uint32_t morphs = 0;  ///< morph targets per mesh at most; 0: automatic
  bool quantize = false;  ///< learned morph targets in 16 bits
  bool normals = true;  ///< learned morph targets with normals
  std::vector<std::uint32_t> withoutClips{};  ///< clips of the document that are left out
  bool poses = true;  ///< saved poses, also as a clip
  bool examples = false;  ///< a clip that visits the examples
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("extension", m.extension, FieldRule{.required = false}); visit("influences", m.influences, FieldRule{.required = false}); visit("weights", m.weights, FieldRule{.required = false, .values = kWeights}); visit("fps", m.fps, FieldRule{.required = false}); visit("skin", m.skin, FieldRule{.required = false}); visit("helpers", m.helpers, FieldRule{.required = false}); visit("correctives", m.correctives, FieldRule{.required = false}); visit("method", m.method, FieldRule{.required = false, .values = kMethod}); visit("morphs", m.morphs, FieldRule{.required = false}); visit("quantize", m.quantize, FieldRule{.required = false}); visit("normals", m.normals, FieldRule{.required = false}); visit("withoutClips", m.withoutClips, FieldRule{.required = false}); visit("poses", m.poses, FieldRule{.required = false}); visit("examples", m.examples, FieldRule{.required = false}); }
};

/// The vertices that a limit of influences changes, of the last plan.
struct ExportInfluencesCommand {
  static constexpr std::string_view kName = "export.influences", kOwner = "export";
  static constexpr CommandKind kKind = CommandKind::Look;
  using Answer = ExportInfluencesAnswer;
  std::uint32_t most{};
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("most", m.most, FieldRule{}); }
};

/// Starts a job that writes the file with the options of the last plan, reads it again and compares: an exportWritten follows.
struct ExportWriteCommand {
  static constexpr std::string_view kName = "export.write", kOwner = "export";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = ExportWriteAnswer;
  std::string path{};
  bool replace = false;
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("path", m.path, FieldRule{}); visit("replace", m.replace, FieldRule{.required = false}); }
};

/// Sends an ExportFrame now and with every frame of the view, until it is told otherwise.
struct ExportCompareCommand {
  static constexpr std::string_view kName = "export.compare", kOwner = "export";
  static constexpr CommandKind kKind = CommandKind::Gesture;
  using Answer = void;
  std::uint32_t view = 0;
  bool shown{};
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("view", m.view, FieldRule{.required = false}); visit("shown", m.shown, FieldRule{}); }
};

/// Poses the view and the re-read file as a clip of the file, until another command.
struct ExportPlayCommand {
  static constexpr std::string_view kName = "export.play", kOwner = "export";
  static constexpr CommandKind kKind = CommandKind::Gesture;
  using Answer = void;
  std::uint32_t clip{};  ///< of exportWritten
  double time{};  ///< seconds
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("clip", m.clip, FieldRule{}); visit("time", m.time, FieldRule{}); }
};

/// Ends export.play: the pose from before.
struct ExportStopCommand : NoFields {
  static constexpr std::string_view kName = "export.stop", kOwner = "export";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
};

/// How far a vertex of the re-read file is from the document in the shown pose.
struct ExportVertexCommand {
  static constexpr std::string_view kName = "export.vertex", kOwner = "export";
  static constexpr CommandKind kKind = CommandKind::Look;
  using Answer = ExportVertexAnswer;
  std::uint32_t vertex{};
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("vertex", m.vertex, FieldRule{}); }
};

/// Sets the weight of a morph target.
struct PoseMorphCommand {
  static constexpr std::string_view kName = "pose.morph", kOwner = "pose";
  static constexpr CommandKind kKind = CommandKind::Gesture;
  using Answer = void;
  std::uint32_t view = 0;
  std::uint32_t morph{};
  double weight{};
  bool live = false;  ///< a preview, not a step
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("view", m.view, FieldRule{.required = false}); visit("morph", m.morph, FieldRule{}); visit("weight", m.weight, FieldRule{}); visit("live", m.live, FieldRule{.required = false}); }
};

/// Poses a view as another one.
struct PoseCopyCommand {
  static constexpr std::string_view kName = "pose.copy", kOwner = "pose";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
  std::uint32_t view = 0;
  std::uint32_t from{};  ///< the other view
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("view", m.view, FieldRule{.required = false}); visit("from", m.from, FieldRule{}); }
};

/// The materials of the file.
struct ViewMaterialsCommand : NoFields {
  static constexpr std::string_view kName = "view.materials", kOwner = "view";
  static constexpr CommandKind kKind = CommandKind::Look;
  using Answer = ViewMaterialsAnswer;
};

struct FitStateCommand : NoFields {
  static constexpr std::string_view kName = "fit.state", kOwner = "fit";
  static constexpr CommandKind kKind = CommandKind::Look;
  using Answer = nlohmann::json;
};

/// The options of a fit, from the library.
struct FitFieldsCommand : NoFields {
  static constexpr std::string_view kName = "fit.fields", kOwner = "fit";
  static constexpr CommandKind kKind = CommandKind::Look;
  using Answer = FitFieldsAnswer;
};

/// Fits the skin to the examples. The result is a preview.
struct FitStartCommand {
  static constexpr std::string_view kName = "fit.start", kOwner = "fit";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = FitStartAnswer;
  bool weights = true;  ///< false: weights stay as they are
  std::string helpers = "none";  ///< kinds of helper joints that may be added
  std::int32_t maxHelpers = -1;  ///< -1: unlimited
  bool rest = false;
  std::int32_t maxInfluences = 4;
  double smooth = 0;
  std::string prior = "auto";
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("weights", m.weights, FieldRule{.required = false}); visit("helpers", m.helpers, FieldRule{.required = false}); visit("maxHelpers", m.maxHelpers, FieldRule{.required = false}); visit("rest", m.rest, FieldRule{.required = false}); visit("maxInfluences", m.maxInfluences, FieldRule{.required = false}); visit("smooth", m.smooth, FieldRule{.required = false}); visit("prior", m.prior, FieldRule{.required = false}); }
};

/// Learns the best skin within a budget. What is left out is not limited.
struct FitLearnCommand {
  static constexpr std::string_view kName = "fit.learn", kOwner = "fit";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = FitLearnAnswer;
  std::optional<std::int32_t> influences{};
  std::optional<std::int32_t> helpers{};
  std::optional<std::int32_t> morphs{};
  std::optional<double> kilobytes{};  ///< that the skin may add to the saved file
  bool rest = true;  ///< may also move rest vertices
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("influences", m.influences, FieldRule{.required = false}); visit("helpers", m.helpers, FieldRule{.required = false}); visit("morphs", m.morphs, FieldRule{.required = false}); visit("kilobytes", m.kilobytes, FieldRule{.required = false}); visit("rest", m.rest, FieldRule{.required = false}); }
};

/// How much of the error each technique removes.
struct FitExplainCommand {
  static constexpr std::string_view kName = "fit.explain", kOwner = "fit";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = FitExplainAnswer;
  std::int32_t maxInfluences = 4;
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("maxInfluences", m.maxInfluences, FieldRule{.required = false}); }
};

/// Errors of all vertices at an example, before and after.
struct FitErrorsCommand {
  static constexpr std::string_view kName = "fit.errors", kOwner = "fit";
  static constexpr CommandKind kKind = CommandKind::Look;
  using Answer = FitErrorsAnswer;
  std::uint32_t example{};
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("example", m.example, FieldRule{}); }
};

/// Sends FitFrame for a view.
struct FitShowCommand {
  static constexpr std::string_view kName = "fit.show", kOwner = "fit";
  static constexpr CommandKind kKind = CommandKind::Look;
  using Answer = void;
  std::uint32_t view = 0;
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit("view", m.view, FieldRule{.required = false}); }
};

/// The result replaces the character, as a step.
struct FitKeepCommand : NoFields {
  static constexpr std::string_view kName = "fit.keep", kOwner = "fit";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
};

struct FitDiscardCommand : NoFields {
  static constexpr std::string_view kName = "fit.discard", kOwner = "fit";
  static constexpr CommandKind kKind = CommandKind::Edit;
  using Answer = void;
};

using Commands = std::tuple<HelloCommand, UndoCommand, RedoCommand, HistoryJumpCommand, HistoryListCommand, FrameCommand, JobCancelCommand, OpenCommand, SamplesCommand, FilesCommand, DescribeCommand, SaveCommand, PoseResetCommand, PoseClipCommand, PoseMirrorCommand, PoseMirrorJointCommand, PoseSaveCommand, PoseApplyCommand, PoseDeleteCommand, PoseKeyCommand, PoseUnkeyCommand, PoseTakeBackCommand, ViewsCommand, WeightsLocksCommand, WeightsSetCommand, WeightsAssignCommand, WeightsReachCommand, WeightsSoftCommand, WeightsNormaliseCommand, WeightsPruneCommand, WeightsSmoothCommand, WeightsMirrorCommand, HandlesLearnCommand, HandlesPlaceCommand, HandlesRemoveCommand, HandlesPinCommand, HandlesUnpinCommand, HandlesMoveCommand, HandlesResetCommand, HandlesStrengthCommand, HandlesKeyCommand, HandlesGotoCommand, HandlesUnkeyCommand, HandlesMoveKeyCommand, HandlesEaseCommand, HandlesShowCommand, HandlesExportCommand, BindCommand, ExamplesOpenCommand, ExamplesSaveCommand, ExamplesImportCommand, ExamplesAddCommand, ExamplesRenameCommand, ExamplesRemoveCommand, ExamplesReorderCommand, ExamplesDriversCommand, ExamplesGotoCommand, CorrectFieldsCommand, CorrectLearnCommand, CorrectKeepCommand, CorrectShowCommand, CorrectCompareCommand, CorrectScrubCommand, CorrectCurvesCommand, CorrectHintCommand, CorrectDropSculptCommand, CorrectGotoSculptCommand, HandlesExampleCommand, ExportContentCommand, ExportPlanCommand, ExportInfluencesCommand, ExportWriteCommand, ExportCompareCommand, ExportPlayCommand, ExportStopCommand, ExportVertexCommand, PoseMorphCommand, PoseCopyCommand, ViewMaterialsCommand, FitStateCommand, FitFieldsCommand, FitStartCommand, FitLearnCommand, FitExplainCommand, FitErrorsCommand, FitShowCommand, FitKeepCommand, FitDiscardCommand>;

}  // namespace sinew::studio::wire
// clang-format on
