// What the studio edits: a character, the poses in its views, handles and keys. Every change is a named Edit that can
// be undone; nothing else writes to a document.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sinew/character/character.h"
#include "sinew/io/formats.h"
#include "studio/bounds.h"
#include "studio/document/examples.h"

namespace sinew::studio {

inline constexpr std::size_t kMostViews = 4;

/// A vertex that poses a reduced model.
struct HandleState {
  std::uint32_t vertex = 0;
  Vec3 target = Vec3::Zero();  ///< in the space of the input meshes
  bool pinned = false;
  double strength = 0;  ///< 0: exact
  friend bool operator==(const HandleState&, const HandleState&) = default;
};

/// Handles, and the control transforms solved for them.
struct HandlesState {
  std::vector<HandleState> handles;
  std::vector<Affine> controls;      ///< empty: the rest
  std::vector<double> weights = {};  ///< of the examples, the start of the next solve; empty: not known
  Quat turn = Quat::Identity();      ///< of the whole shape
};

/// A pose of a reduced model on the timeline.
struct KeyState {
  double time = 0;  ///< seconds
  HandlesState state;
  bool smooth = false;  ///< eases in and out towards the next key
};

/// Columns of the skin before and after. Vertices ascend.
struct WeightsChange {
  std::vector<std::uint32_t> vertices;
  std::vector<std::vector<Influence>> before;
  std::vector<std::vector<Influence>> after;
};
/// Euler angles in degrees x, y, z (Rz Ry Rx, from the rest) by joint, as they were typed: one rotation has many such
/// angles. An entry is valid only while the joint has this rotation.
using JointAngles = std::map<std::uint32_t, std::array<double, 3>>;
struct PoseChange {
  std::uint32_t view = 0;
  Pose before;
  Pose after;
  JointAngles anglesBefore = {};
  JointAngles anglesAfter = {};
};
struct SavedPosesChange {
  std::vector<SavedPose> before;
  std::vector<SavedPose> after;
};
struct LocksChange {
  std::vector<std::string> before;  ///< names of locked joints
  std::vector<std::string> after;
};
struct HandlesChange {
  HandlesState before;
  HandlesState after;
};
struct KeysChange {
  std::vector<KeyState> before;
  std::vector<KeyState> after;
};
/// A clip of the character, added, changed or removed.
struct ClipChange {
  std::size_t index = 0;       ///< among the character's clips
  std::optional<Clip> before;  ///< none: it did not exist
  std::optional<Clip> after;
};
/// Replaces the whole character: initial weights, a learned model. Both versions are kept as files beside the journal.
struct CharacterChange {
  std::string before;  ///< file names of snapshots
  std::string after;
};
using Change = std::variant<WeightsChange, PoseChange, SavedPosesChange, LocksChange, HandlesChange, KeysChange,
                            ClipChange, CharacterChange, ExamplesChange>;

/// One step of undo.
struct Edit {
  std::string name;  ///< for the history list: "Drag 47 vertices"
  std::vector<Change> changes;
};

/// The state, without its history.
struct Document {
  std::string title;
  std::filesystem::path path;    ///< where it was opened from and is saved to; empty for samples and folders of meshes
  CharacterFile file;            ///< with the named poses
  std::vector<Pose> views = {};  ///< poses side by side, 1 to kMostViews
  std::array<JointAngles, kMostViews> angles = {};  ///< of the views
  std::vector<std::string> locks;
  HandlesState posed;  ///< of a reduced model
  std::vector<KeyState> keys;
  DocumentExamples examples;
};

/// Snapshots of whole characters and shapes of examples, by file name.
class Snapshots : public ExampleShapes {
 public:
  [[nodiscard]] virtual CharacterFile load(const std::string& name) const = 0;
};

/// An edit, forwards or backwards, prepared without touching the document: everything that can fail fails here and
/// leaves the document unchanged. Throws BadInput if the edit does not fit it.
class EditToApply {
 public:
  EditToApply(const Edit& edit, bool forwards, const Snapshots& snapshots, Document& document);
  ~EditToApply();
  EditToApply(const EditToApply&) = delete;
  EditToApply& operator=(const EditToApply&) = delete;
  /// Applies it. At most once, and before anything else changes the document.
  void apply() noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Prepares and applies: all of the edit, or nothing if it throws.
void applyEdit(const Edit& edit, bool forwards, const Snapshots& snapshots, Document& document);

/// The document's skin with some columns replaced, in the form of an edit.
SkinWeights replacedColumns(const SkinWeights& weights, const std::vector<std::uint32_t>& vertices,
                            const std::vector<std::vector<Influence>>& columns);

/// The undo history. Beyond `mostBytes` the oldest edits are dropped.
class History {
 public:
  explicit History(std::size_t mostBytes = kMostHistory) : mostBytes_(mostBytes) {}

  /// Reserves memory so that the next push cannot fail.
  void makeRoom();
  /// Drops undone edits. The returned reference is valid until the next call.
  const Edit& push(Edit edit);
  /// The edit that redo (forwards) or undo would return after `before` others; null if there is none.
  [[nodiscard]] const Edit* next(bool forwards, std::size_t before = 0) const;
  /// The edit to undo, or null; the caller applies it.
  const Edit* undo();
  const Edit* redo();
  [[nodiscard]] std::size_t depth() const { return done_; }
  [[nodiscard]] std::size_t redoDepth() const { return edits_.size() - done_; }
  /// Names from the oldest to the newest, undone ones too.
  [[nodiscard]] std::vector<std::string> names() const;
  void clear();

 private:
  std::vector<Edit> edits_;
  std::size_t done_ = 0;
  std::size_t bytes_ = 0;
  std::size_t mostBytes_;
};

/// Moves the document this many steps forward in its history, or back if negative. Throws BadInput if there are fewer.
Document jumped(const Document& document, const History& history, std::ptrdiff_t steps, const Snapshots& snapshots);

/// Whether all its numbers are finite: others cannot be stored.
bool isFinite(const Edit& edit);

/// The approximate memory of an edit in bytes.
std::size_t bytesOf(const Edit& edit);

}  // namespace sinew::studio
