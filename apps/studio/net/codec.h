// Binary messages: a header of 16 bytes, then the fields of messages.h, little endian, each aligned to 4 bytes. An
// array of any length is preceded by its length.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "studio/messages.h"

namespace sinew::studio {

struct MessageHeader {
  std::uint32_t code = 0;
  std::uint32_t seq = 0;    ///< counts the sender's messages
  std::uint32_t ack = 0;    ///< the last message of the other side that this one answers
  std::uint32_t bytes = 0;  ///< of the body

  friend bool operator==(const MessageHeader&, const MessageHeader&) = default;
};
inline constexpr std::size_t kHeaderBytes = 16;

/// The header of a message; none if it is too short or its body does not have the declared length.
std::optional<MessageHeader> readHeader(std::span<const std::uint8_t> message);

/// The key that a message shares with the waiting messages that it replaces (wire::kNewestRules); none: it is never
/// replaced and replaces none.
std::optional<std::uint64_t> newestKey(std::span<const std::uint8_t> message);

namespace detail {

/// Reads numbers from the front. After reading past the end, every read fails.
class FieldReader {
 public:
  explicit FieldReader(std::span<const std::uint8_t> body) : rest_(body) {}

  template <class T>
  void operator()(T& value) {
    read(&value, 1);
  }
  template <class T, std::size_t n>
  void operator()(std::array<T, n>& values) {
    read(values.data(), n);
  }
  template <class T>
  void operator()(std::vector<T>& values) {
    std::uint32_t count = 0;
    read(&count, 1);
    // The length is checked against the available bytes before memory is allocated.
    if (!good_ || count > rest_.size() / sizeof(T)) {
      good_ = false;
      return;
    }
    values.resize(count);
    read(values.data(), count);
  }
  /// All reads succeeded, and no byte is left.
  [[nodiscard]] bool finished() const { return good_ && rest_.empty(); }

 private:
  template <class T>
  void read(T* to, std::size_t count) {
    const std::size_t padded = (count * sizeof(T) + 3) / 4 * 4;
    if (!good_ || padded > rest_.size()) {
      good_ = false;
      return;
    }
    if (count > 0) std::memcpy(to, rest_.data(), count * sizeof(T));
    rest_ = rest_.subspan(padded);
  }

  std::span<const std::uint8_t> rest_;
  bool good_ = true;
};

class FieldWriter {
 public:
  explicit FieldWriter(Bytes& bytes) : bytes_(bytes) {}

  template <class T>
  void operator()(const T& value) {
    write(&value, 1);
  }
  template <class T, std::size_t n>
  void operator()(const std::array<T, n>& values) {
    write(values.data(), n);
  }
  template <class T>
  void operator()(const std::vector<T>& values) {
    const auto count = static_cast<std::uint32_t>(values.size());
    write(&count, 1);
    write(values.data(), values.size());
  }

 private:
  template <class T>
  void write(const T* from, std::size_t count) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + (count * sizeof(T) + 3) / 4 * 4);
    if (count > 0) std::memcpy(bytes_.data() + at, from, count * sizeof(T));
  }

  Bytes& bytes_;
};

void writeHeader(const MessageHeader& header, Bytes& message);

}  // namespace detail

/// The body of a message; none if it does not match the layout exactly.
template <class Message>
std::optional<Message> decode(std::span<const std::uint8_t> body) {
  Message message;
  detail::FieldReader reader(body);
  Message::visitFields(message, reader);
  if (!reader.finished()) return std::nullopt;
  return message;
}

/// Header and body.
template <class Message>
Bytes encode(const Message& message, std::uint32_t seq, std::uint32_t ack) {
  Bytes bytes(kHeaderBytes);
  detail::FieldWriter writer(bytes);
  Message::visitFields(message, writer);
  detail::writeHeader({Message::kCode, seq, ack, static_cast<std::uint32_t>(bytes.size() - kHeaderBytes)}, bytes);
  return bytes;
}

}  // namespace sinew::studio
