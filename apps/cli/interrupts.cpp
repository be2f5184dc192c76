#include "interrupts.h"

#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>

#include "command.h"

namespace sinew::cli {
namespace {

/// How long a command may take to unwind.
constexpr auto kGrace = std::chrono::milliseconds(300);

std::atomic<int> signalsSeen{0};
sem_t wake;

void onSignal(int /*signal*/) {
  const int fault = errno;
  // The third signal ends the process immediately, even if a disk does not respond.
  if (++signalsSeen > 2) ::_exit(Interrupted);
  ::sem_post(&wake);
  errno = fault;
}

void handle(int signal, bool evenIfIgnored) {
  struct sigaction before = {};
  sigaction(signal, nullptr, &before);
  if (before.sa_handler == SIG_IGN && !evenIfIgnored) return;
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

}  // namespace

bool interrupted() {
  return signalsSeen > 0;
}

Interrupts::Interrupts(OutputFiles& outputs, std::function<void()> farewell)
    : outputs_(outputs), farewell_(std::move(farewell)) {
  ::sem_init(&wake, 0, 0);
  // The thread takes no signals itself, so that others (the studio's) may wait for them.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { wait(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  handle(SIGINT, true);
  handle(SIGTERM, true);
  handle(SIGHUP, false);
}

Interrupts::~Interrupts() {
  {
    const std::scoped_lock lock(mutex_);
    done_ = true;
  }
  ended_.notify_all();
  ::sem_post(&wake);
  thread_.join();
}

void Interrupts::wait() {
  while (::sem_wait(&wake) != 0) {
  }
  std::unique_lock lock(mutex_);
  if (done_) return;
  outputs_.discard();
  if (ended_.wait_for(lock, kGrace, [this] { return done_; })) return;
  farewell_();
  ::_exit(Interrupted);
}

}  // namespace sinew::cli
