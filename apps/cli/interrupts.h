// Ctrl-C: every command ends within a second with exit code 130 and leaves no file.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "sinew/io/files.h"

namespace sinew::cli {

/// True after an interrupt: progress callbacks then cancel.
bool interrupted();

/// While it lives, SIGINT and SIGTERM (and SIGHUP, unless it is ignored) end the program. Outputs that are not yet in
/// place are removed at once, by a thread of its own. The command then has a moment to unwind: loops that ask a
/// progress callback do. If it does not (a third-party reader, one long factorisation), the process exits from here.
class Interrupts {
 public:
  /// `farewell` prints what happened; called only if the command does not end by itself.
  Interrupts(OutputFiles& outputs, std::function<void()> farewell);
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

 private:
  void wait();

  OutputFiles& outputs_;
  std::function<void()> farewell_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace sinew::cli
