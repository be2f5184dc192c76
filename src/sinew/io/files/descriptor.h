// File descriptors that are closed with their owner. Private to io.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "sinew/base/error.h"

namespace sinew::files {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  [[nodiscard]] int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

/// Read end, write end; both are closed in processes that are started from here.
inline std::array<Descriptor, 2> makePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(ErrorCode::Internal, "cannot create a pipe; close other programs");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

}  // namespace sinew::files
