// What the studio edits: a character, the poses it is seen in, handles and keys. Every change is an Edit with a name
// that can be undone; nothing else writes to a document.
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

namespace sinew::studio {

inline constexpr std::size_t kMostViews = 4;

/// A vertex by which a reduced model is posed.
struct HandleState {
  std::uint32_t vertex = 0;
  Vec3 target = Vec3::Zero();  ///< where it shall be, in the space of the input meshes
  bool pinned = false;
  double strength = 0;  ///< 0: exact
  friend bool operator==(const HandleState&, const HandleState&) = default;
};

/// Handles, and the control transforms that they led to.
struct HandlesState {
  std::vector<HandleState> handles;
  std::vector<Affine> controls;      ///< empty: the rest
  std::vector<double> weights = {};  ///< of the examples, where the solver goes on; empty: not known
  Quat turn = Quat::Identity();      ///< of the whole shape
};

/// A pose of a reduced model on the timeline.
struct KeyState {
  double time = 0;  ///< seconds
  HandlesState state;
  bool smooth = false;  ///< starts and ends its way to the next key gently
};

/// Columns of the skin before and after. Vertices ascend.
struct WeightsChange {
  std::vector<std::uint32_t> vertices;
  std::vector<std::vector<Influence>> before;
  std::vector<std::vector<Influence>> after;
};
/// Degrees x, y, z (Rz Ry Rx, from the rest) by joint, as they were asked for: a turn has many such angles. An entry
/// counts only while the joint is turned so.
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
  std::vector<std::string> before;  ///< names of joints whose weights stay
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
/// A clip of the character: made, changed or removed.
struct ClipChange {
  std::size_t index = 0;       ///< among the character's clips
  std::optional<Clip> before;  ///< none: it was not there
  std::optional<Clip> after;
};
/// The whole character is another one: first weights, a learned model. Both are kept as files beside the journal.
struct CharacterChange {
  std::string before;  ///< file names of snapshots
  std::string after;
};
using Change = std::variant<WeightsChange, PoseChange, SavedPosesChange, LocksChange, HandlesChange, KeysChange,
                            ClipChange, CharacterChange>;

/// One step of undo.
struct Edit {
  std::string name;  ///< for people: "Drag 47 vertices"
  std::vector<Change> changes;
};

/// The state, without its past.
struct Document {
  std::string title;
  std::filesystem::path path;    ///< where it came from and is saved to; empty for samples and folders of meshes
  CharacterFile file;            ///< with the poses that were saved under a name
  std::vector<Pose> views = {};  ///< poses seen side by side, 1 to kMostViews
  std::array<JointAngles, kMostViews> angles = {};  ///< of the views
  std::vector<std::string> locks;
  HandlesState posed;  ///< of a reduced model
  std::vector<KeyState> keys;
};

/// Snapshots of whole characters, by file name.
class Snapshots {
 public:
  virtual ~Snapshots() = default;
  [[nodiscard]] virtual CharacterFile load(const std::string& name) const = 0;
};

/// An edit, forwards or backwards, made ready beside the document: whatever can fail fails here, and then the document
/// is as it was. Throws BadInput where the edit does not fit it.
class EditToApply {
 public:
  EditToApply(const Edit& edit, bool forwards, const Snapshots& snapshots, Document& document);
  ~EditToApply();
  EditToApply(const EditToApply&) = delete;
  EditToApply& operator=(const EditToApply&) = delete;
  /// The document has it. At most once, and before anything else changes the document.
  void apply() noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Both at once: all of the edit, or, where it throws, nothing of it.
void applyEdit(const Edit& edit, bool forwards, const Snapshots& snapshots, Document& document);

/// The document's skin with some columns replaced; columns as an edit has them.
SkinWeights replacedColumns(const SkinWeights& weights, const std::vector<std::uint32_t>& vertices,
                            const std::vector<std::vector<Influence>>& columns);

/// Edits that were made, and how far they are undone. Beyond `mostBytes` the oldest are forgotten.
class History {
 public:
  explicit History(std::size_t mostBytes = kMostHistory) : mostBytes_(mostBytes) {}

  /// The next push needs no memory.
  void makeRoom();
  /// Forgets what was undone. Returns the edit where it lies now, until the next call.
  const Edit& push(Edit edit);
  /// The edit that redo (forwards) or undo would give, after `before` others; null where there is none.
  [[nodiscard]] const Edit* next(bool forwards, std::size_t before = 0) const;
  /// The edit to take back, or null; the caller applies it.
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

/// The document as many steps of its history on, or back where it is negative. Throws BadInput where there are less.
Document jumped(const Document& document, const History& history, std::ptrdiff_t steps, const Snapshots& snapshots);

/// Whether all its numbers are: others cannot be stored.
bool isFinite(const Edit& edit);

/// About how much memory an edit takes.
std::size_t bytesOf(const Edit& edit);

}  // namespace sinew::studio
