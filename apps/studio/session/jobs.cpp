#include "studio/session/jobs.h"

#include <chrono>
#include <new>
#include <utility>

#include "sinew/base/error.h"

namespace sinew::studio {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kBetween = std::chrono::milliseconds(100);

/// Without memory, a text that fits the small-string buffer and so needs no allocation.
std::string sentenceOf(const std::exception& error) noexcept {
  try {
    if (dynamic_cast<const std::bad_alloc*>(&error) == nullptr) return error.what();
    return "not enough memory for this";
  } catch (const std::bad_alloc&) {
    return "out of memory";
  }
}

}  // namespace

Jobs::~Jobs() {
  stop();
}

void Jobs::stop() {
  std::map<std::uint32_t, std::unique_ptr<Job>> jobs;
  {
    const std::scoped_lock lock(mutex_);
    jobs.swap(jobs_);
  }
  for (auto& [id, job] : jobs) job->cancelled = true;
  for (auto& [id, job] : jobs) job->thread.join();
}

void Jobs::Job::tell(std::uint32_t id, const std::string& fault, bool wasCancelled) {
  Done call;
  {
    const std::scoped_lock lock(telling);
    if (std::exchange(told, true)) return;
    call.swap(done);
  }
  // The end must be reported: without memory for that, try again later.
  for (;;) {
    try {
      return call(id, fault, wasCancelled);
    } catch (const std::bad_alloc&) {
      std::this_thread::sleep_for(kBetween);
    }
  }
}

std::uint32_t Jobs::start(Work work, Done done, Cancelling cancelling) {
  const std::scoped_lock lock(mutex_);
  reap();
  const std::uint32_t id = next_++;
  auto job = std::make_unique<Job>();
  Job* const self = job.get();
  self->cancelling = cancelling;
  self->done = std::move(done);
  job->thread = std::thread([id, self, listener = listener_, work = std::move(work)]() mutable {
    const auto begin = Clock::now();
    auto last = begin - kBetween;
    std::string stage;
    const Progress progress = [&](const ProgressState& state) {
      const auto now = Clock::now();
      const std::scoped_lock telling(self->telling);
      if (self->cancelled) return false;
      if (listener && (now - last >= kBetween || state.stage != stage)) {
        last = now;
        stage = state.stage;
        listener({id, state.fraction, std::chrono::duration<double>(now - begin).count(), stage});
      }
      return true;
    };
    std::string fault;
    bool cancelled = false;
    try {
      work(progress);
    } catch (const Error& error) {
      cancelled = error.code() == ErrorCode::Cancelled;
      fault = sentenceOf(error);
    } catch (const std::exception& error) {
      fault = sentenceOf(error);
    }
    self->tell(id, fault, cancelled);
    // Its result may be large: free it now, not with the next job.
    work = nullptr;
    self->finished = true;
  });
  jobs_.emplace(id, std::move(job));
  return id;
}

void Jobs::cancel(std::uint32_t id) {
  Job* job = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) return;
    job = found->second.get();
    const std::scoped_lock telling(job->telling);
    job->cancelled = true;
  }
  // It stays in the map: only start() and stop(), also on this thread, remove jobs.
  if (job->cancelling == Cancelling::AtOnce) job->tell(id, "cancelled", true);
}

bool Jobs::busy() const {
  const std::scoped_lock lock(mutex_);
  for (const auto& [id, job] : jobs_) {
    if (!job->finished) return true;
  }
  return false;
}

void Jobs::listen(JobListener listener) {
  const std::scoped_lock lock(mutex_);
  listener_ = std::move(listener);
}

void Jobs::reap() {
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    if (job->second->finished) {
      job->second->thread.join();
      job = jobs_.erase(job);
    } else {
      ++job;
    }
  }
}

}  // namespace sinew::studio
