#include "studio/session/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>
#include <vector>

#include "sinew/base/error.h"
#include "studio/bounds.h"
#include "studio/command_json.h"

namespace sinew::studio {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kBetween = std::chrono::milliseconds(100);
constexpr const char* kCancelled = "cancelled";

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
  for (auto& [id, job] : jobs) {
    if (job->thread.joinable()) job->thread.join();
  }
  for (auto& [id, job] : jobs) {
    if (job->waits) job->tell(id, kCancelled, true);
  }
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

std::uint32_t Jobs::start(Work work, Done done, Cancelling cancelling, const std::string& slot) {
  std::uint32_t id = 0;
  std::vector<std::uint32_t> replaced;
  {
    const std::scoped_lock lock(mutex_);
    reap();
    const bool waits = !slot.empty() && runsIn(slot);
    if (!waits && running() >= kMostJobs)
      throw CommandFault("busy", fmt::format("{} tasks are running already", kMostJobs),
                         "Wait until one of them has ended, or cancel it.");
    for (const auto& [other, job] : jobs_) {
      if (!slot.empty() && job->slot == slot && !job->finished) replaced.push_back(other);
    }
    id = next_++;
    auto job = std::make_unique<Job>();
    job->cancelling = cancelling;
    job->waits = waits;
    job->slot = slot;
    job->work = std::move(work);
    job->done = std::move(done);
    Job& started = *jobs_.emplace(id, std::move(job)).first->second;
    try {
      if (!waits) launch(id, started);
    } catch (...) {
      jobs_.erase(id);
      throw;
    }
  }
  for (const std::uint32_t other : replaced) cancel(other);
  return id;
}

void Jobs::launch(std::uint32_t id, Job& job) {
  job.thread = std::thread([this, id, &job, listener = listener_, work = std::move(job.work)]() mutable {
    run(id, job, listener, work);
    // Its result may be large: free it now, not with the next job.
    work = nullptr;
    launchNext(job);
  });
}

void Jobs::run(std::uint32_t id, Job& job, const JobListener& listener, const Work& work) {
  const auto begin = Clock::now();
  auto last = begin - kBetween;
  std::string stage;
  const Progress progress = [&](const ProgressState& state) {
    const auto now = Clock::now();
    const std::scoped_lock telling(job.telling);
    if (job.cancelled) return false;
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
  job.tell(id, fault, cancelled);
}

void Jobs::launchNext(Job& ended) {
  std::uint32_t id = 0;
  Job* next = nullptr;
  std::string fault;
  {
    const std::scoped_lock lock(mutex_);
    ended.finished = true;
    if (ended.slot.empty() || runsIn(ended.slot)) return;
    // The newest: an older one is about to be cancelled.
    const auto found = std::find_if(jobs_.rbegin(), jobs_.rend(), [&](const auto& one) {
      return one.second->waits && one.second->slot == ended.slot;
    });
    if (found == jobs_.rend()) return;
    id = found->first;
    next = found->second.get();
    next->waits = false;
    try {
      return launch(id, *next);
    } catch (const std::exception& error) {
      fault = sentenceOf(error);
    }
  }
  next->tell(id, fault, false);
  next->finished = true;
}

void Jobs::cancel(std::uint32_t id) {
  Job* job = nullptr;
  bool atOnce = false;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) return;
    job = found->second.get();
    const std::scoped_lock telling(job->telling);
    job->cancelled = true;
    atOnce = job->waits || job->cancelling == Cancelling::AtOnce;
    if (std::exchange(job->waits, false)) {
      job->work = nullptr;
      job->finished = true;
    }
  }
  // It stays in the map: only start() and stop(), also on this thread, remove jobs.
  if (atOnce) job->tell(id, kCancelled, true);
}

std::size_t Jobs::running() const {
  return toSize(std::count_if(jobs_.begin(), jobs_.end(),
                              [](const auto& one) { return !one.second->finished && !one.second->waits; }));
}

bool Jobs::runsIn(const std::string& slot) const {
  return std::any_of(jobs_.begin(), jobs_.end(), [&](const auto& one) {
    return one.second->slot == slot && !one.second->finished && !one.second->waits;
  });
}

void Jobs::listen(JobListener listener) {
  const std::scoped_lock lock(mutex_);
  listener_ = std::move(listener);
}

void Jobs::reap() {
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    if (job->second->finished) {
      if (job->second->thread.joinable()) job->second->thread.join();
      job = jobs_.erase(job);
    } else {
      ++job;
    }
  }
}

}  // namespace sinew::studio
