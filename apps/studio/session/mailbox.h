// What waits for a session's worker: in order, except that of live messages (drags, sliders) the newest takes the place
// of one that waits.
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

/// A command or a message of a page, or something that the studio itself does next.
struct SessionTask {
  ConnectionPtr from;
  std::string text;
  Bytes binary;
  std::function<void()> call;
  std::chrono::steady_clock::time_point arrived = std::chrono::steady_clock::now();
};

/// Safe to use from several threads.
class Mailbox {
 public:
  void put(SessionTask task);
  /// A binary message. One with the same key (newestKey) that waits last is replaced; anything else that came between
  /// keeps its place, and so does the new one.
  void putMessage(const ConnectionPtr& from, std::span<const std::uint8_t> bytes);
  /// Waits for the next one. Nothing once it is closed, whatever still waits.
  std::optional<SessionTask> take();
  void close();
  /// Forgets what waits.
  void clear();

  [[nodiscard]] bool full();  ///< kMostTasks or kMostTaskBytes wait
  [[nodiscard]] std::size_t size();
  /// How many messages were replaced since the last call.
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
