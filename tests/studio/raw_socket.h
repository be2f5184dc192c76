// A connection that sends exactly the given bytes, and the heads of WebSocket frames.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace sinew::studio::test {

class RawSocket {
 public:
  explicit RawSocket(std::uint16_t port) : descriptor_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval patience{10, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    ::inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    connected_ = ::connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~RawSocket() { ::close(descriptor_); }
  RawSocket(const RawSocket&) = delete;
  RawSocket& operator=(const RawSocket&) = delete;

  [[nodiscard]] bool connected() const { return connected_; }

  /// False if the other side has closed.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  /// At most `count` bytes; fewer if the other side has closed.
  std::string receive(std::size_t count) {
    std::string bytes(count, '\0');
    std::size_t got = 0;
    while (got < count) {
      const ssize_t more = ::recv(descriptor_, bytes.data() + got, count - got, 0);
      if (more <= 0) break;
      got += static_cast<std::size_t>(more);
    }
    bytes.resize(got);
    return bytes;
  }
  std::string receiveHead() {
    std::string head;
    while (!head.ends_with("\r\n\r\n")) {
      const std::string one = receive(1);
      if (one.empty()) break;
      head += one;
    }
    return head;
  }

 private:
  int descriptor_;
  bool connected_ = false;
};

enum Opcode { Text = 1, Binary = 2, Close = 8, Ping = 9 };

inline std::string frameHead(Opcode opcode, std::uint64_t length) {
  std::string head{static_cast<char>(0x80 | opcode)};
  if (length < 126) {
    head += static_cast<char>(0x80 | length);
  } else if (length < 65536) {
    head += static_cast<char>(0x80 | 126);
    for (int shift = 8; shift >= 0; shift -= 8) head += static_cast<char>(length >> shift & 0xff);
  } else {
    head += static_cast<char>(0x80 | 127);
    for (int shift = 56; shift >= 0; shift -= 8) head += static_cast<char>(length >> shift & 0xff);
  }
  return head + std::string(4, '\0');  // a mask of zeros leaves the bytes unchanged
}

}  // namespace sinew::studio::test
