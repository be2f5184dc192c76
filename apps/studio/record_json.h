// JSON of the records of protocol.json (document_info.h): an object with the fields by name.
#pragma once

#include <concepts>
#include <nlohmann/json.hpp>
#include <optional>
#include <ranges>
#include <string_view>

namespace sinew::studio {

template <class T>
concept WireRecord = requires(const T& record) {
  T::visitFields(record, [](std::string_view, const auto&) {});
};

/// Optional fields without a value are left out; lists become arrays.
template <class T>
nlohmann::json recordJson(const T& value) {
  if constexpr (WireRecord<T>) {
    auto object = nlohmann::json::object();
    const auto add = [&]<class Field>(const char* name, const Field& field) {
      if constexpr (requires { field.has_value(); }) {
        if (field.has_value()) object[name] = recordJson(*field);
      } else {
        object[name] = recordJson(field);
      }
    };
    T::visitFields(value, add);
    return object;
  } else if constexpr (std::ranges::range<T> && !std::same_as<T, nlohmann::json> &&
                       !std::convertible_to<const T&, std::string_view>) {
    auto list = nlohmann::json::array();
    for (const auto& one : value) list.push_back(recordJson(one));
    return list;
  } else {
    return value;
  }
}

}  // namespace sinew::studio
