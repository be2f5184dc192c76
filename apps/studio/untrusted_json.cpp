#include "studio/untrusted_json.h"

#include <limits>

#include "sinew/base/error.h"
#include "sinew/io/nesting.h"

namespace sinew::studio {
namespace {

constexpr NestingLimits kCommandLimits{.depth = kDeepestJson};
constexpr NestingLimits kKeptLimits{.depth = kDeepestJson, .members = std::numeric_limits<std::size_t>::max()};

bool keeps(const NestingLimits& limits, std::string_view bytes, Notation notation) {
  try {
    checkNesting(bytes, notation, {}, limits);
    return true;
  } catch (const Error&) {
    return false;
  }
}

nlohmann::json discarded() {
  return {nlohmann::json::value_t::discarded};
}

nlohmann::json parseText(std::string_view text, const NestingLimits& limits) {
  return keeps(limits, text, Notation::Json) ? nlohmann::json::parse(text, nullptr, false) : discarded();
}

}  // namespace

nlohmann::json parseCommand(std::string_view text) {
  return parseText(text, kCommandLimits);
}

nlohmann::json keptFromText(std::string_view text) {
  return parseText(text, kKeptLimits);
}

nlohmann::json keptFromCbor(std::span<const std::uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return keeps(kKeptLimits, text, Notation::Cbor) ? nlohmann::json::from_cbor(bytes, true, false) : discarded();
}

}  // namespace sinew::studio
