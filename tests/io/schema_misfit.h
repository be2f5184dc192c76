// Validates blocks against the schemas in docs/schemas. Implements the part of JSON Schema that they use.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "formats_support.h"
#include "gltf_sketch.h"

namespace sinew::test {

inline Json publishedSchema(const std::string& block) {
  const auto folder = std::filesystem::path(SINEW_SOURCE_DIR) / "docs" / "schemas";
  return Json::parse(textOf(folder / (block + ".schema.json")));
}

std::string misfit(const Json& schema, const Json& root, const Json& value, const std::string& place);

/// The violation by a number; empty if it is valid.
inline std::string numberMisfit(const Json& schema, const Json& value, const std::string& place) {
  const auto number = value.get<double>();
  if (number < schema.value("minimum", -1e300)) return place + " is too small";
  if (number <= schema.value("exclusiveMinimum", -1e300)) return place + " is too small";
  if (number > schema.value("maximum", 1e300)) return place + " is too large";
  return {};
}

/// The violation by the members of an object.
inline std::string memberMisfit(const Json& schema, const Json& root, const Json& value, const std::string& place) {
  for (const Json& key : schema.value("required", Json::array())) {
    if (!value.contains(key.get<std::string>())) return place + " lacks " + key.get<std::string>();
  }
  const Json properties = schema.value("properties", Json::object());
  for (const auto& [key, member] : value.items()) {
    if (!properties.contains(key)) {
      if (schema.contains("type")) return fmt::format("{} has an unknown {}", place, key);
      continue;  // an alternative of oneOf speaks of some members only
    }
    if (auto fault = misfit(properties[key], root, member, fmt::format("{}.{}", place, key)); !fault.empty())
      return fault;
  }
  return {};
}

/// The first violation of the schema by a value; empty if it is valid.
inline std::string misfit(const Json& schema, const Json& root, const Json& value, const std::string& place) {
  if (schema.contains("$ref")) {
    const auto name = schema["$ref"].get<std::string>().substr(std::string("#/$defs/").size());
    return misfit(root["$defs"].at(name), root, value, place);
  }
  const Json allowed = schema.contains("const") ? Json::array({schema["const"]}) : schema.value("enum", Json::array());
  if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), value) == allowed.end())
    return place + " is none of the choices";
  const std::string type = schema.value("type", "");
  const bool fits = type.empty() || (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
                    (type == "string" && value.is_string()) || (type == "boolean" && value.is_boolean()) ||
                    (type == "integer" && value.is_number_integer()) || (type == "number" && value.is_number());
  if (!fits) return place + " is no " + type;
  std::string fault;
  if (value.is_number()) fault = numberMisfit(schema, value, place);
  if (value.is_object()) fault = memberMisfit(schema, root, value, place);
  if (!fault.empty()) return fault;
  const Json alternatives = schema.value("oneOf", Json::array());
  const auto chosen = std::count_if(alternatives.begin(), alternatives.end(), [&](const Json& alternative) {
    return misfit(alternative, root, value, place).empty();
  });
  if (!alternatives.empty() && chosen != 1) return place + " fits no alternative, or several";
  if (type == "array" && schema.contains("items")) {
    for (const Json& element : value) {
      fault = misfit(schema["items"], root, element, place + "[]");
      if (!fault.empty()) return fault;
    }
  }
  return {};
}

inline std::string misfit(const Json& schema, const Json& block) {
  return misfit(schema, schema, block, "block");
}

}  // namespace sinew::test
