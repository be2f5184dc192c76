#include "studio/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>

#include "sinew/base/error.h"
#include "studio/document/beside.h"
#include "studio/document/state_folder.h"
#include "studio/net/http_rules.h"
#include "studio/sentence.h"
#include "studio/session/memory_reserve.h"

namespace sinew::studio {
namespace {

/// A page whose answer cannot be sent must reconnect. Tries again if there is no memory even for that.
void hangUp(const ConnectionPtr& page) noexcept {
  constexpr int kAttempts = 100;
  for (int i = 0; page && i < kAttempts; ++i) {
    try {
      return page->close("the studio has no memory to answer");
    } catch (const std::exception&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
}

}  // namespace

Session::Session(SessionOptions options) : options_(std::move(options)) {
  jobs_.listen([this](const JobProgress& p) {
    post([this, p] {
      running_.progressed(p);
      send(wire::Progress{
          p.job, static_cast<float>(p.fraction), static_cast<float>(p.seconds), {p.stage.begin(), p.stage.end()}});
    });
  });
  for (const ModeRow& row : options_.modes) modes_.push_back(row.make(*this));
  addCommands();
  holdReserve();
  claimStateFolder(options_.state);
  clearPassing(options_.state);
  worker_ = std::thread([this] { work(); });
}

Session::~Session() {
  stop();
}

void Session::stop() {
  mailbox_.close();
  if (worker_.joinable()) worker_.join();
  jobs_.stop();  // they use members that are destroyed before them
  mailbox_.clear();
  pages_.clear();
}

ServerHooks Session::hooks() {
  ServerHooks hooks;
  // Messages of the next page are handled after the end of the gesture of the previous one.
  const auto gone = [this] { post([this] { endGesture(); }); };
  hooks.request = [this](const HttpRequest& one) { return request(one); };
  hooks.opened = [this, gone](const ConnectionPtr& page) {
    if (pages_.add(page)) gone();
    // Before its first message; later greetings of this page change nothing.
    post([this] {
      for (const auto& mode : modes_) mode->connected();
    });
  };
  hooks.closed = [this, gone](const ConnectionPtr& page) {
    if (pages_.remove(page)) gone();
  };
  hooks.busy = [this] { return mailbox_.full(); };
  hooks.text = [this](const ConnectionPtr& page, std::string_view text) {
    mailbox_.put({page, std::string(text), {}, nullptr});
  };
  hooks.binary = [this](const ConnectionPtr& page, std::span<const std::uint8_t> bytes) {
    // A page without control is read-only.
    if (pages_.steers(page)) mailbox_.putMessage(page, bytes);
  };
  return hooks;
}

void Session::post(std::function<void()> task) {
  mailbox_.put({nullptr, {}, {}, std::move(task)});
}

std::size_t Session::waiting() {
  return mailbox_.size();
}

void Session::work() {
  while (auto task = mailbox_.take()) {
    try {
      tellUntold();
      run(*task);
    } catch (const std::exception&) {
      // No memory even for the answer. Committed steps are kept; the page is notified with the next message, or when it
      // reconnects.
      untold_ = true;
      hangUp(task->from);
    }
  }
}

void Session::run(SessionTask& task) {
  arrived_ = task.arrived;
  cost_ = {};
  try {
    if (task.call) {
      task.call();
    } else if (!task.text.empty()) {
      runCommand(task.from, task.text);
    } else {
      runBinary(task.binary);
      sendAnswer();
    }
  } catch (const std::bad_alloc&) {
    if (!task.text.empty()) throw;  // it needs its own answer
    log(kNoMemory);
    tell(wire::ErrorEvent{.text = kNoMemory, .hint = kNoMemoryHint});
    if (!task.binary.empty()) answerFault();
  } catch (const std::exception& error) {
    log(error.what());
    const auto* fault = dynamic_cast<const CommandFault*>(&error);
    tell(wire::ErrorEvent{.text = asSentence(error.what()), .hint = fault == nullptr ? "" : fault->hint});
    if (!task.binary.empty()) answerFault();
  }
}

/// The page may show a state that was not committed, and waits for an answer.
void Session::answerFault() {
  sendViews();
  sendAnswer();
}

void Session::endGesture() {
  try {
    if (drag_ && dragTarget_) endDrag({.drag = dragId_, .commit = 1, .target = *dragTarget_});
    for (const auto& mode : modes_) mode->keepGesture();
  } catch (...) {
    settle();  // what cannot be kept is not shown either
    throw;
  }
  settle();
}

void Session::settle() {
  if (const std::unique_ptr<DragTarget> drag = std::move(drag_)) drag->cancel();
  for (const auto& mode : modes_) mode->settle();
}

void Session::settleOthers(const Mode& mode) {
  for (const auto& one : modes_) {
    if (one.get() != &mode) one->settle();
  }
}

void Session::log(const std::string& sentence) const {
  if (options_.log) options_.log(printable(sentence));
}

void Session::warn(const std::string& text) {
  if (!pages_.keepWarning(text)) tell(wire::WarningEvent{.text = text});
}

void Session::requireDocument() const {
  if (!journal_) throw CommandFault("no-document", "nothing is open", "Open a character or a folder of meshes first.");
}

void Session::requireSkin() const {
  requireDocument();
  if (!document_.file.character.hasSkin())
    throw CommandFault("no-skin", "this mesh has no skin yet", "Bind it to a skeleton first.");
}

Journal& Session::journal() {
  requireDocument();
  return *journal_;
}

const DrawnCharacter& Session::drawn() {
  if (!drawn_) drawn_ = drawnCharacter(document_);
  return *drawn_;
}

const PageSpace& Session::space() {
  return drawn().space;
}

std::vector<Pose> Session::drawnViews() {
  std::vector<Pose> poses;
  for (const Pose& view : document_.views) poses.push_back(drawnPose(document_.file.character, drawn(), view));
  return poses;
}

const Json& Session::about() const {
  requireDocument();
  return journal_->about();
}

const MirrorMap& Session::mirror(MirrorAxis axis) {
  const auto known = mirrors_.find(axis);
  if (known != mirrors_.end()) return known->second;
  return mirrors_.emplace(axis, findMirror(document_.file.character, {.axis = axis})).first->second;
}

void Session::showHandles(HandlesState state) {
  document_.posed = std::move(state);
}

std::filesystem::path Session::confined(const std::string& path) const {
  if (path.find('\0') != std::string::npos) throw CommandFault("bad-input", "a file name has a byte 0");
  const auto uploaded = uploads_.find(path);
  if (uploaded != uploads_.end()) return uploaded->second;
  namespace fs = std::filesystem;
  std::error_code fault;
  const fs::path home = fs::weakly_canonical(options_.root, fault);
  fs::path wanted = fs::weakly_canonical(fs::path(path).is_absolute() ? fs::path(path) : home / path, fault);
  const fs::path relative = wanted.lexically_relative(home);
  if (fault || relative.empty() || *relative.begin() == "..")
    throw CommandFault("outside-root", fmt::format("{} is outside of {}", path, home.string()),
                       "Start the studio with --root to work elsewhere.");
  return wanted;
}

FileRules Session::rulesFor(const std::filesystem::path& path) const {
  // Files that a file refers to must be below the root too, or among the uploads if it was uploaded.
  FileRules rules = options_.rules;
  const bool sent = !options_.uploads.empty() && isInside(path, options_.uploads);
  rules.root = sent ? options_.uploads : options_.root;
  return rules;
}

Index Session::sampleVertices() const {
  return options_.samplesVertices;
}

std::filesystem::path Session::scratchFile(const std::string& extension) {
  return newFolder(journal().folder()).string() + extension;
}

wire::BlobNames Session::putCharacter(const Document& other, DrawnCharacter& drawn) {
  drawn = drawnCharacter(other);
  drawn.space = space();
  return putMesh(other, drawn);
}

std::string Session::putBlob(Bytes bytes) {
  return blobs_.put(std::move(bytes));
}

wire::BlobNames Session::putMesh(const Document& document, const DrawnCharacter& drawn) {
  return {blobs_.put(meshBlob(document, drawn)), blobs_.put(weightsBlob(document)),
          drawn.morphs > 0 ? blobs_.put(morphsBlob(document, drawn)) : std::string()};
}

bool Session::keepBlob(const std::string& name) {
  blobs_.keep(name);
  return blobs_.find(name) != nullptr;
}

std::uint32_t Session::startJob(const std::string& what, JobWork work, JobDone done, Earlier earlier) {
  const auto finish = [this, what, done = std::move(done), number = number_](std::uint32_t job, std::string fault,
                                                                             bool cancelled) {
    if (!running_.ended(job)) {
      cancelled = true;
      fault = "cancelled";
    }
    std::string sentence;
    try {
      if (fault.empty()) sentence = done(number == number_);
    } catch (const std::exception& error) {
      fault = error.what();
    }
    if (!cancelled) fault = asSentence(fault);
    tell(wire::JobEvent{.job = job, .what = what, .fault = fault, .cancelled = cancelled, .sentence = sentence});
  };
  const auto ended = [this, finish](std::uint32_t job, const std::string& fault, bool cancelled) {
    post([finish, job, fault, cancelled] { finish(job, fault, cancelled); });
  };
  const std::uint32_t job = jobs_.start(std::move(work), ended, Cancelling::WhenItAsks,
                                        earlier == Earlier::AreReplaced ? what : std::string());
  running_.started(job, what);
  return job;
}

void Session::cancelJobsOf(const std::string& title) {
  for (const auto& [job, activity] : running_.dropOfDocument()) {
    jobs_.cancel(job);
    if (!activity.empty())
      warn(fmt::format("{} on {} was cancelled, because another file was opened.", activity, title));
  }
}

void Session::adopt(const Json& about, const CharacterFile& file) {
  take(openCharacter(about, file, newFolder(journalFolder(options_, about)), blobs_, options_.modes));
}

void Session::openModel(const CharacterFile& model) {
  Json about = journal().about();
  const Json aboutIt = aboutModel(options_.state, journal_->folder().filename().string(), about);
  Opened opened = openCharacter(aboutIt, model, newFolder(journalFolder(options_, aboutIt)), blobs_, options_.modes);
  journal_->rename(about);
  take(std::move(opened));
}

std::filesystem::path Session::newFolder(const std::filesystem::path& folder) {
  return passingFolder(folder, ++newFolders_);
}

void Session::take(Opened opened) {
  const std::filesystem::path folder = journalFolder(options_, opened.journal->about());
  const bool same = journal_ && journal_->folder() == folder;
  // Everything that can fail comes first, so that a failure leaves the current document open.
  auto lock = same ? nullptr : std::make_unique<FolderLock>(folder, opened.restored.document.title);
  keepBeside(folder, *opened.journal);
  opened.journal->moveTo(folder, opened.keepReplaced);
  settle();
  const std::string before = document_.title;
  journal_.reset();
  if (!same) lock_ = std::move(lock);
  if (!opened.restored.document.path.empty()) clearTemporary(opened.restored.document.path);
  document_ = std::move(opened.restored.document);
  history_ = std::move(opened.restored.history);
  saved_ = opened.restored.saved;
  journal_ = std::move(opened.journal);
  drawn_ = std::move(opened.drawn);
  described_ = std::move(opened.described);
  mirrors_.clear();
  linked_ = false;
  ownPoses_.clear();
  ownAngles_.clear();
  for (std::size_t i = 0; i < modes_.size(); ++i) modes_[i]->opened(opened.prepared[i]);
  resumed_.reset();
  ++number_;
  beside_ = documentsBeside(options_.state, folder.filename().string(), journal_->about());
  sendEvent(wire::DocumentEvent::kName, describe());
  sendViews();
  sendHistory();
  if (!opened.warning.empty()) warn(opened.warning);
  cancelJobsOf(before);
  journal_->removeUnused();
}

void Session::open(const std::string& what) {
  auto done = std::make_shared<std::promise<void>>();
  post([this, what, done] {
    try {
      openNow(*this, what);
      done->set_value();
    } catch (const CommandFault& fault) {
      // For the terminal, not for a page.
      done->set_exception(std::make_exception_ptr(
          Error(ErrorCode::BadInput, fmt::format("{}; start the studio with a --root above it", fault.what()))));
    } catch (...) {
      done->set_exception(std::current_exception());
    }
  });
  done->get_future().get();
}

}  // namespace sinew::studio
