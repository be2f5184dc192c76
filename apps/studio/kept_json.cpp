#include "kept_json.h"

namespace sinew::studio {
namespace {

using Json = nlohmann::json;
using DomParser = nlohmann::detail::json_sax_dom_parser<Json>;

/// Ends where it nests too deep: the parsers of the library call themselves for every level.
class ShallowParser : public DomParser {
 public:
  explicit ShallowParser(Json& result) : DomParser(result, false) {}

  bool start_object(std::size_t count) { return ++depth_ <= kDeepestKept && DomParser::start_object(count); }
  bool start_array(std::size_t count) { return ++depth_ <= kDeepestKept && DomParser::start_array(count); }
  bool end_object() { return --depth_, DomParser::end_object(); }
  bool end_array() { return --depth_, DomParser::end_array(); }

 private:
  int depth_ = 0;
};

template <class Bytes>
Json parse(const Bytes& bytes, nlohmann::detail::input_format_t format) {
  Json result;
  ShallowParser parser(result);
  if (!Json::sax_parse(bytes.begin(), bytes.end(), &parser, format)) return Json(Json::value_t::discarded);
  return result;
}

}  // namespace

Json keptFromText(std::string_view text) {
  return parse(text, Json::input_format_t::json);
}

Json keptFromCbor(std::span<const std::uint8_t> bytes) {
  return parse(bytes, Json::input_format_t::cbor);
}

}  // namespace sinew::studio
