// Long tasks on threads of their own: learning, binding, reading large files. Each has a number and progress, and can
// be cancelled.
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
  double seconds = 0;
  std::string stage;
};

/// Called on the job's thread, at most 10 times a second and whenever a stage begins.
using JobListener = std::function<void(const JobProgress&)>;

/// What cancelling waits for: the next time that the work reports progress, or nothing. In the second case the work
/// ends by itself later and its result is dropped; `done` must not use it.
enum class Cancelling { WhenItAsks, AtOnce };

class Jobs {
 public:
  Jobs() = default;
  /// Calls stop().
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  using Work = std::function<void(const Progress&)>;
  using Done = std::function<void(std::uint32_t job, const std::string& fault, bool cancelled)>;
  /// `work` runs on its own thread with a progress that throws Error(Cancelled) once cancelled. `done` is called once,
  /// on that thread or by cancel(), with its fault as a sentence, empty if there is none.
  std::uint32_t start(Work work, Done done, Cancelling cancelling = Cancelling::WhenItAsks);
  void cancel(std::uint32_t job);
  /// Cancels all and waits for them.
  void stop();
  [[nodiscard]] bool busy() const;
  void listen(JobListener listener);

 private:
  struct Job {
    std::atomic<bool> cancelled = false;
    std::atomic<bool> finished = false;
    std::mutex telling;  // no progress is reported after the end
    bool told = false;
    Cancelling cancelling = Cancelling::WhenItAsks;
    Done done;
    std::thread thread;

    void tell(std::uint32_t id, const std::string& fault, bool wasCancelled);
  };
  void reap();

  mutable std::mutex mutex_;
  std::map<std::uint32_t, std::unique_ptr<Job>> jobs_;
  JobListener listener_;
  std::uint32_t next_ = 1;
};

}  // namespace sinew::studio
