#include "streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "sinew/base/error.h"

namespace sinew::cli {

void openStreams() {
  std::signal(SIGPIPE, SIG_IGN);
  // A limit on the size of files: writing fails with EFBIG instead, and temporary files are removed.
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // open() returns the lowest free number, which is this one. Read-only, so that writing to it fails.
    if (::fcntl(stream, F_GETFD) < 0) ::open("/dev/null", O_RDONLY);
  }
}

void say(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (std::ferror(stdout) != 0) finishSaying();
}

void finishSaying() {
  const int before = errno;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw Error(ErrorCode::Unwritable,
              fmt::format("cannot be written ({}); the printed result is incomplete",
                          std::strerror(errno != 0 ? errno : before)),
              "stdout");
}

void tell(std::string_view text) noexcept {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace sinew::cli
