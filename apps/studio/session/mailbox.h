// The queue of a session's worker: in order, except that a live message (of a drag or slider) replaces an older one
// that is still queued.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "studio/net/server.h"

namespace sinew::studio {

/// A command or a message of a page, or a task of the studio itself.
struct SessionTask {
  ConnectionPtr from;
  std::string text;
  Bytes binary;
  std::function<void()> call;
  std::chrono::steady_clock::time_point arrived = std::chrono::steady_clock::now();
};

/// Thread-safe.
class Mailbox {
 public:
  void put(SessionTask task);
  /// A binary message. It replaces the last queued one if both have the same key (newestKey); otherwise it is appended,
  /// so that the order is kept.
  void putMessage(const ConnectionPtr& from, std::span<const std::uint8_t> bytes);
  /// Waits for the next task. None once the queue is closed, even if tasks are left.
  std::optional<SessionTask> take();
  void close();
  /// Drops all queued tasks.
  void clear();

  [[nodiscard]] bool full();  ///< kMostTasks or kMostTaskBytes are queued
  [[nodiscard]] std::size_t size();
  /// The number of messages replaced since the last call.
  std::uint32_t takeReplaced();

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<SessionTask> tasks_;
  std::size_t bytes_ = 0;
  std::uint32_t replaced_ = 0;
  bool closed_ = false;
};

}  // namespace sinew::studio
