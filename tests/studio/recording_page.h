// A page without a network that records its messages.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "studio/document/edit_json.h"
#include "studio/net/server.h"

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

  /// The first recorded message from number `from` on that `fits`; null after ten seconds.
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
  /// The reported stages, each once.
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

}  // namespace sinew::studio::test
