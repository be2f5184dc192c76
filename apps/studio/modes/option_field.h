// An option of the library as the page shows it, from its field.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <string>

#include "sinew/base/choice.h"
#include "sinew/base/fields.h"
#include "studio/document_info.h"

namespace sinew::studio {

template <class Value>
wire::OptionField optionField(const Value& value, const FieldInfo& info) {
  wire::OptionField field{
      .name = std::string(info.name), .help = std::string(info.help), .unit = std::string(info.unit)};
  if (info.names != nullptr) field.values = info.names();
  if (std::isfinite(info.least)) field.least = info.least;
  if (std::isfinite(info.most)) field.most = info.most;
  if constexpr (Choice<Value>) {
    field.kind = "choice";
    field.value = nameOf(value);
    field.values = choiceNames<Value>();
  } else if constexpr (std::same_as<Value, bool>) {
    field.kind = "switch";
    field.value = value ? "true" : "false";
  } else if constexpr (std::integral<Value>) {
    field.kind = "whole";
    field.value = fmt::format("{}", value);
  } else if constexpr (std::floating_point<Value>) {
    field.kind = "number";
    field.value = fmt::format("{:g}", value);
  } else {
    field.kind = "choice";
    field.value = value;
  }
  return field;
}

}  // namespace sinew::studio
