// One document and the page that edits it. One worker handles messages in order (mailbox.h); long tasks run as jobs.
// The tools come from the modes (modes/mode.h), which see this class as their ModeContext.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "studio/document/blob.h"
#include "studio/document/document.h"
#include "studio/document/journal.h"
#include "studio/modes/mode.h"
#include "studio/net/server.h"
#include "studio/session/describe.h"
#include "studio/session/jobs.h"
#include "studio/session/mailbox.h"
#include "studio/session/opening.h"
#include "studio/session/options.h"
#include "studio/session/pages.h"
#include "studio/session/running_jobs.h"

namespace sinew::studio {

class Session final : public ModeContext {
 public:
  explicit Session(SessionOptions options);
  ~Session() override;

  /// The functions that the server calls.
  ServerHooks hooks();
  /// Ends the worker and releases all pages. The server owns pages: call it after Server::run, before the server is
  /// destroyed.
  void stop();
  /// Opens a file, a folder, or "sample:NAME" before a page connects. Throws as readCharacter does.
  void open(const std::string& what);
  /// Queues a task for the worker.
  void post(std::function<void()> task);
  [[nodiscard]] std::size_t waiting();                               ///< number of queued messages
  [[nodiscard]] std::vector<std::string_view> commandNames() const;  ///< of all commands

  // The ModeContext.
  [[nodiscard]] const Document& document() const override { return document_; }
  void requireDocument() const override;
  void requireSkin() const override;
  [[nodiscard]] const Json& about() const override;
  [[nodiscard]] const PageSpace& space() override;
  [[nodiscard]] std::vector<Pose> drawnViews() override;
  [[nodiscard]] const MirrorMap& mirror(MirrorAxis axis) override;
  void commit(Edit edit) override;
  void commitCharacter(const std::string& name, const CharacterFile& file, const std::vector<Pose>& poses) override;
  ExampleShapePtr storeShape(PackedShape shape) override;
  void openModel(const CharacterFile& model) override;
  void settleOthers(const Mode& mode) override;
  void showPose(std::uint32_t view, Pose pose) override;
  void showHandles(HandlesState state) override;
  void setViewCount(std::size_t count) override;
  void linkViews(bool linked) override;
  void send(const wire::ServerMessage& message) override;
  void sendEvent(std::string_view event, Json body) override;
  void sendView(std::uint32_t view) override;
  void sendViews() override;
  void reportSolve(const SolveCost& cost) override { cost_ = cost; }
  void sendPose(std::uint32_t view) override;
  wire::BlobNames putCharacter(const Document& other, DrawnCharacter& drawn) override;
  std::string putBlob(Bytes bytes) override;
  wire::BlobNames putMesh(const Document& document, const DrawnCharacter& drawn) override;
  bool keepBlob(const std::string& name) override;
  [[nodiscard]] std::filesystem::path confined(const std::string& path) const override;
  [[nodiscard]] FileRules rulesFor(const std::filesystem::path& path) const override;
  [[nodiscard]] Index sampleVertices() const override;
  [[nodiscard]] std::filesystem::path scratchFile(const std::string& extension) override;
  std::uint32_t startJob(const std::string& what, JobWork work, JobDone done,
                         Earlier earlier = Earlier::Continue) override;

  // For the session's own commands (files.cpp, save.cpp) and for tests, only on the worker.
  [[nodiscard]] const SessionOptions& options() const { return options_; }
  [[nodiscard]] bool hasDocument() const { return journal_ != nullptr; }
  [[nodiscard]] BlobStore& blobs() { return blobs_; }
  [[nodiscard]] Jobs& jobs() { return jobs_; }
  [[nodiscard]] const History& history() const { return history_; }
  [[nodiscard]] Journal& journal();
  /// Replaces the document; its journal is new, or continued.
  void adopt(const Json& about, const CharacterFile& file);
  void take(Opened opened);
  void tellResumed(wire::Unfinished what) { resumed_ = std::move(what); }  ///< to the first page: unsaved steps
  /// The number of the latest job that opens a document.
  [[nodiscard]] std::uint32_t& opening() { return opening_; }
  [[nodiscard]] RunningJobs& runningJobs() { return running_; }
  /// A folder for a journal that will replace the one in `folder`.
  [[nodiscard]] std::filesystem::path newFolder(const std::filesystem::path& folder);
  /// The place of the journal once the document is saved to `path`. Throws if another studio has that file open.
  [[nodiscard]] SavedPlace placeFor(const std::filesystem::path& path);
  /// Records that the current document is on disk.
  void markSaved(SavedPlace place, const std::filesystem::path& path, const std::string& content);
  /// The description of the document for the page (wire::DocumentInfo) as JSON.
  Json describe();

 private:
  struct Command {
    wire::CommandKind kind = wire::CommandKind::Edit;
    std::function<Json(const Json& args)> run;
  };
  void addCommand(std::string_view name, Command command);
  template <class Kind, class Handler>
  void addOwn(const Handler& handler);  ///< one of the session itself
  void addCommands();

  void work();
  void run(SessionTask& task);
  void runCommand(const ConnectionPtr& from, const std::string& text);
  void runBinary(std::span<const std::uint8_t> bytes);
  void receive(const wire::PageMessage& message);
  /// False if the message begins no drag of a mode.
  bool beginDrag(const wire::PageMessage& message);
  void endDrag(const wire::DragEnd& end);
  /// Reverts a drag or slider that is in progress.
  void settle();
  void cancelJobsOf(const std::string& title);  ///< of a document that was replaced, with a notice
  /// The page that made a gesture has disconnected: what it showed becomes a step.
  void endGesture();

  void undo(bool forwards);
  void jump(std::size_t depth);
  void putAside(Edit& edit) const;
  // Linked views have the pose of the first one. Their own poses are kept: edits apply to these.
  void keepOwnPoses();
  void restoreOwnPoses();
  void followLinked();
  void withOwnPoses(const std::function<void()>& work);
  void sendOneView(std::uint32_t view);
  void sendOnePose(std::uint32_t view);
  void forgetOf(const Edit& edit) noexcept;
  /// Sends what steps have changed, as it is after all of them: weights, frames, lists.
  void announce(std::span<const Edit* const> edits);
  void announceAnyway(std::span<const Edit* const> edits) noexcept;
  void announceAnyway(const Edit& edit) noexcept { announceAnyway(std::array{&edit}); }
  void tellUntold();
  const DrawnCharacter& drawn();
  void sendHistory();
  void sendAnswer();
  void answerFault();
  void warn(const std::string& text);  ///< for the user, now or when a page connects
  void log(const std::string& sentence) const;

  HttpResponse request(const HttpRequest& request);
  wire::HelloAnswer hello(const wire::HelloCommand& asked);
  Json debugState();

  SessionOptions options_;
  Document document_;
  History history_;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<FolderLock> lock_;  // of its folder
  bool saved_ = true;
  std::optional<wire::Unfinished> resumed_;  // sent once
  bool linked_ = false;                      // see linkViews
  std::vector<Pose> ownPoses_;               // of linked views, from the second on
  std::vector<JointAngles> ownAngles_;
  bool untold_ = false;                    // the page may show another state than the document
  std::vector<wire::RelatedInfo> beside_;  // see documentsBeside
  std::uint32_t number_ = 0;               // of the document: counts those that were opened
  std::uint32_t newFolders_ = 0;
  std::uint32_t opening_ = 0;
  BlobStore blobs_;
  Jobs jobs_;
  RunningJobs running_;
  std::map<std::string, std::string> uploads_;  // files by the page's names

  std::vector<std::unique_ptr<Mode>> modes_;
  std::map<std::string_view, Command> commands_;
  std::map<std::uint32_t, std::pair<Mode*, DragRow>> drags_;  // by the code of the message that begins them
  std::unique_ptr<DragTarget> drag_;
  std::uint32_t dragId_ = 0;
  std::optional<std::array<float, 3>> dragTarget_;  // the last target of the drag; none: it has not moved

  std::optional<DrawnCharacter> drawn_;  // computed on first use
  std::map<MirrorAxis, MirrorMap> mirrors_;
  DescribedMesh described_;  // empty parts are computed on demand

  std::chrono::steady_clock::time_point arrived_;  // of the message that is being answered
  std::uint32_t sent_ = 0;
  std::uint32_t answered_ = 0;
  SolveCost cost_;  // of the message that is being answered
  Mailbox mailbox_;
  Pages pages_;
  std::thread worker_;
};

/// Opens a file, a folder or "sample:NAME" on the worker.
void openNow(Session& session, const std::string& what);

}  // namespace sinew::studio
