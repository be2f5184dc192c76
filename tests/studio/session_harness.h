// A session without a network, its folders, and a page that records its messages.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "on_worker.h"
#include "recording_page.h"
#include "studio/session/session.h"
#include "support/fault_injection/fault_injection.h"
#include "support/temporary_folder.h"

namespace sinew::studio::test {

/// A folder with `root` and `state`, removed at the end.
class Scratch {
 public:
  Scratch() : owned_(std::make_unique<sinew::test::TemporaryFolder>("sinew-session")), path_(owned_->path()) {
    sinewFaultsSkipSync(1);  // the machine does not go down here
    for (const char* part : {"root", "state", "uploads"}) std::filesystem::create_directories(path_ / part);
  }
  /// Owned by another process, which removes it.
  explicit Scratch(std::filesystem::path path) : path_(std::move(path)) { sinewFaultsSkipSync(1); }

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::unique_ptr<sinew::test::TemporaryFolder> owned_;
  std::filesystem::path path_;
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

  /// The complete answer; {"closed"} if the studio closed the connection instead.
  Json ask(const std::string& command, const Json& args = Json::object()) {
    const int id = ++asked_;
    const std::size_t from = page_->count();
    hooks_.text(page_, Json{{"id", id}, {"cmd", command}, {"args", args}}.dump());
    return page_->wait([id](const Json& heard) { return heard.value("id", 0) == id || heard.contains("closed"); },
                       from);
  }
  /// The result; of a fault, the complete answer.
  Json result(const std::string& command, const Json& args = Json::object()) {
    const Json answer = ask(command, args);
    return answer.is_object() && answer.value("ok", false) ? answer["result"] : answer;
  }
  /// Opens, and waits for the job, if any.
  Json open(const Json& args) {
    const Json answer = result("open", args);
    return answer.contains("job") ? jobEnd(answer["job"].get<int>()) : answer;
  }
  Json jobEnd(int job) {
    return page_->wait(
        [job](const Json& heard) { return heard.value("event", "") == "job" && heard.value("job", 0) == job; });
  }
  /// Reloads the page: the old one disconnects before or after the new one connects.
  void reload(bool closesFirst) {
    const auto old = page_;
    page_ = std::make_shared<RecordingPage>();
    if (closesFirst) hooks_.closed(old);
    hooks_.opened(page_);
    if (!closesFirst) hooks_.closed(old);
  }
  Json document() { return result("describe"); }
  /// Everything in the document that a step can change.
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
  /// Runs work on the worker, after everything queued earlier.
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
