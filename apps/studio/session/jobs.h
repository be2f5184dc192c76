// Long tasks on threads of their own: learning, binding, reading large files. Each has a number and progress, and can
// be cancelled. Few run at once (kMostJobs).
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
  /// `slot`: of the jobs in one, the newest cancels the others and begins once none of them runs any more; empty: it
  /// begins at once. Throws CommandFault if kMostJobs run already; a job that waits for its slot may be one more.
  std::uint32_t start(Work work, Done done, Cancelling cancelling = Cancelling::WhenItAsks,
                      const std::string& slot = {});
  void cancel(std::uint32_t job);
  /// Cancels all and waits for them.
  void stop();
  void listen(JobListener listener);

 private:
  struct Job {
    std::atomic<bool> cancelled = false;
    std::atomic<bool> finished = false;
    bool waits = false;  // for its slot; it has no thread yet
    std::string slot;
    Work work;           // until it begins
    std::mutex telling;  // no progress is reported after the end
    bool told = false;
    Cancelling cancelling = Cancelling::WhenItAsks;
    Done done;
    std::thread thread;

    void tell(std::uint32_t id, const std::string& fault, bool wasCancelled);
  };
  void reap();
  [[nodiscard]] std::size_t running() const;
  [[nodiscard]] bool runsIn(const std::string& slot) const;
  void launch(std::uint32_t id, Job& job);
  void run(std::uint32_t id, Job& job, const JobListener& listener, const Work& work);
  /// On the thread of a job that has ended: the one that waits for its slot begins.
  void launchNext(Job& ended);

  mutable std::mutex mutex_;
  std::map<std::uint32_t, std::unique_ptr<Job>> jobs_;
  JobListener listener_;
  std::uint32_t next_ = 1;
};

}  // namespace sinew::studio
