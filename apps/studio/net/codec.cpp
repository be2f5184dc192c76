#include "studio/net/codec.h"

#include <bit>

#include "sinew/base/types.h"

namespace sinew::studio {

static_assert(std::endian::native == std::endian::little, "messages are little endian");
static_assert(sizeof(float) == 4);
static_assert(sizeof(MessageHeader) == kHeaderBytes, "the header is sent as it is in memory");

std::optional<MessageHeader> readHeader(std::span<const std::uint8_t> message) {
  if (message.size() < kHeaderBytes) return std::nullopt;
  MessageHeader header;
  std::memcpy(&header, message.data(), kHeaderBytes);
  if (header.bytes != message.size() - kHeaderBytes) return std::nullopt;
  return header;
}

std::optional<std::uint64_t> newestKey(std::span<const std::uint8_t> message) {
  const auto header = readHeader(message);
  if (!header) return std::nullopt;
  const auto body = message.subspan(kHeaderBytes);
  for (const wire::NewestRule& rule : wire::kNewestRules) {
    if (rule.code != header->code) continue;
    const auto field = [&](int place) -> std::optional<std::uint32_t> {
      std::uint32_t value = 0;
      if (place < 0) return value;
      if (body.size() < toSize(place) + sizeof(value)) return std::nullopt;
      std::memcpy(&value, body.data() + place, sizeof(value));
      return value;
    };
    const auto key = field(rule.key);
    const auto counts = field(rule.whileAt);
    if (!key || !counts || (rule.whileAt >= 0 && *counts == 0)) return std::nullopt;
    return std::uint64_t{rule.code} << 32 | *key;
  }
  return std::nullopt;
}

void detail::writeHeader(const MessageHeader& header, Bytes& message) {
  std::memcpy(message.data(), &header, kHeaderBytes);
}

}  // namespace sinew::studio
