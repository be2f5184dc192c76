#include "kept_json.h"

#include <limits>

#include "sinew/base/error.h"
#include "sinew/io/nesting.h"

namespace sinew::studio {
namespace {

using Json = nlohmann::json;

bool isShallow(std::string_view bytes, Notation notation) {
  try {
    checkNesting(bytes, notation, {}, {.depth = kDeepestKept, .members = std::numeric_limits<std::size_t>::max()});
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

Json keptFromText(std::string_view text) {
  return isShallow(text, Notation::Json) ? Json::parse(text, nullptr, false) : Json(Json::value_t::discarded);
}

Json keptFromCbor(std::span<const std::uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return isShallow(text, Notation::Cbor) ? Json::from_cbor(bytes, true, false) : Json(Json::value_t::discarded);
}

}  // namespace sinew::studio
