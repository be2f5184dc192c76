// One document and the page that edits it. Messages are taken in order by one worker (mailbox.h); long work runs as
// jobs beside it. What the page can do is brought by the modes (modes/mode.h), which see this class as their
// ModeContext.
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

namespace sinew::studio {

class Session final : public ModeContext {
 public:
  explicit Session(SessionOptions options);
  ~Session() override;

  /// What the server calls.
  ServerHooks hooks();
  /// Ends the worker and lets go of all pages. Pages live in the server: call it after Server::run, before its end.
  void stop();
  /// Opens before a page comes: a file, a folder, or "sample:NAME". Throws as readCharacter does.
  void open(const std::string& what);
  /// The worker does this next.
  void post(std::function<void()> task);
  [[nodiscard]] std::size_t waiting();                               ///< messages, for the worker
  [[nodiscard]] std::vector<std::string_view> commandNames() const;  ///< all there are

  // What modes see.
  [[nodiscard]] const Document& document() const override { return document_; }
  void requireDocument() const override;
  void requireSkin() const override;
  [[nodiscard]] const Json& about() const override;
  [[nodiscard]] const PageSpace& space() override;
  [[nodiscard]] std::vector<Pose> drawnViews() override;
  [[nodiscard]] const MirrorMap& mirror(MirrorAxis axis) override;
  void commit(Edit edit) override;
  void commitCharacter(const std::string& name, const CharacterFile& file) override;
  void openModel(const CharacterFile& model) override;
  void showPose(std::uint32_t view, Pose pose) override;
  void showHandles(HandlesState state) override;
  void setViewCount(std::size_t count) override;
  void send(const wire::ServerMessage& message) override;
  void sendEvent(const std::string& event, Json body) override;
  void sendView(std::uint32_t view) override;
  void sendViews() override;
  void reportSolve(const SolveCost& cost) override { cost_ = cost; }
  void sendPose(std::uint32_t view) override;
  std::string putBlob(Bytes bytes) override;
  [[nodiscard]] std::filesystem::path confined(const std::string& path) const override;
  [[nodiscard]] FileRules rulesFor(const std::filesystem::path& path) const override;
  [[nodiscard]] Index sampleVertices() const override;
  [[nodiscard]] std::filesystem::path scratchFile(const std::string& extension) override;
  std::uint32_t startJob(const std::string& what, JobWork work, JobDone done) override;

  // What the session's own commands use (files.cpp, save.cpp) and tests look at, on the worker only.
  [[nodiscard]] const SessionOptions& options() const { return options_; }
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
  /// Where the journal goes once the document is saved to `path`. Throws where another studio has that file.
  [[nodiscard]] SavedPlace placeFor(const std::filesystem::path& path);
  /// The document is on disk as it is now.
  void markSaved(SavedPlace place, const std::filesystem::path& path, const std::string& content);
  /// All that the page needs to know of the document, with the names of its blobs.
  Json describe();

 private:
  struct Command {
    CommandKind kind = CommandKind::Edit;
    std::function<Json(const Json& args)> run;
  };
  void addCommand(std::string_view name, Command command);
  void addCommands();

  void work();
  void run(SessionTask& task);
  void runCommand(const ConnectionPtr& from, const std::string& text);
  void runBinary(std::span<const std::uint8_t> bytes);
  void receive(const wire::PageMessage& message);
  void beginDrag(const wire::DragBegin& begin);
  void endDrag(const wire::DragEnd& end);
  /// Takes back what is under way and not yet a step: a drag, a slider.
  void settle();
  /// The page that made a gesture is gone: what was seen of it becomes a step.
  void endGesture();

  void undo(bool forwards);
  void jump(std::size_t depth);
  void putAside(Edit& edit) const;
  void forgetOf(const Edit& edit) noexcept;
  /// Tells the page what the change touched: weights, frames, lists.
  void announce(const Edit& edit);
  void announceAnyway(const Edit& edit) noexcept;
  void tellUntold();
  const DrawnCharacter& drawn();
  void sendHistory();
  void sendAnswer();
  void answerFault();
  /// Something that the person must know, now or when a page comes.
  void warn(const std::string& text);
  void log(const std::string& sentence) const;

  HttpResponse request(const HttpRequest& request);
  Json hello(const Json& args);
  Json debugState();

  SessionOptions options_;
  Document document_;
  History history_;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<FolderLock> lock_;  // of its folder
  bool saved_ = true;
  Json resumed_;                 // told once
  bool untold_ = false;          // the page may see something else than there is
  Json beside_ = Json::array();  // see documentsBeside
  std::uint32_t number_ = 0;     // counts the documents that were open
  std::uint32_t newFolders_ = 0;
  std::uint32_t opening_ = 0;
  BlobStore blobs_;
  Jobs jobs_;
  std::map<std::string, std::string> uploads_;  // names that the page knows -> files

  std::vector<std::unique_ptr<Mode>> modes_;
  std::map<std::string_view, Command> commands_;
  std::unique_ptr<DragTarget> drag_;
  std::uint32_t dragId_ = 0;
  std::optional<std::array<float, 3>> dragTarget_;  // where the drag was last; none: it has not moved

  std::optional<DrawnCharacter> drawn_;  // computed when it is first needed
  std::map<MirrorAxis, MirrorMap> mirrors_;
  DescribedMesh described_;  // what of it is empty is found when it is asked for

  std::chrono::steady_clock::time_point arrived_;  // of the message that is being answered
  std::uint32_t sent_ = 0;
  std::uint32_t answered_ = 0;
  SolveCost cost_;  // of the message that is being answered
  Mailbox mailbox_;
  Pages pages_;
  std::thread worker_;
};

/// A command that is no mode's.
struct SessionCommand {
  std::string_view name;
  Json (*run)(Session& session, const Json& args);
  CommandKind kind = CommandKind::Edit;
};
std::span<const SessionCommand> fileCommands();
std::span<const SessionCommand> saveCommands();

/// Opens a file, a folder or "sample:NAME" on the worker.
void openNow(Session& session, const std::string& what);

}  // namespace sinew::studio
