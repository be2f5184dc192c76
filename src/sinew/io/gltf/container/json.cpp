#include "sinew/io/gltf/container/json.h"
#include "sinew/base/types.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "sinew/base/error.h"
#include "sinew/io/nesting.h"

namespace sinew::gltf {
namespace {

std::string placeOf(const std::string& where, const char* key) {
  return where.empty() ? std::string(key) : where + "." + key;
}

[[noreturn]] void refuseKind(const Json& value, const std::string& where, const char* wanted) {
  refuse(fmt::format("{} is {} where {} is needed; export the file again", where, value.type_name(), wanted));
}

/// Calls `act` for every element of a list, with its position.
template <class Act>
void each(const Json& object, const char* key, const std::string& where, const Act& act) {
  const Json& list = listOf(object, key, where);
  for (std::size_t i = 0; i < list.size(); ++i) act(list[i], fmt::format("{}[{}]", placeOf(where, key), i));
}

/// Every index in the list under `key` of the root must be valid.
class ReferenceCheck {
 public:
  explicit ReferenceCheck(const Json& root) : root_(root) {}

  void run() const {
    each(root_, "accessors", "",
         [&](const Json& accessor, const std::string& where) { checkAccessor(accessor, where); });
    each(root_, "meshes", "", [&](const Json& mesh, const std::string& where) { checkMesh(mesh, where); });
    each(root_, "animations", "",
         [&](const Json& animation, const std::string& where) { checkAnimation(animation, where); });
    each(root_, "materials", "",
         [&](const Json& material, const std::string& where) { checkMaterial(material, where); });
    each(root_, "nodes", "", [&](const Json& node, const std::string& where) {
      for (const auto& [key, list] : {std::pair("mesh", "meshes"), {"skin", "skins"}, {"camera", "cameras"}})
        check(node, key, list, where);
      checkAll(node, "children", "nodes", where);
    });
    each(root_, "skins", "", [&](const Json& skin, const std::string& where) {
      check(skin, "skeleton", "nodes", where);
      check(skin, "inverseBindMatrices", "accessors", where);
      checkAll(skin, "joints", "nodes", where);
    });
    each(root_, "images", "",
         [&](const Json& image, const std::string& where) { check(image, "bufferView", "bufferViews", where); });
    each(root_, "textures", "", [&](const Json& texture, const std::string& where) {
      check(texture, "source", "images", where);
      check(texture, "sampler", "samplers", where);
    });
    each(root_, "scenes", "",
         [&](const Json& scene, const std::string& where) { checkAll(scene, "nodes", "nodes", where); });
    check(root_, "scene", "scenes", "");
  }

 private:
  void check(const Json& object, const char* key, const char* list, const std::string& where) const {
    optionalIndex(object, key, listOf(root_, list, "").size(), where);
  }
  void checkAll(const Json& object, const char* key, const char* list, const std::string& where) const {
    each(object, key, where,
         [&](const Json& value, const std::string& place) { indexOf(value, listOf(root_, list, "").size(), place); });
  }
  /// Members of any name, each of which names an accessor.
  void checkMembers(const Json* object, const std::string& where) const {
    if (object == nullptr || !object->is_object()) return;
    const std::size_t accessors = listOf(root_, "accessors", "").size();
    for (const auto& [key, value] : object->items()) indexOf(value, accessors, placeOf(where, key.c_str()));
  }

  void checkAccessor(const Json& accessor, const std::string& where) const {
    check(accessor, "bufferView", "bufferViews", where);
    const Json* sparse = find(accessor, "sparse");
    if (sparse == nullptr) return;
    for (const char* part : {"indices", "values"}) {
      if (const Json* found = find(*sparse, part))
        check(*found, "bufferView", "bufferViews", where + ".sparse." + part);
    }
  }

  void checkMesh(const Json& mesh, const std::string& where) const {
    each(mesh, "primitives", where, [&](const Json& primitive, const std::string& place) {
      check(primitive, "indices", "accessors", place);
      check(primitive, "material", "materials", place);
      checkMembers(find(primitive, "attributes"), place + ".attributes");
      each(primitive, "targets", place, [&](const Json& target, const std::string& at) { checkMembers(&target, at); });
    });
  }

  void checkAnimation(const Json& animation, const std::string& where) const {
    const std::size_t samplers = listOf(animation, "samplers", where).size();
    each(animation, "samplers", where, [&](const Json& sampler, const std::string& place) {
      check(sampler, "input", "accessors", place);
      check(sampler, "output", "accessors", place);
    });
    each(animation, "channels", where, [&](const Json& channel, const std::string& place) {
      optionalIndex(channel, "sampler", samplers, place);
      if (const Json* target = find(channel, "target")) check(*target, "node", "nodes", place + ".target");
    });
  }

  void checkMaterial(const Json& material, const std::string& where) const {
    const auto texture = [&](const Json& holder, const char* key, const std::string& place) {
      if (const Json* found = find(holder, key)) check(*found, "index", "textures", placeOf(place, key));
    };
    for (const char* key : {"normalTexture", "occlusionTexture", "emissiveTexture"}) texture(material, key, where);
    const Json* roughness = find(material, "pbrMetallicRoughness");
    if (roughness == nullptr) return;
    for (const char* key : {"baseColorTexture", "metallicRoughnessTexture"})
      texture(*roughness, key, where + ".pbrMetallicRoughness");
  }

  const Json& root_;
};

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
    if (number >= 0 && number <= kLargestExact && number == std::floor(number)) return toSize(number);
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
    refuse(fmt::format("{} is {}, but the file has only {} of them; export the file again", where, index, limit));
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
  checkNesting(text, Notation::Json);
  if (const auto first = text.find_first_not_of(" \t\r\n"); first != std::string_view::npos && text[first] != '{')
    refuse("its JSON is not an object, so this is not a glTF file; check its extension, or export the file again");
  try {
    return Json::parse(text);
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

void checkReferences(const Json& root) {
  ReferenceCheck(root).run();
}

}  // namespace sinew::gltf
