#include "json_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "run_sinew.h"

namespace sinew::test {
namespace {

namespace fs = std::filesystem;

bool hasType(const nlohmann::json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  throw std::runtime_error("unknown type " + type);
}

class Checker {
 public:
  explicit Checker(fs::path folder) : folder_(std::move(folder)) {}

  void check(const nlohmann::json& value, const nlohmann::json& schema, const fs::path& file,
             const std::string& place) {
    static const std::set<std::string> kKnown{"$schema", "$id",   "$defs",    "$ref",     "title",    "description",
                                              "type",    "items", "required", "minItems", "maxItems", "properties",
                                              "minimum", "enum",  "allOf",    "anyOf"};
    for (const auto& [key, rule] : schema.items()) {
      if (!kKnown.contains(key)) throw std::runtime_error("unknown keyword " + key + " in " + file.string());
    }
    if (schema.contains("$ref")) follow(value, schema["$ref"], file, place);
    if (schema.contains("type")) checkType(value, schema["type"], place);
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
      faults.push_back(place + " is " + value.dump() + ", which is not listed");
    if (schema.contains("minimum") && value.is_number() && value.get<double>() < schema["minimum"].get<double>())
      faults.push_back(place + " is " + value.dump() + ", below the minimum");
    if (value.is_object()) checkObject(value, schema, file, place);
    if (value.is_array()) checkArray(value, schema, file, place);
    if (schema.contains("allOf")) {
      for (const nlohmann::json& part : schema["allOf"]) check(value, part, file, place);
    }
    if (schema.contains("anyOf")) checkAny(value, schema["anyOf"], file, place);
  }

  std::vector<std::string> faults;

 private:
  void follow(const nlohmann::json& value, const std::string& ref, const fs::path& file, const std::string& place) {
    const std::size_t hash = ref.find('#');
    const fs::path other = hash == 0 ? file : folder_ / ref.substr(0, hash);
    const nlohmann::json whole = nlohmann::json::parse(readText(other));
    check(value, whole.at(nlohmann::json::json_pointer(ref.substr(hash + 1))), other, place);
  }

  void checkType(const nlohmann::json& value, const nlohmann::json& type, const std::string& place) {
    const bool fits = type.is_array() ? std::any_of(type.begin(), type.end(),
                                                    [&](const nlohmann::json& one) { return hasType(value, one); })
                                      : hasType(value, type);
    if (!fits) faults.push_back(place + " is " + value.dump().substr(0, 60) + ", not " + type.dump());
  }

  void checkObject(const nlohmann::json& value, const nlohmann::json& schema, const fs::path& file,
                   const std::string& place) {
    for (const nlohmann::json& name : schema.value("required", nlohmann::json::array())) {
      if (!value.contains(name.get<std::string>())) faults.push_back(place + " lacks " + name.get<std::string>());
    }
    const nlohmann::json properties = schema.value("properties", nlohmann::json::object());
    for (const auto& [name, rule] : properties.items()) {
      if (value.contains(name)) check(value[name], rule, file, fmt::format("{}/{}", place, name));
    }
  }

  void checkArray(const nlohmann::json& value, const nlohmann::json& schema, const fs::path& file,
                  const std::string& place) {
    if (value.size() < schema.value("minItems", std::size_t{0})) faults.push_back(place + " is too short");
    if (value.size() > schema.value("maxItems", value.size())) faults.push_back(place + " is too long");
    if (!schema.contains("items")) return;
    for (std::size_t i = 0; i < value.size(); ++i)
      check(value[i], schema["items"], file, place + "/" + std::to_string(i));
  }

  void checkAny(const nlohmann::json& value, const nlohmann::json& parts, const fs::path& file,
                const std::string& place) {
    std::vector<std::string> all;
    for (const nlohmann::json& part : parts) {
      Checker one(folder_);
      one.check(value, part, file, place);
      if (one.faults.empty()) return;
      all.insert(all.end(), one.faults.begin(), one.faults.end());
    }
    faults.insert(faults.end(), all.begin(), all.end());
  }

  fs::path folder_;
};

}  // namespace

std::vector<std::string> schemaFaults(const nlohmann::json& value, const fs::path& schemaFile) {
  Checker checker(schemaFile.parent_path());
  checker.check(value, nlohmann::json::parse(readText(schemaFile)), schemaFile, "");
  return checker.faults;
}

}  // namespace sinew::test
