// A session without a network, and a page that remembers what it heard.
#pragma once

#include <stdlib.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "on_worker.h"
#include "studio/session/session.h"
#include "support/fault_injection/fault_injection.h"

namespace sinew::studio::test {

class RecordingPage final : public Connection {
 public:
  [[nodiscard]] std::uint64_t id() const override { return 1; }
  void sendText(std::string text) override {
    const std::scoped_lock lock(mutex_);
    heard_.push_back(Json::parse(text));
    changed_.notify_all();
  }
  void sendBinary(Bytes message) override { take(std::move(message)); }
  void close(std::string_view reason) override {
    const std::scoped_lock lock(mutex_);
    heard_.push_back({{"closed", std::string(reason)}});
    changed_.notify_all();
  }

  /// The first of what was heard, from number `from` on, that `fits`; null after ten seconds.
  template <class Fits>
  Json wait(const Fits& fits, std::size_t from = 0) {
    std::unique_lock lock(mutex_);
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    for (std::size_t next = from;;) {
      for (; next < heard_.size(); ++next) {
        if (fits(heard_[next])) return heard_[next];
      }
      if (changed_.wait_until(lock, until) == std::cv_status::timeout) return nullptr;
    }
  }
  [[nodiscard]] std::size_t count() {
    const std::scoped_lock lock(mutex_);
    return heard_.size();
  }
  /// Stages that were told, each once.
  [[nodiscard]] std::vector<std::string> stages() {
    const std::scoped_lock lock(mutex_);
    return stages_;
  }

  /// Binary messages of a kind since the last call of forget().
  template <class Message>
  [[nodiscard]] std::vector<Message> told() {
    const std::scoped_lock lock(mutex_);
    std::vector<Message> list;
    for (const Bytes& one : messages_) {
      if (readHeader(one)->code == Message::kCode)
        list.push_back(*decode<Message>(std::span(one).subspan(kHeaderBytes)));
    }
    return list;
  }
  void forget() {
    const std::scoped_lock lock(mutex_);
    messages_.clear();
  }

 private:
  void take(Bytes message) {
    const auto header = readHeader(message);
    if (!header) return;
    const std::scoped_lock lock(mutex_);
    if (header->code == wire::Progress::kCode)
      addStage(*decode<wire::Progress>(std::span(message).subspan(kHeaderBytes)));
    messages_.push_back(std::move(message));
  }
  void addStage(const wire::Progress& progress) {
    std::string stage(progress.stage.begin(), progress.stage.end());
    if (stages_.empty() || stages_.back() != stage) stages_.push_back(std::move(stage));
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Json> heard_;
  std::vector<std::string> stages_;
  std::vector<Bytes> messages_;
};

/// A folder with `root` and `state`, gone at the end.
class Scratch {
 public:
  Scratch() : owned_(true) {
    sinewFaultsSkipSync(1);  // the machine does not go down here
    std::string name = (std::filesystem::temp_directory_path() / "sinew-session-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
    for (const char* part : {"root", "state", "uploads"}) std::filesystem::create_directories(path_ / part);
  }
  /// One that another process made, and removes.
  explicit Scratch(std::filesystem::path path) : path_(std::move(path)) { sinewFaultsSkipSync(1); }
  ~Scratch() {
    if (!owned_) return;
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  bool owned_ = false;
};

/// One run of the studio.
class StudioRun {
 public:
  explicit StudioRun(const Scratch& scratch, const std::string& what = {}, int sampleVertices = 0,
                     const std::string& state = "state", std::span<const ModeRow> modes = studioModes()) {
    SessionOptions options;
    options.modes = modes;
    options.root = scratch / "root";
    options.state = scratch / state;
    options.uploads = scratch / "uploads";
    options.samplesVertices = sampleVertices;
    session_ = std::make_unique<Session>(options);
    if (!what.empty()) session_->open(what);
    hooks_ = session_->hooks();
    hooks_.opened(page_);
  }
  ~StudioRun() { session_->stop(); }
  StudioRun(const StudioRun&) = delete;
  StudioRun& operator=(const StudioRun&) = delete;

  [[nodiscard]] Session& session() { return *session_; }
  [[nodiscard]] RecordingPage& page() { return *page_; }

  /// The whole answer; {"closed"} where the studio hung up instead.
  Json ask(const std::string& command, const Json& args = Json::object()) {
    const int id = ++asked_;
    const std::size_t from = page_->count();
    hooks_.text(page_, Json{{"id", id}, {"cmd", command}, {"args", args}}.dump());
    return page_->wait([id](const Json& heard) { return heard.value("id", 0) == id || heard.contains("closed"); },
                       from);
  }
  /// The result; an answer that is a fault comes back as it is.
  Json result(const std::string& command, const Json& args = Json::object()) {
    const Json answer = ask(command, args);
    return answer.is_object() && answer.value("ok", false) ? answer["result"] : answer;
  }
  /// Opens, and waits for the end of the job where there is one.
  Json open(const Json& args) {
    const Json answer = result("open", args);
    return answer.contains("job") ? jobEnd(answer["job"].get<int>()) : answer;
  }
  Json jobEnd(int job) {
    return page_->wait(
        [job](const Json& heard) { return heard.value("event", "") == "job" && heard.value("job", 0) == job; });
  }
  /// The page is loaded again: the old one goes before the new one comes, or after.
  void reload(bool closesFirst) {
    const auto old = page_;
    page_ = std::make_shared<RecordingPage>();
    if (closesFirst) hooks_.closed(old);
    hooks_.opened(page_);
    if (!closesFirst) hooks_.closed(old);
  }
  Json document() { return result("describe"); }
  /// All of the document that a step can change.
  Json state() {
    Json all = document();
    for (const char* name : {"saved", "number", "path", "title"}) all.erase(name);
    return all;
  }
  /// Steps that can be undone.
  std::size_t depth() {
    std::size_t steps = 0;
    onWorker([&](Session& session) { steps = session.history().depth(); });
    return steps;
  }
  template <class Message>
  void send(const Message& message) {
    const Bytes bytes = encode(message, 1, 0);
    hooks_.binary(page_, bytes);
  }
  /// Does something on the worker, after all that came before.
  template <class Work>
  void onWorker(const Work& work) {
    studio::onWorker(*session_, work);
  }

 private:
  std::unique_ptr<Session> session_;
  ServerHooks hooks_;
  std::shared_ptr<RecordingPage> page_ = std::make_shared<RecordingPage>();
  int asked_ = 0;
};

}  // namespace sinew::studio::test
