// Untrusted JSON: commands of a page, and the studio's own files, which may have been damaged since.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace sinew::studio {

/// Levels of nesting that are read. The page's commands have three or four, the studio's own files less than ten; much
/// deeper ones would exhaust the stack when they are copied or printed.
inline constexpr std::size_t kDeepestJson = 32;

/// A command of a page. Discarded (is_discarded()) if it is not JSON, nests deeper, or has more members than an
/// untrusted file may have.
nlohmann::json parseCommand(std::string_view text);

/// For what the studio wrote itself: of any size. Discarded if it is not JSON, or nests deeper.
nlohmann::json keptFromText(std::string_view text);
nlohmann::json keptFromCbor(std::span<const std::uint8_t> bytes);

/// A whole number that fits T. Throws a Json::exception for any other value: the conversions of nlohmann::json are
/// undefined for numbers that do not fit.
template <std::integral T>
T whole(const nlohmann::json& value) {
  const auto isWhole = [](double number) {
    return number == std::floor(number) && number >= static_cast<double>(std::numeric_limits<T>::min()) &&
           number < std::ldexp(1.0, std::numeric_limits<T>::digits);
  };
  const bool fits = value.is_number_unsigned()  ? std::in_range<T>(value.get<std::uint64_t>())
                    : value.is_number_integer() ? std::in_range<T>(value.get<std::int64_t>())
                                                : value.is_number_float() && isWhole(value.get<double>());
  if (!fits) throw nlohmann::json::type_error::create(302, "a whole number is missing or does not fit", &value);
  return value.get<T>();
}

/// The same for a member that may be left out.
template <std::integral T>
T wholeOr(const nlohmann::json& object, const char* key, T fallback) {
  const auto found = object.find(key);
  return found == object.end() ? fallback : whole<T>(*found);
}

/// The same for a list: numbers of vertices.
inline std::vector<std::uint32_t> wholeList(const nlohmann::json& list) {
  if (!list.is_array()) throw nlohmann::json::type_error::create(302, "a list of whole numbers is missing", &list);
  std::vector<std::uint32_t> numbers;
  numbers.reserve(list.size());
  for (const nlohmann::json& one : list) numbers.push_back(whole<std::uint32_t>(one));
  return numbers;
}

}  // namespace sinew::studio
