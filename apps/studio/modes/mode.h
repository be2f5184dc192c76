// A mode of the studio, and its view of the session: a document to read, edits to commit, messages to send, jobs to
// start. A new mode is a folder beside this file and a row in modes.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sinew/base/progress.h"
#include "sinew/character/mirror.h"
#include "studio/document/document.h"
#include "studio/document/edit_json.h"
#include "studio/document/frame.h"
#include "studio/document_info.h"
#include "studio/events.h"
#include "studio/messages.h"
#include "studio/modes/rows.h"
#include "studio/record_json.h"

namespace sinew::studio {

/// The cost of a solve.
struct SolveCost {
  double milliseconds = 0;
  int iterations = 0;
  bool draft = false;  ///< stopped by the time budget
};

/// The session as a mode sees it. All calls, in both directions, are on one thread.
class ModeContext {
 public:
  ModeContext() = default;
  virtual ~ModeContext() = default;
  ModeContext(const ModeContext&) = delete;
  ModeContext& operator=(const ModeContext&) = delete;

  // Reading. The two that require something throw a CommandFault with a remedy.
  [[nodiscard]] virtual const Document& document() const = 0;
  virtual void requireDocument() const = 0;
  virtual void requireSkin() const = 0;
  /// What was opened: {"title", "path", "kind", ...}.
  [[nodiscard]] virtual const Json& about() const = 0;
  [[nodiscard]] virtual const PageSpace& space() = 0;  ///< of the page, computed once
  /// The poses of all views as they are drawn. With a linear blend and nothing else they give the points that the page
  /// shows: morph targets imitate what was learned.
  [[nodiscard]] virtual std::vector<Pose> drawnViews() = 0;
  /// The left-right symmetry of the character, computed once: across an axis, or the one that fits. Throws if it is not
  /// symmetric.
  [[nodiscard]] virtual const MirrorMap& mirror(MirrorAxis axis) = 0;

  // Editing. If one throws, the document is unchanged.
  /// A step of undo: written to the journal, applied, and sent to the page. Cancels a gesture in progress first.
  virtual void commit(Edit edit) = 0;
  /// The same for a character that replaces that of the document. `poses`: of its views; fewer: the others are at rest.
  virtual void commitCharacter(const std::string& name, const CharacterFile& file,
                               const std::vector<Pose>& poses = {}) = 0;
  /// Stores the shape of an example, for an ExamplesChange that names its file: keep the result until that is
  /// committed.
  virtual ExampleShapePtr storeShape(PackedShape shape) = 0;
  /// Opens a model that was learned from the document as a document beside it.
  virtual void openModel(const CharacterFile& model) = 0;
  /// Cancels the previews of other modes. Called before a mode begins one, or commits in a gesture: it must not start
  /// from what is only shown.
  virtual void settleOthers(const Mode& mode) = 0;
  /// Previews, not saved: the caller must restore what it shows, at the latest in Mode::settle or DragTarget::cancel.
  virtual void showPose(std::uint32_t view, Pose pose) = 0;
  virtual void showHandles(HandlesState state) = 0;
  /// The number of poses side by side: a setting, not a step.
  virtual void setViewCount(std::size_t count) = 0;
  /// Whether all views have the pose of the first one, and what poses one of them poses all: a setting, too. Views
  /// that are no longer linked have their own poses again.
  virtual void linkViews(bool linked) = 0;

  // Messages to the page.
  virtual void send(const wire::ServerMessage& message) = 0;
  virtual void sendEvent(std::string_view event, Json body) = 0;
  /// An event of events.h.
  template <class Event>
  void tell(const Event& event) {
    sendEvent(Event::kName, recordJson(event));
  }
  virtual void sendView(std::uint32_t view) = 0;  ///< as it is drawn now
  virtual void sendViews() = 0;                   ///< of all of them
  /// Sent with the answer to the current message.
  virtual void reportSolve(const SolveCost& cost) = 0;
  virtual void sendPose(std::uint32_t view) = 0;  ///< its joints
  /// Stores what the page needs to draw another character beside the document, in the page's space; fills `drawn`, with
  /// which frameOf makes its frames. The names are those of DocumentInfo.
  virtual wire::BlobNames putCharacter(const Document& other, DrawnCharacter& drawn) = 0;
  /// Stores bulk data for the page to fetch. Returns its name.
  virtual std::string putBlob(Bytes bytes) = 0;
  /// The same for the mesh, weights and morph targets of a character that is drawn beside the document.
  virtual wire::BlobNames putMesh(const Document& document, const DrawnCharacter& drawn) = 0;
  /// False if it was dropped since, for want of room: it must be put again.
  virtual bool keepBlob(const std::string& name) = 0;

  // Files and jobs.
  /// The path below the root for a file name from the page; throws a CommandFault if it is outside.
  [[nodiscard]] virtual std::filesystem::path confined(const std::string& path) const = 0;
  [[nodiscard]] virtual FileRules rulesFor(const std::filesystem::path& path) const = 0;  ///< how it is read
  [[nodiscard]] virtual Index sampleVertices() const = 0;  ///< of built-in characters; 0: the default
  /// An unused name for a temporary file.
  [[nodiscard]] virtual std::filesystem::path scratchFile(const std::string& extension) = 0;
  using JobWork = std::function<void(const Progress&)>;
  /// `same`: the document is still the one that was open at the start. Returns a sentence for the user; what it throws
  /// is reported as the fault of the job.
  using JobDone = std::function<std::string(bool same)>;
  /// What becomes of earlier jobs of the same name: they continue, or they are cancelled, and the new one begins once
  /// they have ended.
  enum class Earlier { Continue, AreReplaced };
  /// Runs `work` on its own thread, then, if that succeeds, `done` on the mode's. Returns the number under which the
  /// page is notified of progress and end; the end as {"job", "what", "fault", "cancelled", "sentence"}. Throws a
  /// CommandFault if too many run already.
  virtual std::uint32_t startJob(const std::string& what, JobWork work, JobDone done,
                                 Earlier earlier = Earlier::Continue) = 0;
};

/// A gesture in progress: a drag of the skin, a handle, a brush.
class DragTarget {
 public:
  virtual ~DragTarget() = default;
  /// The latest position of the pointer; the target sends what changed.
  virtual void move(const wire::DragMove& move) = 0;
  virtual void stroke(const wire::Stroke& /*stroke*/) {}
  /// The edit to commit, not yet applied; none if nothing changed.
  virtual std::optional<Edit> finish(const wire::DragEnd& end) = 0;
  virtual void cancel() = 0;
};

/// Owns its state. All functions but `commands` are optional.
class Mode {
 public:
  Mode() = default;
  virtual ~Mode() = default;
  Mode(const Mode&) = delete;
  Mode& operator=(const Mode&) = delete;

  [[nodiscard]] virtual std::span<const CommandRow> commands() const = 0;
  [[nodiscard]] virtual std::span<const DragRow> drags() const { return {}; }
  /// A message of the page other than a drag. False: it belongs to another mode.
  virtual bool receive(const wire::PageMessage& /*message*/) { return false; }
  /// Another document was opened; `prepared` is the result of ModeRow::prepare, or null.
  virtual void opened(const std::shared_ptr<const void>& /*prepared*/) {}
  /// The document has changed by this edit: drop cached data that is no longer valid.
  virtual void edited(const Edit& /*edit*/) noexcept {}
  /// Restores what is shown but not committed.
  virtual void settle() {}
  /// A view is about to be sent: adds what the mode draws over it. May also send messages that belong to it.
  virtual void addToFrame(std::uint32_t /*view*/, wire::Frame& /*frame*/) {}
  /// A page has connected. It shows the document as it is until it asks for something else.
  virtual void connected() {}
  /// A view was sent to the page: what the mode draws beside it follows.
  virtual void shown(std::uint32_t /*view*/) {}
  /// The page that made a gesture disconnected: what it showed is committed as a step.
  virtual void keepGesture() {}
};

/// A mode of the table.
struct ModeRow {
  std::string_view name;
  std::unique_ptr<Mode> (*make)(ModeContext& context);
  /// Slow preparation, run on another thread while a document is opened; may be null.
  std::shared_ptr<const void> (*prepare)(const Document& document) = nullptr;
};

/// The modes of the studio.
std::span<const ModeRow> studioModes();

/// For ModeRow: constructs a mode from its context.
template <class Kind>
std::unique_ptr<Mode> makeMode(ModeContext& context) {
  return std::make_unique<Kind>(context);
}

}  // namespace sinew::studio
