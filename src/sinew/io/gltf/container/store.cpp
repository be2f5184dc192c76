#include "sinew/io/gltf/container/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <numeric>

#include "sinew/base/check.h"

namespace sinew::gltf {
namespace {

using Visit = std::function<void(Json&)>;

/// Extensions (by the start of their names) that refer to no accessor or buffer view, or to those that SINEW_ names.
constexpr std::array<std::string_view, 9> kHarmless = {"KHR_materials_",        "KHR_texture_", "KHR_lights_punctual",
                                                       "KHR_mesh_quantization", "KHR_xmp",      "EXT_texture_",
                                                       "MSFT_texture_dds",      "VRM",          "SINEW_"};

bool isHarmless(const std::string& name) {
  return std::any_of(kHarmless.begin(), kHarmless.end(),
                     [&](std::string_view start) { return std::string_view(name).substr(0, start.size()) == start; });
}

/// Depth is bounded by the parser's limit.
bool hasOnlyHarmless(const Json& json) {
  if (json.is_array()) return std::all_of(json.begin(), json.end(), hasOnlyHarmless);
  if (!json.is_object()) return true;
  for (const auto& [key, value] : json.items()) {
    if (key == "extras") continue;
    if (key == "extensions" && value.is_object()) {
      for (const auto& [name, block] : value.items()) {
        if (!isHarmless(name)) return false;
      }
    }
    if (!hasOnlyHarmless(value)) return false;
  }
  return true;
}

void visitMember(Json& object, const char* key, const Visit& visit) {
  if (!object.is_object()) return;
  const auto found = object.find(key);
  if (found != object.end() && found->is_number()) visit(*found);
}

void visitMembers(Json& object, const Visit& visit) {
  if (!object.is_object()) return;
  for (auto& item : object.items()) {
    if (item.value().is_number()) visit(item.value());
  }
}

/// Calls `act` for each element of the list under `key`.
void eachOf(Json& object, const char* key, const Visit& act) {
  if (!object.is_object()) return;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) return;
  for (Json& element : *found) act(element);
}

void visitNamed(Json& json, const char* key, const Visit& visit) {
  visitMember(json, key, visit);
  if (!json.is_structured()) return;
  for (auto& item : json.items()) {
    if (item.value().is_structured()) visitNamed(item.value(), key, visit);
  }
}

void visitOwnBlocks(Json& root, const char* key, const Visit& visit) {
  const auto extensions = root.find("extensions");
  if (extensions == root.end() || !extensions->is_object()) return;
  for (auto& item : extensions->items()) {
    if (item.key().rfind("SINEW_", 0) == 0) visitNamed(item.value(), key, visit);
  }
}

void visitAccessors(Json& root, const Visit& visit) {
  eachOf(root, "meshes", [&](Json& mesh) {
    eachOf(mesh, "primitives", [&](Json& primitive) {
      visitMember(primitive, "indices", visit);
      const auto attributes = primitive.find("attributes");
      if (attributes != primitive.end()) visitMembers(*attributes, visit);
      eachOf(primitive, "targets", [&](Json& target) { visitMembers(target, visit); });
    });
  });
  eachOf(root, "skins", [&](Json& skin) { visitMember(skin, "inverseBindMatrices", visit); });
  eachOf(root, "animations", [&](Json& animation) {
    eachOf(animation, "samplers", [&](Json& sampler) {
      visitMember(sampler, "input", visit);
      visitMember(sampler, "output", visit);
    });
  });
  visitOwnBlocks(root, "accessor", visit);
}

void visitViews(Json& root, const Visit& visit) {
  eachOf(root, "accessors", [&](Json& accessor) {
    visitMember(accessor, "bufferView", visit);
    const auto sparse = accessor.find("sparse");
    if (sparse == accessor.end() || !sparse->is_object()) return;
    for (const char* part : {"indices", "values"}) {
      const auto found = sparse->find(part);
      if (found != sparse->end()) visitMember(*found, "bufferView", visit);
    }
  });
  eachOf(root, "images", [&](Json& image) { visitMember(image, "bufferView", visit); });
  visitOwnBlocks(root, "bufferView", visit);
}

using Walk = void (*)(Json&, const Visit&);

std::vector<bool> marks(Json& root, const char* list, Walk walk) {
  std::vector<bool> used(listOf(root, list, "").size(), false);
  walk(root, [&](Json& reference) {
    const std::size_t index = countOf(reference, list);
    if (index < used.size()) used[index] = true;
  });
  return used;
}

/// Removes the elements of a list that `before` used and no one uses now, and renumbers all references. Returns the
/// removed elements.
std::vector<Json> removeUnused(Json& root, const char* list, Walk walk, const std::vector<bool>& before) {
  const std::vector<bool> now = marks(root, list, walk);
  std::vector<std::size_t> renumbered(now.size());
  std::vector<Json> removed;
  Json kept = Json::array();
  for (std::size_t i = 0; i < now.size(); ++i) {
    renumbered[i] = kept.size();
    if (now[i] || i >= before.size() || !before[i]) {
      kept.push_back(std::move(root[list][i]));
    } else {
      removed.push_back(std::move(root[list][i]));
    }
  }
  if (!now.empty()) root[list] = std::move(kept);
  if (removed.empty()) return removed;
  if (root[list].empty()) root.erase(list);
  walk(root, [&](Json& reference) {
    const std::size_t index = countOf(reference, list);
    if (index < renumbered.size()) reference = renumbered[index];
  });
  return removed;
}

/// Closes the gaps between the buffer views of one buffer. Overlapping views keep their relative positions, and offsets
/// keep their remainder by 4.
void closeGaps(GltfDocument& document, std::size_t buffer) {
  const auto offsetOf = [](const Json& view) { return optionalCount(view, "byteOffset", "bufferViews", 0); };
  std::vector<Json*> views;
  eachOf(document.json, "bufferViews", [&](Json& view) {
    if (requiredCount(view, "buffer", "bufferViews") == buffer) views.push_back(&view);
  });
  std::stable_sort(views.begin(), views.end(),
                   [&](const Json* a, const Json* b) { return offsetOf(*a) < offsetOf(*b); });
  // In place: nothing moves to the right of where it was.
  std::string& bytes = document.buffers[buffer];
  std::size_t size = 0;    // of what is packed
  std::size_t oldEnd = 0;  // of the run of overlapping views that it ends with
  for (Json* view : views) {
    const std::size_t offset = offsetOf(*view);
    const std::size_t end = offset + requiredCount(*view, "byteLength", "bufferViews");
    std::size_t target = 0;
    if (offset < oldEnd) {
      target = size - (oldEnd - offset);
    } else {
      while (size % 4 != offset % 4) bytes[size++] = '\0';
      target = size;
      oldEnd = offset;
    }
    if (end > oldEnd) {
      if (size != oldEnd) std::memmove(bytes.data() + size, bytes.data() + oldEnd, end - oldEnd);
      size += end - oldEnd;
      oldEnd = end;
    }
    if (target != offset) (*view)["byteOffset"] = target;
  }
  bytes.resize((size + 3) / 4 * 4, '\0');
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(size), bytes.end(), '\0');
  document.json["buffers"][buffer]["byteLength"] = document.buffers[buffer].size();
}

}  // namespace

std::size_t Store::addView(std::string_view bytes, Usage usage) {
  if (document_.buffers.empty()) {
    document_.buffers.emplace_back();
    document_.json["buffers"] = Json::array({Json{{"byteLength", 0}}});
  }
  std::string& buffer = document_.buffers.front();
  while (buffer.size() % 4 != 0) buffer.push_back('\0');
  Json view{{"buffer", 0}, {"byteOffset", buffer.size()}, {"byteLength", bytes.size()}};
  if (usage != Usage::Other) view["target"] = static_cast<int>(usage);
  buffer.append(bytes);
  // Readers pad chunks and files to 4 bytes anyway, so the length includes the padding.
  while (buffer.size() % 4 != 0) buffer.push_back('\0');
  document_.json["buffers"][0]["byteLength"] = buffer.size();
  Json& views = document_.json["bufferViews"];
  views.push_back(std::move(view));
  return views.size() - 1;
}

std::size_t Store::addAccessor(std::string_view bytes, std::size_t count, std::size_t components, Component component,
                               Usage usage) {
  return add(Json{{"bufferView", addView(bytes, usage)},
                  {"componentType", static_cast<int>(component)},
                  {"count", count},
                  {"type", typeName(components)}});
}

std::size_t Store::add(Json accessor) {
  Json& accessors = document_.json["accessors"];
  accessors.push_back(std::move(accessor));
  return accessors.size() - 1;
}

void Store::require(const char* extension) {
  for (const char* list : {"extensionsUsed", "extensionsRequired"}) {
    Json& names = document_.json[list];
    if (std::find(names.begin(), names.end(), extension) == names.end()) names.push_back(extension);
  }
}

std::size_t Store::addFloats(const Eigen::Ref<const Eigen::MatrixXf>& columns, Usage usage, bool withBounds) {
  SINEW_CHECK(columns.allFinite(), "",
              "a number is too large for glTF, which has 32-bit floats; scale the character down");
  const Eigen::MatrixXf packed = columns;
  const std::string_view bytes(reinterpret_cast<const char*>(packed.data()), toSize(packed.size()) * sizeof(float));
  const std::size_t index = addAccessor(bytes, toSize(packed.cols()), toSize(packed.rows()), Component::Float, usage);
  if (withBounds && packed.cols() > 0) {
    Json& accessor = document_.json["accessors"][index];
    for (Eigen::Index row = 0; row < packed.rows(); ++row) {
      accessor["min"].push_back(static_cast<double>(packed.row(row).minCoeff()));
      accessor["max"].push_back(static_cast<double>(packed.row(row).maxCoeff()));
    }
  }
  return index;
}

std::size_t Store::addWhole(std::span<const std::uint32_t> numbers, std::size_t components, Component component,
                            Usage usage, bool normalized) {
  const std::size_t size = componentBytes(component);
  std::string bytes(numbers.size() * size, '\0');
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    for (std::size_t k = 0; k < size; ++k) bytes[i * size + k] = static_cast<char>(numbers[i] >> (8 * k) & 0xffu);
  }
  const std::size_t index = addAccessor(bytes, numbers.size() / components, components, component, usage);
  if (normalized) document_.json["accessors"][index]["normalized"] = true;
  return index;
}

std::size_t Store::addTimes(const std::vector<float>& times) {
  const auto [found, isNew] = times_.try_emplace(times, 0);
  if (isNew) {
    const Eigen::Map<const Eigen::RowVectorXf> row(times.data(), static_cast<Eigen::Index>(times.size()));
    found->second = addFloats(row, Usage::Other, true);
  }
  return found->second;
}

References findReferences(const Json& root) {
  // The walks are written once, for changing; here nothing is changed.
  Json& walked = const_cast<Json&>(root);
  return {marks(walked, "accessors", visitAccessors), marks(walked, "bufferViews", visitViews)};
}

void dropUnused(GltfDocument& document, const References& before) {
  if (!hasOnlyHarmless(document.json)) return;
  removeUnused(document.json, "accessors", visitAccessors, before.accessors);
  std::vector<bool> touched(document.buffers.size(), false);
  for (const Json& view : removeUnused(document.json, "bufferViews", visitViews, before.views)) {
    touched[requiredCount(view, "buffer", "bufferViews")] = true;
  }
  for (std::size_t b = 0; b < touched.size(); ++b) {
    if (touched[b]) closeGaps(document, b);
  }
}

}  // namespace sinew::gltf
