// Reads commands of the page (commands.h): every field is known, there if it is required, and of its type.
#pragma once

#include <concepts>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "studio/commands.h"
#include "studio/record_json.h"
#include "studio/untrusted_json.h"

namespace sinew::studio {

/// A command that failed: the error that the page shows.
struct CommandFault : std::runtime_error {
  CommandFault(std::string code_, const std::string& text, std::string hint_ = {})
      : std::runtime_error(text), code(std::move(code_)), hint(std::move(hint_)) {}
  std::string code;
  std::string hint;
};

/// The members of `args` that are not among `fields`, quoted.
std::string unknownFields(const nlohmann::json& args, std::span<const std::string_view> fields);
/// Throw CommandFault("malformed") with a sentence.
[[noreturn]] void refuseFields(std::string_view command, const std::string& what);
void requireWord(std::string_view command, std::string_view field, const std::string& word,
                 std::span<const std::string_view> words);

/// Throws a Json::exception if the value is of another type.
template <class T>
T fieldFromJson(const nlohmann::json& value) {
  const auto require = [&](bool fits, const char* what) {
    if (!fits) throw nlohmann::json::type_error::create(302, what, &value);
  };
  if constexpr (std::same_as<T, bool>) {
    require(value.is_boolean(), "true or false");
    return value.get<bool>();
  } else if constexpr (std::integral<T>) {
    return whole<T>(value);
  } else if constexpr (std::floating_point<T>) {
    require(value.is_number(), "a number");
    return value.get<T>();
  } else if constexpr (std::same_as<T, std::string>) {
    require(value.is_string(), "a text");
    return value.get<std::string>();
  } else {
    require(value.is_array(), "a list");
    T list{};
    if constexpr (requires { list.push_back({}); }) {
      list.reserve(value.size());
      for (const auto& one : value) list.push_back(fieldFromJson<typename T::value_type>(one));
    } else {
      require(value.size() == list.size(), "a list of another length");
      for (std::size_t i = 0; i < list.size(); ++i) list[i] = fieldFromJson<typename T::value_type>(value[i]);
    }
    return list;
  }
}

/// Throws CommandFault("malformed").
template <class Command>
Command commandFromJson(const nlohmann::json& args) {
  Command command;
  if (!args.is_object()) refuseFields(Command::kName, "needs its arguments as an object");
  std::vector<std::string_view> fields;
  const auto read = [&]<class Field>(std::string_view name, Field& field, const wire::FieldRule& rule) {
    fields.push_back(name);
    const auto found = args.find(name);
    if (found == args.end()) {
      if (rule.required) refuseFields(Command::kName, "needs the field '" + std::string(name) + "'");
      return;
    }
    try {
      if constexpr (requires {
                      typename Field::value_type;
                      field.has_value();
                    }) {
        field = fieldFromJson<typename Field::value_type>(*found);
      } else {
        field = fieldFromJson<Field>(*found);
      }
    } catch (const nlohmann::json::exception&) {
      refuseFields(Command::kName, "has a field '" + std::string(name) + "' of another type or size");
    }
    if constexpr (std::same_as<Field, std::string>) requireWord(Command::kName, name, field, rule.values);
  };
  Command::visitFields(command, read);
  if (const std::string unknown = unknownFields(args, fields); !unknown.empty())
    refuseFields(Command::kName, "has no field " + unknown);
  return command;
}

/// Runs a command: its fields in, its answer out. A handler of a command without an answer returns nothing.
template <class Command, class Handler>
nlohmann::json answerTo(const nlohmann::json& args, const Handler& handler) {
  static_assert(std::same_as<std::invoke_result_t<Handler, const Command&>, typename Command::Answer>,
                "the handler answers otherwise than protocol.json says");
  const auto command = commandFromJson<Command>(args);
  if constexpr (std::is_void_v<typename Command::Answer>) {
    handler(command);
    return nlohmann::json::object();
  } else {
    return recordJson(handler(command));
  }
}

}  // namespace sinew::studio
