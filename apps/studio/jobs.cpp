#include "jobs.h"

#include <chrono>

#include "sinew/base/error.h"

namespace sinew::studio {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kBetween = std::chrono::milliseconds(100);

}  // namespace

Jobs::~Jobs() {
  std::map<std::uint32_t, std::unique_ptr<Job>> jobs;
  {
    const std::scoped_lock lock(mutex_);
    jobs.swap(jobs_);
  }
  for (auto& [id, job] : jobs) job->cancelled = true;
  for (auto& [id, job] : jobs) job->thread.join();
}

std::uint32_t Jobs::start(std::function<void(const Progress&)> work,
                          std::function<void(std::uint32_t, const std::string&, bool)> done) {
  const std::scoped_lock lock(mutex_);
  reap();
  const std::uint32_t id = next_++;
  auto job = std::make_unique<Job>();
  Job* const self = job.get();
  job->thread = std::thread([id, self, listener = listener_, work = std::move(work), done = std::move(done)] {
    const auto begin = Clock::now();
    auto last = begin - kBetween;
    const Progress progress = [&](const ProgressState& state) {
      const auto now = Clock::now();
      if (listener && now - last >= kBetween) {
        last = now;
        listener({id, state.fraction, state.value, std::chrono::duration<double>(now - begin).count(),
                  std::string(state.stage)});
      }
      return !self->cancelled;
    };
    std::string fault;
    bool cancelled = false;
    try {
      work(progress);
    } catch (const Error& error) {
      cancelled = error.code() == ErrorCode::Cancelled;
      fault = error.what();
    } catch (const std::exception& error) {
      fault = error.what();
    }
    done(id, fault, cancelled);
    self->finished = true;
  });
  jobs_.emplace(id, std::move(job));
  return id;
}

void Jobs::cancel(std::uint32_t job) {
  const std::scoped_lock lock(mutex_);
  const auto found = jobs_.find(job);
  if (found != jobs_.end()) found->second->cancelled = true;
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
