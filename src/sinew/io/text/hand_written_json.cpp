#include "sinew/io/text/hand_written_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/nesting.h"

namespace sinew::text {
namespace {

/// "line 3, column 7" from the parser's own words.
std::string placeOf(const std::string& words) {
  const std::size_t begin = words.find("line ");
  const std::size_t end = words.find(':', begin == std::string::npos ? 0 : begin);
  return begin == std::string::npos || end == std::string::npos ? "" : words.substr(begin, end - begin);
}

/// Beyond, squares and products of a few overflow: no length or angle is that large.
constexpr double kLargest = 1e60;

/// Whether a text could be meant as JSON: other files begin with another character, mostly with one that is not seen.
bool beginsLikeJson(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos || std::string_view("{[/\"").find(text[begin]) != std::string_view::npos;
}

bool isUsable(const HandJson& value) {
  return value.is_number() && std::abs(value.get<double>()) <= kLargest;
}

}  // namespace

void refuseJson(const std::string& where, const std::string& sentence) {
  throw Error(ErrorCode::BadInput, sentence, where);
}

HandJson parseHandJson(std::string_view text, const std::string& where, std::string_view wanted) {
  if (!where.ends_with(".json") && !beginsLikeJson(text))
    throw Error(ErrorCode::Unreadable, fmt::format("is not {0}; give {0} (.json) here", wanted), where);
  checkNesting(text, Notation::Json, where);
  // A duplicate key would silently hide the first.
  std::vector<std::unordered_set<std::string>> open;
  std::string repeated;
  const auto watch = [&](int, HandJson::parse_event_t event, HandJson& value) {
    if (event == HandJson::parse_event_t::object_start) open.emplace_back();
    if (event == HandJson::parse_event_t::object_end) open.pop_back();
    if (event == HandJson::parse_event_t::key && !open.back().insert(value.get<std::string>()).second)
      repeated = value.get<std::string>();
    return true;
  };
  HandJson value;
  try {
    value = HandJson::parse(text, watch, true, true);
  } catch (const HandJson::exception& fault) {
    const std::string place = placeOf(fault.what());
    throw Error(ErrorCode::Unreadable,
                place.empty() ? std::string("is not valid JSON; fix it in a text editor")
                              : fmt::format("is not valid JSON at {}; fix it there in a text editor", place),
                where);
  }
  if (!repeated.empty()) refuseJson(where, fmt::format("has the key '{}' twice; remove one", repeated));
  return value;
}

void checkObject(const HandJson& value, std::initializer_list<std::string_view> known, const std::string& what,
                 const std::string& where) {
  if (!value.is_object()) {
    refuseJson(where, fmt::format("{} must be an object with {}, not {}", what, fmt::join(known, ", "),
                                  value.is_array() ? "a list" : fmt::format("'{}'", value.dump().substr(0, 40))));
  }
  for (const auto& [key, ignored] : value.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::vector<std::string> names(known.begin(), known.end());
    const std::string nearest = nearestName(key, names);
    refuseJson(where, fmt::format("{} has the unknown key '{}'; {}", what, key,
                                  nearest.empty() ? fmt::format("it may have {}", fmt::join(known, ", "))
                                                  : fmt::format("did you mean '{}'?", nearest)));
  }
}

double numberOf(const HandJson& value, const std::string& what, const std::string& where) {
  if (!isUsable(value)) {
    refuseJson(where,
               fmt::format("{} must be a number of at most {}, not {}", what, kLargest, value.dump().substr(0, 40)));
  }
  return value.get<double>();
}

std::vector<double> numbersOf(const HandJson& value, std::size_t count, const std::string& what,
                              const std::string& where) {
  const bool fits = value.is_array() && value.size() == count && std::all_of(value.begin(), value.end(), isUsable);
  if (!fits) {
    refuseJson(where, fmt::format("{} must be a list of {} numbers, not {}", what, count, value.dump().substr(0, 60)));
  }
  return value.get<std::vector<double>>();
}

}  // namespace sinew::text
