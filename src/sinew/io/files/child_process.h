// A process started from here, that ends with its owner. Private to io.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace sinew::files {

sigset_t noSignals();
sigset_t allSignals();
sigset_t onlySignals(std::initializer_list<int> signals);

struct ChildStart {
  struct Inherited {
    int here = -1;   ///< a descriptor of this process
    int there = -1;  ///< its number in the child
  };

  std::vector<std::string> words{};    ///< the path of the program, and its arguments
  std::vector<Inherited> inherited{};  ///< set up in this order
  /// The three standard streams are /dev/null, and above the last of `inherited` no descriptor is open.
  bool isolated = false;
  sigset_t blocked = noSignals();
  sigset_t restored = noSignals();  ///< handled by default even if this process ignores them
};

/// Leads a process group of its own: Ctrl-C is for this process, which then ends the other. The destructor kills and
/// reaps it.
class ChildProcess {
 public:
  ChildProcess() = default;
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// 0, or the errno of the failure. Must not be called while it is running.
  int start(const ChildStart& settings);
  /// Started and not yet reaped.
  [[nodiscard]] bool running() const { return id_ > 0; }
  [[nodiscard]] pid_t id() const { return id_; }
  /// It ended; it is left to be reaped, so its number and that of its group stay reserved.
  [[nodiscard]] bool ended() const;

  // Each returns the status of waitpid(). They need a running process.
  int wait();
  int kill();
  int killGroup();

 private:
  pid_t id_ = -1;
};

}  // namespace sinew::files
