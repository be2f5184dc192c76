#include "studio/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "sinew/base/error.h"
#include "studio/document/beside.h"
#include "studio/document/state_folder.h"
#include "studio/net/http_rules.h"
#include "studio/session/memory_reserve.h"
#include "studio/untrusted_json.h"

namespace sinew::studio {
namespace {

/// Of one solve: the page wants an answer within a frame.
constexpr double kSolveBudget = 0.008;

/// Live events of one kind: of a queue only the newest matters. The header's code, and the first field of the body.
std::optional<std::pair<std::uint16_t, std::uint32_t>> liveKey(std::span<const std::uint8_t> bytes) {
  const auto header = readHeader(bytes);
  if (!header || header->bytes < 8) return std::nullopt;
  std::uint32_t first = 0;
  std::memcpy(&first, bytes.data() + kHeaderBytes, 4);
  if (header->code == wire::DragMove::kCode) return std::pair{header->code, first};
  std::uint32_t live = 0;
  std::memcpy(&live, bytes.data() + kHeaderBytes + 4, 4);
  if (header->code == wire::PoseSet::kCode && live != 0) return std::pair{header->code, first};
  return std::nullopt;
}

/// Whoever waits for an answer that cannot be given connects anew. Without memory even for that, a little later.
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
      wire::Progress message{p.job,
                             static_cast<float>(p.fraction),
                             static_cast<float>(p.value),
                             static_cast<float>(p.seconds),
                             {p.stage.begin(), p.stage.end()}};
      sendNewest(message);
    });
  });
  holdReserve();
  claimStateFolder(options_.state);
  clearPassing(options_.state);
  worker_ = std::thread([this] { work(); });
}

Session::~Session() {
  stop();
}

void Session::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (worker_.joinable()) worker_.join();
  jobs_.stop();  // they speak to the members below, which end before them
  const std::scoped_lock lock(mutex_);
  tasks_.clear();
  pages_.clear();
}

ServerHooks Session::hooks() {
  ServerHooks hooks;
  hooks.request = [this](const HttpRequest& one) { return request(one); };
  hooks.opened = [this](const ConnectionPtr& page) {
    const std::scoped_lock lock(mutex_);
    if (!pages_.empty()) {
      pages_.back()->sendText(Json{{"event", "takenOver"}}.dump());
      pageGone();
    }
    if (pages_.size() >= kMostPages) pages_.front()->close("too many pages are open");
    pages_.push_back(page);
  };
  hooks.closed = [this](const ConnectionPtr& page) {
    const std::scoped_lock lock(mutex_);
    if (!pages_.empty() && pages_.back() == page) pageGone();
    std::erase(pages_, page);
  };
  hooks.busy = [this] { return busy(); };
  hooks.text = [this](const ConnectionPtr& page, std::string_view text) {
    const std::scoped_lock lock(mutex_);
    tasks_.push_back({page, std::string(text), {}, nullptr});
    taskBytes_ += text.size();
    wake_.notify_one();
  };
  hooks.binary = [this](const ConnectionPtr& page, std::span<const std::uint8_t> bytes) {
    const std::scoped_lock lock(mutex_);
    if (pages_.empty() || pages_.back() != page) return;  // a page that was taken over only looks on
    if (const auto key = liveKey(bytes)) {
      // A newer one of its kind takes the place of one that waits, unless something that must keep its place came
      // between.
      if (!tasks_.empty() && !tasks_.back().binary.empty() && liveKey(tasks_.back().binary) == key) {
        taskBytes_ -= tasks_.back().binary.size();
        tasks_.back().binary.assign(bytes.begin(), bytes.end());
        taskBytes_ += bytes.size();
        ++coalesced_;
        return;
      }
    }
    tasks_.push_back({page, {}, Bytes(bytes.begin(), bytes.end()), nullptr});
    taskBytes_ += bytes.size();
    wake_.notify_one();
  };
  return hooks;
}

/// With the mutex: whatever the next page says comes after it.
void Session::pageGone() {
  tasks_.push_back({nullptr, {}, {}, [this] { endGesture(); }});
  wake_.notify_one();
}

void Session::endGesture() {
  if (drag_ && dragTarget_) endDrag({.drag = dragId_, .commit = 1, .target = *dragTarget_});
  if (livePose_) {
    const LivePose live = *livePose_;
    if (live.view < document_.views.size())
      commitPose(live.view, Pose(document_.views[live.view]), live.name, document_.angles[live.view]);
  }
  settle();
}

void Session::post(std::function<void()> task) {
  const std::scoped_lock lock(mutex_);
  tasks_.push_back({nullptr, {}, {}, std::move(task)});
  wake_.notify_one();
}

std::uint32_t Session::takeCoalesced() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(coalesced_, 0);
}

double Session::millisecondsSinceArrival() const {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - arrived_).count();
}

void Session::work() {
  for (;;) {
    SessionTask task;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
      if (stopping_) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
      taskBytes_ -= task.text.size() + task.binary.size();
    }
    try {
      tellUntold();
      run(task);
    } catch (const std::exception&) {
      // Without memory even for the answer. What was kept is kept; the page hears of it with the next message, or when
      // it connects again.
      untold_ = true;
      hangUp(task.from);
    }
  }
}

void Session::run(SessionTask& task) {
  arrived_ = task.arrived;
  try {
    if (task.call) {
      task.call();
    } else if (!task.text.empty()) {
      runCommand(task.from, task.text);
    } else {
      const std::uint32_t sent = sent_;
      runBinary(task.binary);
      if (sent_ == sent) sendFrame();  // the page waits for an answer
    }
  } catch (const std::bad_alloc&) {
    if (!task.text.empty()) throw;  // it waits for an answer of its own
    log(kNoMemory);
    sendEvent("error", {{"text", kNoMemory}, {"hint", kNoMemoryHint}});
    if (!task.binary.empty()) sendFrame();
  } catch (const std::exception& error) {
    log(error.what());
    const auto* fault = dynamic_cast<const CommandFault*>(&error);
    sendEvent("error", {{"text", error.what()}, {"hint", fault == nullptr ? "" : fault->hint}});
    if (!task.binary.empty()) sendFrame();
  }
}

bool Session::busy() {
  const std::scoped_lock lock(mutex_);
  return tasks_.size() >= kMostTasks || taskBytes_ >= kMostTaskBytes;
}

std::size_t Session::waiting() {
  const std::scoped_lock lock(mutex_);
  return tasks_.size();
}

/// Something changed, and the page could not be told.
void Session::tellUntold() {
  if (!untold_) return;
  sendEvent("document", describe());
  sendFrame();
  sendHistory();
  untold_ = false;
}

void Session::log(const std::string& sentence) const {
  if (options_.log) options_.log(printable(sentence));
}

bool Session::looksOn(const ConnectionPtr& page) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::find(pages_.begin(), pages_.end(), page);
  // A page that has gone since may have its last wish.
  return found != pages_.end() && *found != pages_.back();
}

void Session::warn(const std::string& text) {
  {
    const std::scoped_lock lock(mutex_);
    if (pages_.empty()) {
      warnings_.push_back(text);
      return;
    }
  }
  sendEvent("warning", {{"text", text}});
}

Journal& Session::journal() {
  requireDocument();
  return *journal_;
}

const PageSpace& Session::space() {
  if (!space_) space_ = pageSpace(document_);
  return *space_;
}

std::shared_ptr<const DragSurface> Session::dragSurface() {
  if (!dragSurface_) dragSurface_ = std::make_shared<const DragSurface>(document_.file.character);
  return dragSurface_;
}

const MirrorMap& Session::mirror(const std::string& axis) {
  const auto known = mirrors_.find(axis);
  if (known != mirrors_.end()) return known->second;
  MirrorOptions options;
  options.axis = axis;
  return mirrors_.emplace(axis, findMirror(document_.file.character, options)).first->second;
}

ReducedIk& Session::ik() {
  requireDocument();
  if (!document_.file.reduced)
    throw CommandFault("no-model", "there is no reduced model yet", "Learn one from the example meshes first.");
  if (!ik_ || &ik_->model() != document_.file.reduced.get()) {
    IkOptions options;
    options.budgetSeconds = kSolveBudget;
    ik_ = std::make_unique<ReducedIk>(document_.file.reduced, options);
  }
  return *ik_;
}

void Session::requireDocument() const {
  if (!journal_) throw CommandFault("no-document", "nothing is open", "Open a character or a folder of meshes first.");
}

void Session::requireSkin() const {
  requireDocument();
  if (!document_.file.character.hasSkin())
    throw CommandFault("no-skin", "this mesh has no skin yet", "Bind it to a skeleton first.");
}

FileRules rulesFor(const SessionOptions& options, const std::filesystem::path& path) {
  FileRules rules = options.rules;
  const bool sent = !options.uploads.empty() && isInside(path, options.uploads);
  rules.root = sent ? options.uploads : options.root;
  return rules;
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

void Session::adopt(const Json& about, const CharacterFile& file) {
  take(openCharacter(about, file, newFolder(journalFolder(options_, about)), blobs_));
}

void Session::openModel(const CharacterFile& model) {
  Json about = journal().about();
  const Json aboutIt = aboutModel(options_.state, journal_->folder().filename().string(), about);
  Opened opened = openCharacter(aboutIt, model, newFolder(journalFolder(options_, aboutIt)), blobs_);
  journal_->rename(about);
  take(std::move(opened));
}

std::filesystem::path Session::newFolder(const std::filesystem::path& folder) {
  return passingFolder(folder, ++newFolders_);
}

void Session::take(Opened opened) {
  const std::filesystem::path folder = journalFolder(options_, opened.journal->about());
  const bool same = journal_ && journal_->folder() == folder;
  // Whatever can fail comes first: then the document that is open stays.
  auto lock = same ? nullptr : std::make_unique<FolderLock>(folder, opened.restored.document.title);
  keepBeside(folder, *opened.journal);
  opened.journal->moveTo(folder, opened.keepReplaced);
  settle();
  journal_.reset();
  if (!same) lock_ = std::move(lock);
  if (!opened.restored.document.path.empty()) clearTemporary(opened.restored.document.path);
  document_ = std::move(opened.restored.document);
  history_ = std::move(opened.restored.history);
  saved_ = opened.restored.saved;
  journal_ = std::move(opened.journal);
  space_ = opened.space;
  described_ = std::move(opened.described);
  dragSurface_ = std::move(opened.surface);
  mirrors_.clear();
  ik_.reset();
  keyed_.reset();
  resumed_ = nullptr;
  ++number_;
  beside_ = documentsBeside(options_.state, folder.filename().string(), journal_->about());
  sendEvent("document", describe());
  sendFrame();
  sendHistory();
  if (!opened.warning.empty()) warn(opened.warning);
}

void Session::sendEvent(const std::string& event, Json body) {
  body["event"] = event;
  const std::string text = body.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::scoped_lock lock(mutex_);
  for (const ConnectionPtr& page : pages_) page->sendText(text);
}

void Session::sendBytes(const Bytes& bytes, bool newest, std::uint16_t kind) {
  const std::scoped_lock lock(mutex_);
  for (const ConnectionPtr& page : pages_) {
    if (newest) {
      page->sendNewest(kind, bytes);
    } else {
      page->sendBinary(bytes);
    }
  }
}

void Session::sendFrame(double solveMs) {
  if (!journal_) return;
  wire::Frame frame = frameOf(document_, space().centre);
  frame.solveMs = static_cast<float>(solveMs);
  frame.queueMs = static_cast<float>(millisecondsSinceArrival() - solveMs);
  frame.coalesced = takeCoalesced();
  sendNewest(frame);
}

Json Session::describe() {
  if (!journal_) return {{"open", false}};
  describeMesh(document_, space(), blobs_, described_);
  Json description = describeDocument(document_, space(), described_);
  description["open"] = true;
  description["number"] = number_;
  description["beside"] = beside_;
  // A model that was learned here and never written is work that is nowhere else.
  description["saved"] = saved_ && !(document_.file.reduced && document_.path.empty());
  description["history"] = {{"depth", history_.depth()}, {"redo", history_.redoDepth()}, {"names", history_.names()}};
  return description;
}

void Session::open(const std::string& what) {
  auto done = std::make_shared<std::promise<void>>();
  post([this, what, done] {
    try {
      openNow(*this, what);
      done->set_value();
    } catch (const CommandFault& fault) {
      // For whoever started the program, not for a page.
      done->set_exception(std::make_exception_ptr(
          Error(ErrorCode::BadInput, fmt::format("{}; start the studio with a --root above it", fault.what()))));
    } catch (...) {
      done->set_exception(std::current_exception());
    }
  });
  done->get_future().get();
}

}  // namespace sinew::studio
