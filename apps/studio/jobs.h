// Long work beside the worker: learning, binding, reading large files. Each has a number, progress, and can be
// cancelled.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "sinew/base/progress.h"

namespace sinew::studio {

struct JobProgress {
  std::uint32_t job = 0;
  double fraction = 0;
  double value = 0;
  double seconds = 0;
  std::string stage;
};

/// Told from the job's thread, at most 10 times a second.
using JobListener = std::function<void(const JobProgress&)>;

class Jobs {
 public:
  Jobs() = default;
  /// Cancels and waits for all.
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  /// `work` runs on its own thread with a progress that throws Error(Cancelled) once cancelled. `done` is called on
  /// that thread with the sentence of its fault, or an empty one; `cancelled` tells whether it was.
  std::uint32_t start(std::function<void(const Progress&)> work,
                      std::function<void(std::uint32_t job, const std::string& fault, bool cancelled)> done);
  void cancel(std::uint32_t job);
  [[nodiscard]] bool busy() const;
  void listen(JobListener listener);

 private:
  struct Job {
    std::atomic<bool> cancelled = false;
    std::atomic<bool> finished = false;
    std::thread thread;
  };
  void reap();

  mutable std::mutex mutex_;
  std::map<std::uint32_t, std::unique_ptr<Job>> jobs_;
  JobListener listener_;
  std::uint32_t next_ = 1;
};

}  // namespace sinew::studio
