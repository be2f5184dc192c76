#include "studio/net/codec.h"

#include <bit>

namespace sinew::studio {

static_assert(std::endian::native == std::endian::little, "messages are little endian");
static_assert(sizeof(float) == 4);

std::optional<MessageHeader> readHeader(std::span<const std::uint8_t> message) {
  if (message.size() < kHeaderBytes) return std::nullopt;
  MessageHeader header;
  std::memcpy(&header.code, message.data(), 2);
  std::memcpy(&header.flags, message.data() + 2, 2);
  std::memcpy(&header.seq, message.data() + 4, 4);
  std::memcpy(&header.ack, message.data() + 8, 4);
  std::memcpy(&header.bytes, message.data() + 12, 4);
  if (header.bytes != message.size() - kHeaderBytes) return std::nullopt;
  return header;
}

void detail::writeHeader(const MessageHeader& header, Bytes& message) {
  std::memcpy(message.data(), &header.code, 2);
  std::memcpy(message.data() + 2, &header.flags, 2);
  std::memcpy(message.data() + 4, &header.seq, 4);
  std::memcpy(message.data() + 8, &header.ack, 4);
  std::memcpy(message.data() + 12, &header.bytes, 4);
}

}  // namespace sinew::studio
