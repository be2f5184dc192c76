#include "sinew/io/gltf_json.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "sinew/base/error.h"

namespace sinew::gltf {
namespace {

constexpr std::size_t kMaxDepth = 256;
constexpr std::size_t kMaxMembers = 16384;

std::string placeOf(const std::string& where, const char* key) {
  return where.empty() ? std::string(key) : where + "." + key;
}

[[noreturn]] void refuseKind(const Json& value, const std::string& where, const char* wanted) {
  refuse(fmt::format("{} is {} where {} is needed; export the file again", where, value.type_name(), wanted));
}

/// Nesting and member counts of a text before it is parsed: strings are skipped, all else is left to the parser.
void checkNesting(std::string_view text) {
  std::vector<std::size_t> members;
  bool inString = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inString) {
      if (c == '\\') ++i;
      if (c == '"') inString = false;
    } else if (c == '"') {
      inString = true;
    } else if (c == '{' || c == '[') {
      members.push_back(0);
      if (members.size() > kMaxDepth) {
        refuse(fmt::format("its JSON nests deeper than {} levels; export the file again", kMaxDepth));
      }
    } else if ((c == '}' || c == ']') && !members.empty()) {
      members.pop_back();
    } else if (c == ':' && !members.empty() && ++members.back() > kMaxMembers) {
      refuse(fmt::format("an object of its JSON has more than {} members; export the file again", kMaxMembers));
    }
  }
}

}  // namespace

void refuse(const std::string& message) {
  throw Error(ErrorCode::Unreadable, message);
}

const Json* find(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

const Json& listOf(const Json& object, const char* key, const std::string& where) {
  static const Json kEmpty = Json::array();
  const Json* found = find(object, key);
  if (found == nullptr) return kEmpty;
  if (!found->is_array()) refuseKind(*found, placeOf(where, key), "a list");
  return *found;
}

const Json& objectsOf(const Json& object, const char* key, const std::string& where) {
  const Json& list = listOf(object, key, where);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_object()) refuseKind(list[i], fmt::format("{}[{}]", placeOf(where, key), i), "an object");
  }
  return list;
}

std::size_t countOf(const Json& value, const std::string& where) {
  constexpr double kLargestExact = 9007199254740992.0;
  if (value.is_number_unsigned()) return value.get<std::size_t>();
  if (value.is_number_float()) {
    const auto number = value.get<double>();
    if (number >= 0 && number <= kLargestExact && number == std::floor(number)) return static_cast<std::size_t>(number);
  } else if (value.is_number_integer() && value.get<std::int64_t>() >= 0) {
    return value.get<std::size_t>();
  }
  if (value.is_number()) {
    refuse(fmt::format("{} is {}, not a whole number of at least 0; export the file again", where, value.dump()));
  }
  refuseKind(value, where, "a whole number");
}

std::size_t requiredCount(const Json& object, const char* key, const std::string& where) {
  const Json* found = find(object, key);
  if (found == nullptr) refuse(fmt::format("{} is missing; export the file again", placeOf(where, key)));
  return countOf(*found, placeOf(where, key));
}

std::size_t optionalCount(const Json& object, const char* key, const std::string& where, std::size_t otherwise) {
  const Json* found = find(object, key);
  return found == nullptr ? otherwise : countOf(*found, placeOf(where, key));
}

std::size_t indexOf(const Json& value, std::size_t limit, const std::string& where) {
  const std::size_t index = countOf(value, where);
  if (index >= limit) {
    refuse(fmt::format("{} is {}, but the file has only {} of these; export the file again", where, index, limit));
  }
  return index;
}

std::optional<std::size_t> optionalIndex(const Json& object, const char* key, std::size_t limit,
                                         const std::string& where) {
  const Json* found = find(object, key);
  if (found == nullptr) return std::nullopt;
  return indexOf(*found, limit, placeOf(where, key));
}

double numberOf(const Json& value, const std::string& where) {
  if (!value.is_number()) refuseKind(value, where, "a number");
  return value.get<double>();
}

std::optional<std::vector<double>> optionalNumbers(const Json& object, const char* key, std::size_t count,
                                                   const std::string& where) {
  const Json* found = find(object, key);
  if (found == nullptr) return std::nullopt;
  const std::string place = placeOf(where, key);
  if (!found->is_array()) refuseKind(*found, place, "a list");
  if (found->size() != count) {
    refuse(fmt::format("{} has {} numbers where {} are needed; export the file again", place, found->size(), count));
  }
  std::vector<double> numbers;
  numbers.reserve(count);
  for (const Json& value : *found) numbers.push_back(numberOf(value, place));
  return numbers;
}

std::string optionalText(const Json& object, const char* key, const std::string& where) {
  const Json* found = find(object, key);
  if (found == nullptr) return {};
  if (!found->is_string()) refuseKind(*found, placeOf(where, key), "a text");
  return found->get<std::string>();
}

bool optionalFlag(const Json& object, const char* key, const std::string& where) {
  const Json* found = find(object, key);
  if (found == nullptr) return false;
  if (!found->is_boolean()) refuseKind(*found, placeOf(where, key), "true or false");
  return found->get<bool>();
}

Json parseJson(std::string_view text) {
  checkNesting(text);
  try {
    Json json = Json::parse(text);
    if (!json.is_object()) refuse("its JSON is not an object, so this is not a glTF file; check the path");
    return json;
  } catch (const Json::exception& fault) {
    // The library's own words name the byte; its prefix "[json.exception...] " helps no one.
    std::string words = fault.what();
    if (const auto end = words.find("] "); end != std::string::npos) words.erase(0, end + 2);
    refuse(fmt::format("its JSON is damaged ({}); export the file again", words));
  }
}

std::string dumpJson(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

void checkLists(const Json& root) {
  constexpr std::array kLists = {"accessors", "animations", "buffers", "bufferViews", "cameras",
                                 "images",    "materials",  "meshes",  "nodes",       "samplers",
                                 "scenes",    "skins",      "textures"};
  for (const char* list : kLists) (void)objectsOf(root, list, "");
  for (const char* list : {"extensionsUsed", "extensionsRequired"}) {
    for (const Json& name : listOf(root, list, "")) {
      if (!name.is_string()) refuseKind(name, list, "a list of texts");
    }
  }
  if (const Json* extensions = find(root, "extensions"); extensions != nullptr && !extensions->is_object()) {
    refuseKind(*extensions, "extensions", "an object");
  }
}

}  // namespace sinew::gltf
