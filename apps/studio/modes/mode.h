// A mode of the studio, and all that it sees of the rest: a document to read, edits to commit, messages to send, jobs
// to start. A new mode is a folder beside this file and a row in modes.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sinew/base/progress.h"
#include "sinew/character/mirror.h"
#include "studio/document/document.h"
#include "studio/document/edit_json.h"
#include "studio/document/frame.h"
#include "studio/messages.h"

namespace sinew::studio {

/// A command that cannot be done: what the page shows.
struct CommandFault : std::runtime_error {
  CommandFault(std::string code_, const std::string& text, std::string hint_ = {})
      : std::runtime_error(text), code(std::move(code_)), hint(std::move(hint_)) {}
  std::string code;
  std::string hint;
};

/// What a solve took.
struct SolveCost {
  double milliseconds = 0;
  int iterations = 0;
  bool draft = false;  ///< the time budget ended it
};

/// The session as a mode sees it. Modes are called, and call it, on one thread.
class ModeContext {
 public:
  ModeContext() = default;
  virtual ~ModeContext() = default;
  ModeContext(const ModeContext&) = delete;
  ModeContext& operator=(const ModeContext&) = delete;

  // To read. The two that require throw a CommandFault that says what to do.
  [[nodiscard]] virtual const Document& document() const = 0;
  virtual void requireDocument() const = 0;
  virtual void requireSkin() const = 0;
  /// What was opened: {"title", "path", "kind", ...}.
  [[nodiscard]] virtual const Json& about() const = 0;
  [[nodiscard]] virtual const PageSpace& space() = 0;  ///< of the page, found once
  /// The poses of all views as they are drawn. With a linear blend and nothing else they give the points that the page
  /// shows: morph targets imitate what was learned.
  [[nodiscard]] virtual std::vector<Pose> drawnViews() = 0;
  /// Left and right of the character, found once: across x, y, z, or "auto". Throws where it is not symmetric.
  [[nodiscard]] virtual const MirrorMap& mirror(const std::string& axis) = 0;

  // To change. Where one throws, the document is what it was.
  /// A step of undo: kept on disk, applied, and told to the page. Takes back what is under way first.
  virtual void commit(Edit edit) = 0;
  /// The same for a character that takes the place of the document's.
  virtual void commitCharacter(const std::string& name, const CharacterFile& file) = 0;
  /// A model that was learned from the document opens beside it.
  virtual void openModel(const CharacterFile& model) = 0;
  /// Seen, not kept: whoever shows something puts it back, at the latest in Mode::settle or DragTarget::cancel.
  virtual void showPose(std::uint32_t view, Pose pose) = 0;
  virtual void showHandles(HandlesState state) = 0;
  /// How many poses are seen side by side: a setting, no step.
  virtual void setViewCount(std::size_t count) = 0;

  // To tell the page.
  virtual void send(const wire::ServerMessage& message) = 0;
  virtual void sendEvent(const std::string& event, Json body) = 0;
  virtual void sendView(std::uint32_t view) = 0;  ///< how it is drawn, as it is now
  virtual void sendViews() = 0;                   ///< of all of them
  /// Told with the answer to the message that is being dealt with.
  virtual void reportSolve(const SolveCost& cost) = 0;
  virtual void sendPose(std::uint32_t view) = 0;  ///< its joints
  /// Keeps bulk data for the page to fetch. Returns its name.
  virtual std::string putBlob(Bytes bytes) = 0;

  // Files and jobs.
  /// A file name of the page below the root; throws a CommandFault for those outside.
  [[nodiscard]] virtual std::filesystem::path confined(const std::string& path) const = 0;
  [[nodiscard]] virtual FileRules rulesFor(const std::filesystem::path& path) const = 0;  ///< how it is read
  [[nodiscard]] virtual Index sampleVertices() const = 0;  ///< of built-in characters; 0: their own number
  /// A free name for a file that is removed again.
  [[nodiscard]] virtual std::filesystem::path scratchFile(const std::string& extension) = 0;
  using JobWork = std::function<void(const Progress&)>;
  /// `same`: the document is still the one that was open at the start. Returns a sentence for people; what it throws
  /// is told as the job's fault.
  using JobDone = std::function<std::string(bool same)>;
  /// Runs `work` on a thread of its own, and where that succeeds `done` on the mode's. The page hears of progress and
  /// end by the number that is returned, the end as {"job", "what", "fault", "cancelled", "sentence"}.
  virtual std::uint32_t startJob(const std::string& what, JobWork work, JobDone done) = 0;
};

/// A gesture in progress: drags the skin, a handle, a brush.
class DragTarget {
 public:
  virtual ~DragTarget() = default;
  /// The newest place of the pointer; what changed is sent by the target.
  virtual void move(const wire::DragMove& move) = 0;
  virtual void stroke(const wire::Stroke& /*stroke*/) {}
  /// The edit to keep, not yet applied, or nothing where nothing changed.
  virtual std::optional<Edit> finish(const wire::DragEnd& end) = 0;
  virtual void cancel() = 0;
};

class Mode;

enum class CommandKind {
  Edit,     ///< what is under way is taken back first
  Look,     ///< changes nothing: gestures go on, and pages that were taken over may use it, too
  Gesture,  ///< goes on with a gesture of several commands
};
struct CommandRow {
  std::string_view name;
  Json (*run)(Mode& mode, const Json& args);  ///< its result goes back as it is
  CommandKind kind = CommandKind::Edit;
};
struct DragToolRow {
  DragTool tool;
  std::unique_ptr<DragTarget> (*begin)(Mode& mode, const wire::DragBegin& begin);
};

/// Owns what it keeps between calls. All but `commands` may be left out.
class Mode {
 public:
  Mode() = default;
  virtual ~Mode() = default;
  Mode(const Mode&) = delete;
  Mode& operator=(const Mode&) = delete;

  [[nodiscard]] virtual std::span<const CommandRow> commands() const = 0;
  [[nodiscard]] virtual std::span<const DragToolRow> tools() const { return {}; }
  /// A message of the page that is no drag. False: it is another mode's.
  virtual bool receive(const wire::PageMessage& /*message*/) { return false; }
  /// Another document is open; `prepared` is what ModeRow::prepare made of it, or null.
  virtual void opened(const std::shared_ptr<const void>& /*prepared*/) {}
  /// The document has changed by this: what was found of it and holds no longer is forgotten.
  virtual void edited(const Edit& /*edit*/) noexcept {}
  /// Takes back what is shown and not yet a step.
  virtual void settle() {}
  /// The page that made a gesture is gone: what was seen of it becomes a step.
  virtual void keepGesture() {}
};

/// A mode of the table.
struct ModeRow {
  std::string_view name;
  std::unique_ptr<Mode> (*make)(ModeContext& context);
  /// Made while a document is opened, on another thread, because it takes long; may be null.
  std::shared_ptr<const void> (*prepare)(const Document& document) = nullptr;
};

/// The modes of the studio.
std::span<const ModeRow> studioModes();

/// For ModeRow: a mode that is made of its context alone.
template <class Kind>
std::unique_ptr<Mode> makeMode(ModeContext& context) {
  return std::make_unique<Kind>(context);
}

/// Rows for member functions: command<&PoseMode::reset>("pose.reset").
template <auto run, class Kind>
Json runCommand(Json (Kind::*)(const Json&), Mode& mode, const Json& args) {
  return (static_cast<Kind&>(mode).*run)(args);
}
template <auto run>
constexpr CommandRow command(std::string_view name, CommandKind kind = CommandKind::Edit) {
  return {name, [](Mode& mode, const Json& args) { return runCommand<run>(run, mode, args); }, kind};
}
template <auto begin, class Kind>
std::unique_ptr<DragTarget> beginDrag(std::unique_ptr<DragTarget> (Kind::*)(const wire::DragBegin&), Mode& mode,
                                      const wire::DragBegin& message) {
  return (static_cast<Kind&>(mode).*begin)(message);
}
template <auto begin>
constexpr DragToolRow dragTool(DragTool tool) {
  return {tool, [](Mode& mode, const wire::DragBegin& message) { return beginDrag<begin>(begin, mode, message); }};
}

}  // namespace sinew::studio
