// The answer of the process that reads a foreign file. Private to io.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace sinew::foreign {

constexpr std::string_view kForeignWord = "read-foreign-file";
constexpr int kAnswerDescriptor = 3;
constexpr std::string_view kAnswerMagic = "SINEWfr1";
constexpr std::size_t kAnswerHeader = kAnswerMagic.size() + 1 + sizeof(std::uint64_t);

enum class ForeignOutcome : std::uint8_t {
  Read,      ///< the character follows
  Refused,   ///< a sentence follows
  NoMemory,  ///< the memory limit was reached
  TooLarge   ///< the character is larger than may be handed over
};

struct ForeignAnswer {
  ForeignOutcome outcome = ForeignOutcome::Refused;
  std::string_view content;
};

inline std::string answerHeader(ForeignOutcome outcome, std::uint64_t length) {
  std::string header(kAnswerMagic);
  header.push_back(static_cast<char>(outcome));
  header.append(reinterpret_cast<const char*>(&length), sizeof length);
  return header;
}

/// Nothing where it is truncated or no answer at all.
inline std::optional<ForeignAnswer> parseAnswer(std::string_view bytes) {
  if (bytes.size() < kAnswerHeader || !bytes.starts_with(kAnswerMagic)) return std::nullopt;
  const auto outcome = static_cast<std::uint8_t>(bytes[kAnswerMagic.size()]);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data() + kAnswerMagic.size() + 1, sizeof length);
  if (length != bytes.size() - kAnswerHeader || outcome > static_cast<std::uint8_t>(ForeignOutcome::TooLarge))
    return std::nullopt;
  return ForeignAnswer{static_cast<ForeignOutcome>(outcome), bytes.substr(kAnswerHeader)};
}

}  // namespace sinew::foreign
