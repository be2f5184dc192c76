// The protocol is in docs/cli.md. Both pipes are non-blocking and polled together: a program that answers while its
// input is still being written, or that answers late, can neither block the other side nor hang this one.
#include "sinew/io/pipe_box.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "sinew/base/check.h"
#include "sinew/io/files/child_process.h"
#include "sinew/io/files/descriptor.h"

namespace sinew {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers go through the pipe as they lie in memory");

using Clock = std::chrono::steady_clock;
constexpr auto kPatienceAtTheEnd = std::chrono::milliseconds(500);
constexpr int kGuardDescriptor = 3;

/// Writing to a process that has ended must be an error code, not the end of this program: the signal is blocked in
/// this thread while it lives, and taken away where it has come.
class QuietPipe {
 public:
  QuietPipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    wasPending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~QuietPipe() {
    if (!wasPending_) {
      const timespec now{0, 0};
      while (sigtimedwait(&pipe_, nullptr, &now) == SIGPIPE) continue;
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  QuietPipe(const QuietPipe&) = delete;
  QuietPipe& operator=(const QuietPipe&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool wasPending_ = false;
};

std::string endedText(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  const int code = WEXITSTATUS(status);
  if (code == 127) return "could not be found (exit code 127)";
  if (code == 126) return "cannot be executed (exit code 126)";
  return fmt::format("ended with exit code {}", code);
}

}  // namespace

struct PipeBox::Impl {
  std::string command;
  double timeout = 20;
  files::ChildProcess child;
  files::ChildProcess guard;
  files::Descriptor alive;  // the guard waits for its other end to close
  files::Descriptor input;  // of the child
  files::Descriptor output;
  int calls = 0;
  std::string fault;  // the first one: the stream is out of step after it
  std::vector<char> outgoing;
  std::vector<char> incoming;

  Impl(std::string wanted, const PipeBoxOptions& options) : command(std::move(wanted)), timeout(options.timeout) {
    SINEW_CHECK(!command.empty(), "black box", "the command is empty; give a program");
    SINEW_CHECK(std::isfinite(timeout) && timeout > 0, "black box",
                fmt::format("the timeout is {} seconds; it must be above 0", timeout));
    start();
  }

  ~Impl() { end(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  [[noreturn]] void refuse(const std::string& what) {
    fault = what;
    throw Error(ErrorCode::BadInput, what, fmt::format("black box '{}'", command));
  }

  void start() {
    auto [childInput, ourInput] = files::makePipe();
    auto [ourOutput, childOutput] = files::makePipe();
    auto [guardEnd, ourEnd] = files::makePipe();
    const int failed = child.start({.words = {"/bin/sh", "-c", command},
                                    .inherited = {{childInput.get(), STDIN_FILENO}, {childOutput.get(), STDOUT_FILENO}},
                                    .restored = files::onlySignals({SIGPIPE})});
    if (failed != 0) refuse(fmt::format("could not be started ({}); /bin/sh must exist", std::strerror(failed)));
    for (const files::Descriptor* end : {&ourInput, &ourOutput}) fcntl(end->get(), F_SETFL, O_NONBLOCK);
    input = std::move(ourInput);
    output = std::move(ourOutput);
    startGuard(guardEnd.get());
    alive = std::move(ourEnd);
  }

  /// A process that ends the box's group when this process is gone, however it ended: by exit, _exit or SIGKILL. A
  /// death signal (PR_SET_PDEATHSIG) would reach the shell alone, not what the shell has started. If the guard cannot
  /// be started the box still works, and is ended with the object.
  void startGuard(int end) {
    const std::string script = fmt::format("read -r end <&{}; kill -s KILL -- -{}", kGuardDescriptor, child.id());
    // It must outlive every signal that ends this process; SIGKILL, which ends it, cannot be blocked.
    guard.start({.words = {"/bin/sh", "-c", script},
                 .inherited = {{end, kGuardDescriptor}},
                 .isolated = true,
                 .blocked = files::allSignals()});
  }

  /// Before the box is reaped: afterwards the number of its group may belong to others.
  void endGuard() {
    if (!guard.running()) return;
    guard.kill();
    alive.close();
  }

  /// Ends what is left of the group and reaps its leader.
  int reapGroup() {
    endGuard();
    return child.killGroup();
  }

  /// Waits briefly for the process to end by itself, then ends its process group and reaps it. The group is ended
  /// first: its number is reserved until its leader is reaped.
  bool reap(int& status) {
    const auto deadline = Clock::now() + kPatienceAtTheEnd;
    while (!child.ended()) {
      if (Clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    status = reapGroup();
    return true;
  }

  /// Closes its input, waits a moment, then ends the whole group.
  void end() {
    input.close();
    output.close();
    int status = 0;
    if (child.running() && !reap(status)) reapGroup();
  }

  /// Why nothing more comes from the process.
  [[noreturn]] void refuseEnded(std::size_t got, std::size_t wanted) {
    int status = 0;
    const std::string how = reap(status) ? endedText(status) : "closed its output";
    refuse(
        fmt::format("{} in call {}, after {} of {} bytes of its answer; check the command, and that it answers until "
                    "its input is closed",
                    how, calls, got, wanted));
  }

  [[noreturn]] void refuseLate(std::size_t sent, std::size_t got) {
    const std::string state = sent < outgoing.size()
                                  ? fmt::format("it has read {} of {} bytes", sent, outgoing.size())
                                  : fmt::format("it has answered {} of {} bytes", got, incoming.size());
    refuse(
        fmt::format("did not answer call {} within {:g} seconds ({}); it must read and write binary points and flush "
                    "its output, or needs a longer --box-timeout",
                    calls, timeout, state));
  }

  /// A count that differs is known as soon as it is there: waiting for the rest would only time out.
  void checkCount(std::uint32_t wanted) {
    std::uint32_t count = 0;
    std::memcpy(&count, incoming.data(), sizeof count);
    if (count == wanted) return;
    refuse(
        fmt::format("declared {} points in its answer to {}; it must write the count it received, as 4 bytes, and then "
                    "that many points",
                    count, wanted));
  }

  /// Some more bytes of the request, as many as the pipe takes.
  void write(std::size_t& sent) {
    const ssize_t wrote = ::write(input.get(), outgoing.data() + sent, outgoing.size() - sent);
    if (wrote >= 0) {
      sent += toSize(wrote);
    } else if (errno == EPIPE) {
      refuseEnded(0, incoming.size());
    } else if (errno != EAGAIN && errno != EINTR) {
      refuse(fmt::format("cannot be written to ({})", std::strerror(errno)));
    }
  }

  /// Some more bytes of the answer; false at its end.
  bool read(std::size_t& got) {
    const ssize_t came = ::read(output.get(), incoming.data() + got, incoming.size() - got);
    if (came > 0) got += toSize(came);
    if (came < 0 && errno != EAGAIN && errno != EINTR) refuse(fmt::format("cannot be read ({})", std::strerror(errno)));
    return came != 0;
  }

  void exchange(std::uint32_t count) {
    const QuietPipe quiet;
    const auto deadline = Clock::now() + std::chrono::duration<double>(timeout);
    std::size_t sent = 0;
    std::size_t got = 0;
    bool counted = false;
    while (sent < outgoing.size() || got < incoming.size()) {
      const double left = std::chrono::duration<double>(deadline - Clock::now()).count();
      if (left <= 0) refuseLate(sent, got);
      pollfd watched[] = {{sent < outgoing.size() ? input.get() : -1, POLLOUT, 0}, {output.get(), POLLIN, 0}};
      const int ready = ::poll(watched, 2, static_cast<int>(std::min(1e3 * left + 1, 1e9)));
      if (ready < 0 && errno != EINTR) refuse(fmt::format("cannot be watched ({})", std::strerror(errno)));
      if (ready <= 0) continue;
      // Its output is checked first: a wrong count explains more than the broken pipe that follows it.
      if ((watched[1].revents & (POLLIN | POLLHUP | POLLERR)) != 0 && got < incoming.size()) {
        if (!read(got)) refuseEnded(got, incoming.size());
        if (!counted && got >= sizeof count) {
          checkCount(count);
          counted = true;
        }
      } else if ((watched[1].revents & POLLHUP) != 0 && sent < outgoing.size()) {
        refuseEnded(got, incoming.size());
      }
      if ((watched[0].revents & (POLLOUT | POLLERR | POLLHUP)) != 0) write(sent);
    }
  }
};

PipeBox::PipeBox(std::string command, const PipeBoxOptions& options)
    : impl_(std::make_unique<Impl>(std::move(command), options)) {}
PipeBox::~PipeBox() = default;

const std::string& PipeBox::command() const {
  return impl_->command;
}
int PipeBox::calls() const {
  return impl_->calls;
}

void PipeBox::move(const Points& points, Points& moved) {
  Impl& box = *impl_;
  if (!box.fault.empty()) box.refuse(box.fault);
  SINEW_CHECK(points.cols() < Index{1} << 31, "black box", "a mesh of more than 2^31 points cannot be sent");
  const auto count = static_cast<std::uint32_t>(points.cols());
  const auto bytes = toSize(points.size()) * sizeof(double);
  box.outgoing.resize(sizeof count + bytes);
  box.incoming.resize(sizeof count + bytes);
  std::memcpy(box.outgoing.data(), &count, sizeof count);
  if (bytes > 0) std::memcpy(box.outgoing.data() + sizeof count, points.data(), bytes);
  ++box.calls;
  box.exchange(count);
  moved.resize(3, points.cols());
  if (bytes > 0) std::memcpy(moved.data(), box.incoming.data() + sizeof count, bytes);
  const Index bad = firstNonFinite(moved);
  if (bad >= 0) {
    box.refuse(
        fmt::format("answered call {} with a value that is not a finite number at vertex {}; check that it "
                    "writes little-endian 64-bit floats and nothing else",
                    box.calls, bad));
  }
}

PointMap PipeBox::map() {
  return [impl = this](const Points& rest, Points& moved) { impl->move(rest, moved); };
}

}  // namespace sinew
