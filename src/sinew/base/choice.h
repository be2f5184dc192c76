// A choice in options is an enum whose names stand once, in a table beside it:
//
//   enum class BindMethod { Geodesic, Heat };
//   constexpr auto choiceRows(BindMethod) {
//     return choiceTable<BindMethod>({{BindMethod::Geodesic, "geodesic"}, {BindMethod::Heat, "heat"}});
//   }
//
// Flags, their help and completion, JSON and the check of wrong words come from the table, in its order.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sinew {

template <class E>
struct ChoiceRow {
  E value;
  std::string_view name;  ///< kebab-case, as it is typed and stored
};

/// A table from its rows.
template <class E, std::size_t N>
constexpr std::array<ChoiceRow<E>, N> choiceTable(const ChoiceRow<E> (&rows)[N]) {
  return std::to_array(rows);
}

/// An enum with a table: choiceRows is found in the namespace of the enum.
template <class E>
concept Choice = std::is_enum_v<E> && requires {
  choiceRows(E{});
};

/// The rows of an enum, in the order of its table.
template <Choice E>
inline constexpr auto kChoices = choiceRows(E{});

/// Empty for a value without a row.
template <Choice E>
constexpr std::string_view nameOf(E value) {
  for (const ChoiceRow<E>& row : kChoices<E>) {
    if (row.value == value) return row.name;
  }
  return {};
}

/// The value of a name; nothing for an unknown one.
template <Choice E>
constexpr std::optional<E> choiceOf(std::string_view name) {
  for (const ChoiceRow<E>& row : kChoices<E>) {
    if (row.name == name) return row.value;
  }
  return std::nullopt;
}

template <Choice E>
std::vector<std::string> choiceNames() {
  std::vector<std::string> names;
  for (const ChoiceRow<E>& row : kChoices<E>) names.emplace_back(row.name);
  return names;
}

/// Throws BadInput: "unknown space 'fram'; did you mean 'frame'?", or all names where none is near.
[[noreturn]] void refuseChoice(std::string_view what, std::string_view name, std::span<const std::string> names,
                               const char* where = "");

/// The value of a name that a file or a message gave; throws BadInput with `what` it is of ("space").
template <Choice E>
E choiceNamed(std::string_view name, std::string_view what, const char* where = "") {
  const std::optional<E> value = choiceOf<E>(name);
  if (!value) refuseChoice(what, name, choiceNames<E>(), where);
  return *value;
}

/// Throws BadInput for a value that no row has: one that was cast from a number.
template <Choice E>
void checkChoice(E value, std::string_view what, const char* where) {
  if (nameOf(value).empty()) refuseChoice(what, std::to_string(static_cast<int>(value)), choiceNames<E>(), where);
}

/// A choice without its type, for code that is compiled once: the arguments of the command. Refers to the value.
class ChoiceRef {
 public:
  template <Choice E>
  explicit ChoiceRef(E& value)
      : names_(choiceNames<E>()),
        value_(&value),
        get_([](const void* at) { return nameOf(*static_cast<const E*>(at)); }),
        set_([](void* at, std::string_view name) { *static_cast<E*>(at) = *choiceOf<E>(name); }) {}

  /// In the order of the table.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] std::string name() const { return std::string(get_(value_)); }
  /// False for an unknown name: nothing changes.
  [[nodiscard]] bool set(std::string_view name) const {
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) return false;
    set_(value_, name);
    return true;
  }

 private:
  std::vector<std::string> names_;
  void* value_;
  std::string_view (*get_)(const void*);
  void (*set_)(void*, std::string_view);
};

}  // namespace sinew
