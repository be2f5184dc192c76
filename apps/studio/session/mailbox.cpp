#include "studio/session/mailbox.h"

#include <utility>

#include "studio/bounds.h"

namespace sinew::studio {

void Mailbox::put(SessionTask task) {
  const std::scoped_lock lock(mutex_);
  const std::size_t bytes = task.text.size() + task.binary.size();
  tasks_.push_back(std::move(task));
  bytes_ += bytes;
  wake_.notify_one();
}

void Mailbox::putMessage(const ConnectionPtr& from, std::span<const std::uint8_t> bytes) {
  const std::scoped_lock lock(mutex_);
  const auto key = newestKey(bytes);
  if (key && !tasks_.empty() && !tasks_.back().binary.empty() && newestKey(tasks_.back().binary) == key) {
    Bytes& last = tasks_.back().binary;
    Bytes newer(bytes.begin(), bytes.end());
    bytes_ = bytes_ - last.size() + newer.size();
    last = std::move(newer);
    ++replaced_;
    return;
  }
  tasks_.push_back({from, {}, Bytes(bytes.begin(), bytes.end()), nullptr});
  bytes_ += bytes.size();
  wake_.notify_one();
}

std::optional<SessionTask> Mailbox::take() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return closed_ || !tasks_.empty(); });
  if (closed_) return std::nullopt;
  SessionTask task = std::move(tasks_.front());
  tasks_.pop_front();
  bytes_ -= task.text.size() + task.binary.size();
  return task;
}

void Mailbox::close() {
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  wake_.notify_all();
}

void Mailbox::clear() {
  const std::scoped_lock lock(mutex_);
  tasks_.clear();
  bytes_ = 0;
}

bool Mailbox::full() {
  const std::scoped_lock lock(mutex_);
  return tasks_.size() >= kMostTasks || bytes_ >= kMostTaskBytes;
}

std::size_t Mailbox::size() {
  const std::scoped_lock lock(mutex_);
  return tasks_.size();
}

std::uint32_t Mailbox::takeReplaced() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(replaced_, 0);
}

}  // namespace sinew::studio
