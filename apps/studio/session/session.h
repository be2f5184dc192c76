// One document and the page that edits it. Messages are taken in order by one worker; live ones (drags, sliders) go
// through mailboxes in which the newest wins. Long work runs as jobs beside it.
// A mode of the studio is one file beside this one: a table of commands, and what it does with drags (mode_tables.h).
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "sinew/character/mirror.h"
#include "sinew/manipulate/drag_weights.h"
#include "sinew/manipulate/reduced_ik.h"
#include "studio/document/blob.h"
#include "studio/document/document.h"
#include "studio/document/journal.h"
#include "studio/modes/gesture.h"
#include "studio/modes/mode_tables.h"
#include "studio/net/server.h"
#include "studio/session/describe.h"
#include "studio/session/jobs.h"
#include "studio/session/mailbox.h"
#include "studio/session/opening.h"
#include "studio/session/options.h"

namespace sinew::studio {

class Session {
 public:
  explicit Session(SessionOptions options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// What the server calls.
  ServerHooks hooks();
  /// Ends the worker and lets go of all pages. Pages live in the server: call it after Server::run, before its end.
  void stop();
  /// Opens before a page comes: a file, a folder, or "sample:NAME". Throws as readCharacter does.
  void open(const std::string& what);

  // What the modes use, on the worker only.
  [[nodiscard]] const SessionOptions& options() const { return options_; }
  [[nodiscard]] Document& document() { return document_; }
  [[nodiscard]] bool hasDocument() const { return journal_ != nullptr; }
  [[nodiscard]] BlobStore& blobs() { return blobs_; }
  [[nodiscard]] Jobs& jobs() { return jobs_; }
  [[nodiscard]] const History& history() const { return history_; }
  [[nodiscard]] Journal& journal();
  /// The document is another one from now on; its journal begins anew, or goes on where it stopped.
  void adopt(const Json& about, const CharacterFile& file);
  void take(Opened opened);
  /// Said to the first page: what was open before a page came goes on from unsaved steps.
  void tellResumed(Json what) { resumed_ = std::move(what); }
  /// The job that opens something, now or some time ago.
  [[nodiscard]] std::uint32_t& opening() { return opening_; }
  /// A place for a journal that will take the place of one in `folder`.
  [[nodiscard]] std::filesystem::path newFolder(const std::filesystem::path& folder);
  /// Writes an edit to the journal, applies it, and tells the page. Where it throws, the document is what it was.
  void commit(Edit edit);
  /// A pose while a gesture goes on: seen, not kept; where the page goes away it becomes the step `name`.
  void showPose(std::uint32_t view, Pose pose, const std::string& name);
  /// A step of undo, from the pose before the gesture.
  void commitPose(std::uint32_t view, Pose pose, const std::string& name, JointAngles angles = {});
  /// Ends a gesture that was not kept.
  void dropLivePose();
  void sendPose(std::uint32_t view);  ///< its joints, to the page
  /// Where the journal goes once the document is saved to `path`. Throws where another studio has that file.
  [[nodiscard]] SavedPlace placeFor(const std::filesystem::path& path);
  /// The document is on disk as it is now.
  void markSaved(SavedPlace place, const std::filesystem::path& path, const std::string& content);
  /// Something that the person must know, now or when a page comes.
  void warn(const std::string& text);
  /// Tells the page what the change touched: weights, frames, lists.
  void announce(const Edit& edit);
  /// Throws a CommandFault that says what to do.
  void requireDocument() const;
  void requireSkin() const;
  /// Takes back what is under way and not yet a step: a drag, a slider.
  void settle();
  /// The page that made a gesture is gone: what was seen of it becomes a step.
  void endGesture();
  [[nodiscard]] std::uint32_t number() const { return number_; }  ///< counts the documents that were open
  /// A model that was learned from the document opens beside it.
  void openModel(const CharacterFile& model);
  /// A file name of the page below the root; throws a CommandFault for those outside.
  [[nodiscard]] std::filesystem::path confined(const std::string& path) const;

  void sendEvent(const std::string& event, Json body);
  template <class Message>
  void send(const Message& message) {
    sendBytes(encode(message, ++sent_, answered_), false, Message::kCode);
  }
  /// As send, but a newer one of its kind replaces one that still waits.
  template <class Message>
  void sendNewest(const Message& message) {
    sendBytes(encode(message, ++sent_, answered_), true, Message::kCode);
  }
  /// Palettes of all views, of the document as it is.
  void sendFrame(double solveMs = 0);
  /// All that the page needs to know of the document, with the names of its blobs.
  Json describe();
  [[nodiscard]] std::size_t waiting();  ///< messages, for the worker
  /// The worker does this next: for jobs that are done.
  void post(std::function<void()> task);
  /// How many live events were overtaken since the last call.
  std::uint32_t takeCoalesced();
  /// From the arrival of the message that is being answered until now.
  [[nodiscard]] double millisecondsSinceArrival() const;
  const PageSpace& space();  ///< of the page, found once
  /// The surface of the character for drags, made once.
  std::shared_ptr<const DragSurface> dragSurface();
  /// Left and right of the character, found once: across x, y, z, or "auto". Throws where it is not symmetric.
  const MirrorMap& mirror(const std::string& axis = "auto");
  /// The reduced model with the keys as its clip, made once.
  const Character& keyed();
  /// The solver of the reduced model, made once.
  ReducedIk& ik();

 private:
  void work();
  void tellUntold();
  bool busy();
  void run(SessionTask& task);
  void runCommand(const ConnectionPtr& from, const std::string& text);
  void runBinary(std::span<const std::uint8_t> bytes);
  Json call(const std::string& command, const Json& args);
  void sendBytes(const Bytes& bytes, bool newest, std::uint16_t kind);
  HttpResponse request(const HttpRequest& request);
  void log(const std::string& sentence) const;
  [[nodiscard]] bool looksOn(const ConnectionPtr& page);
  void putAside(Edit& edit) const;
  void forgetOf(const Edit& edit) noexcept;
  void announceAnyway(const Edit& edit) noexcept;
  void undo(bool forwards);
  void jump(std::size_t depth);
  void sendHistory();
  Json hello(const Json& args);
  std::vector<std::string> takeWarnings();
  Json debugState();
  void beginDrag(const wire::DragBegin& begin);
  void endDrag(const wire::DragEnd& end);
  void setPose(const wire::PoseSet& set);
  void pageGone();

  SessionOptions options_;
  Document document_;
  History history_;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<FolderLock> lock_;  // of its folder
  Json resumed_;                      // told once
  bool untold_ = false;               // the page may see something else than there is
  Json beside_ = Json::array();       // see documentsBeside
  std::uint32_t number_ = 0;
  std::uint32_t newFolders_ = 0;
  std::uint32_t opening_ = 0;
  BlobStore blobs_;
  Jobs jobs_;
  std::unique_ptr<DragTarget> drag_;
  std::uint32_t dragId_ = 0;
  std::optional<std::array<float, 3>> dragTarget_;  // where the drag was last; none: it has not moved
  std::optional<LivePose> livePose_;
  std::optional<PageSpace> space_;
  DescribedMesh described_;  // what of it is empty is found when it is asked for
  std::chrono::steady_clock::time_point arrived_;
  std::shared_ptr<const DragSurface> dragSurface_;
  std::map<std::string, MirrorMap> mirrors_;
  std::unique_ptr<const Character> keyed_;
  std::unique_ptr<ReducedIk> ik_;
  bool saved_ = true;
  std::map<std::string, std::string> uploads_;  // names that the page knows -> files
  std::uint32_t sent_ = 0;
  std::uint32_t answered_ = 0;

  std::mutex mutex_;  // of what follows
  std::condition_variable wake_;
  std::deque<SessionTask> tasks_;
  std::size_t taskBytes_ = 0;
  std::vector<ConnectionPtr> pages_;   // the newest steers, the others look on
  std::vector<std::string> warnings_;  // for the first page
  std::uint32_t coalesced_ = 0;
  bool stopping_ = false;
  std::thread worker_;
};

/// Opens a file, a folder or "sample:NAME" on the worker.
void openNow(Session& session, const std::string& what);

}  // namespace sinew::studio
