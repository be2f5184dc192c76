// glTF 2.0, section 3.6.2: component types, normalised integers, strides, sparse storage.
#include "sinew/io/gltf/container/accessor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

namespace sinew::gltf {
namespace {

struct TypeRow {
  std::string_view name;
  std::size_t components;
};
constexpr std::array kTypes = {TypeRow{"SCALAR", 1}, TypeRow{"VEC2", 2}, TypeRow{"VEC3", 3},
                               TypeRow{"VEC4", 4},   TypeRow{"MAT3", 9}, TypeRow{"MAT4", 16}};

struct ComponentRow {
  Component component;
  std::size_t bytes;
  std::string_view name;
};
constexpr std::array kComponents = {ComponentRow{Component::Byte, 1, "byte"},
                                    ComponentRow{Component::UnsignedByte, 1, "unsigned byte"},
                                    ComponentRow{Component::Short, 2, "short"},
                                    ComponentRow{Component::UnsignedShort, 2, "unsigned short"},
                                    ComponentRow{Component::UnsignedInt, 4, "unsigned int"},
                                    ComponentRow{Component::Float, 4, "float"}};

const ComponentRow* findComponent(std::size_t number) {
  const auto* row = std::find_if(kComponents.begin(), kComponents.end(),
                                 [&](const ComponentRow& candidate) { return toSize(candidate.component) == number; });
  return row == kComponents.end() ? nullptr : row;
}

Component componentOf(const Json& object, const std::string& where) {
  const std::size_t number = requiredCount(object, "componentType", where);
  const ComponentRow* row = findComponent(number);
  if (row == nullptr) {
    refuse(fmt::format("{}.componentType is {}, which is not a valid component type; export the file again", where,
                       number));
  }
  return row->component;
}

struct Stretch {
  const char* data = nullptr;
  std::size_t stride = 0;
};

/// `count` elements of `bytes` each in the buffer view of `object`, from its byteOffset. `where` is the position of the
/// object, `who` also names the user.
Stretch stretchOf(const GltfDocument& document, const Json& object, std::size_t count, std::size_t bytes,
                  const std::string& where, const std::string& who) {
  const Json& views = listOf(document.json, "bufferViews", "");
  requiredCount(object, "bufferView", where);
  const std::size_t index = *optionalIndex(object, "bufferView", views.size(), where);
  const Json& view = views[index];
  const std::string viewWhere = fmt::format("bufferViews[{}]", index);
  const std::size_t length = requiredCount(view, "byteLength", viewWhere);
  std::size_t stride = optionalCount(view, "byteStride", viewWhere, 0);
  if (stride == 0) stride = bytes;
  if (stride < bytes) {
    refuse(fmt::format("{}.byteStride is {}, less than the {} bytes of an element of {}; export the file again",
                       viewWhere, stride, bytes, who));
  }
  const std::size_t offset = optionalCount(object, "byteOffset", where, 0);
  if (offset > length || (count > 0 && (length - offset < bytes || (length - offset - bytes) / stride < count - 1))) {
    refuse(
        fmt::format("{} needs {} elements of {} bytes from byte {}, beyond the {} bytes of {}; export the file again",
                    who, count, bytes, offset, length, viewWhere));
  }
  const std::size_t start = optionalCount(view, "byteOffset", viewWhere, 0);
  const std::size_t buffer = *optionalIndex(view, "buffer", document.buffers.size(), viewWhere);
  return {document.buffers[buffer].data() + start + offset, stride};
}

template <class T>
T load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

std::uint32_t loadWhole(Component component, const char* from) {
  if (component == Component::UnsignedByte) return load<std::uint8_t>(from);
  if (component == Component::UnsignedShort) return load<std::uint16_t>(from);
  return load<std::uint32_t>(from);
}

void openSparse(const GltfDocument& document, const Json& sparse, AccessorView& view, const std::string& where) {
  if (!sparse.is_object()) refuse(fmt::format("{} is not an object; export the file again", where));
  view.sparseCount = requiredCount(sparse, "count", where);
  if (view.sparseCount > view.count) {
    refuse(fmt::format("{}.count is {}, more than the {} elements of its accessor; export the file again", where,
                       view.sparseCount, view.count));
  }
  const Json* indices = find(sparse, "indices");
  const Json* values = find(sparse, "values");
  if (indices == nullptr || values == nullptr) {
    refuse(fmt::format("{} lacks its indices or values; export the file again", where));
  }
  const std::string indicesWhere = where + ".indices";
  view.sparseIndexComponent = componentOf(*indices, indicesWhere);
  const std::size_t indexBytes = componentBytes(view.sparseIndexComponent);
  if (view.sparseIndexComponent != Component::UnsignedByte && view.sparseIndexComponent != Component::UnsignedShort &&
      view.sparseIndexComponent != Component::UnsignedInt) {
    refuse(fmt::format("{} are not unsigned; export the file again", indicesWhere));
  }
  const std::size_t bytes = view.components * componentBytes(view.component);
  view.sparseIndices = stretchOf(document, *indices, view.sparseCount, indexBytes, indicesWhere, indicesWhere).data;
  view.sparseValues = stretchOf(document, *values, view.sparseCount, bytes, where + ".values", where + ".values").data;
  std::size_t next = 0;
  for (std::size_t i = 0; i < view.sparseCount; ++i) {
    const std::size_t index = loadWhole(view.sparseIndexComponent, view.sparseIndices + i * indexBytes);
    if (index < next || index >= view.count) {
      refuse(fmt::format("{} has {} at position {}: indices must increase and stay below {}; export the file again",
                         indicesWhere, index, i, view.count));
    }
    next = index + 1;
  }
}

template <class T>
double fraction(T value) {
  return std::max(static_cast<double>(value) / static_cast<double>(std::numeric_limits<T>::max()), -1.0);
}

template <class T>
void decodeRun(const char* data, std::size_t count, bool normalized, double* out) {
  if (normalized && std::is_integral_v<T>) {
    for (std::size_t i = 0; i < count; ++i) out[i] = fraction(load<T>(data + i * sizeof(T)));
  } else {
    for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<double>(load<T>(data + i * sizeof(T)));
  }
}

using RunDecoder = void (*)(const char*, std::size_t, bool, double*);

RunDecoder runDecoder(Component component) {
  switch (component) {
    case Component::Byte:
      return decodeRun<std::int8_t>;
    case Component::UnsignedByte:
      return decodeRun<std::uint8_t>;
    case Component::Short:
      return decodeRun<std::int16_t>;
    case Component::UnsignedShort:
      return decodeRun<std::uint16_t>;
    case Component::UnsignedInt:
      return decodeRun<std::uint32_t>;
    case Component::Float:
      break;
  }
  return decodeRun<float>;
}

}  // namespace

std::size_t componentBytes(Component component) {
  return findComponent(toSize(component))->bytes;
}

std::string_view typeName(std::size_t components) {
  const auto* row = std::find_if(kTypes.begin(), kTypes.end(),
                                 [&](const TypeRow& candidate) { return candidate.components == components; });
  return row == kTypes.end() ? "MAT2" : row->name;
}

AccessorView openAccessor(const GltfDocument& document, std::size_t index, const std::string& where) {
  const Json& accessor = listOf(document.json, "accessors", "").at(index);
  const std::string place = fmt::format("accessors[{}]", index);
  AccessorView view;
  view.where = where.empty() ? place : fmt::format("{} ({})", where, place);
  view.component = componentOf(accessor, place);
  const std::string type = optionalText(accessor, "type", place);
  const auto* row =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeRow& candidate) { return candidate.name == type; });
  // MAT2 exists, but nothing in core glTF uses it, and its columns are padded.
  if (row == kTypes.end()) refuse(fmt::format("{}.type is '{}', which is unknown; export the file again", place, type));
  view.components = row->components;
  if (view.components > 4 && view.component != Component::Float) {
    refuse(fmt::format("{} has matrices that are not float; export the file again", place));
  }
  view.count = requiredCount(accessor, "count", place);
  view.normalized = optionalFlag(accessor, "normalized", place);
  const std::size_t bytes = view.components * componentBytes(view.component);
  if (view.count > std::numeric_limits<std::size_t>::max() / 256) {
    refuse(fmt::format("{}.count is {}, more than any file can contain; export the file again", place, view.count));
  }
  if (find(accessor, "bufferView") != nullptr) {
    const Stretch stretch = stretchOf(document, accessor, view.count, bytes, place, view.where);
    view.data = stretch.data;
    view.stride = stretch.stride;
  }
  if (const Json* sparse = find(accessor, "sparse")) openSparse(document, *sparse, view, place + ".sparse");
  return view;
}

void checkType(const AccessorView& view, std::size_t components, std::initializer_list<Component> allowed) {
  if (view.components != components) {
    refuse(fmt::format("{} is of type {} where {} is needed; export the file again", view.where,
                       typeName(view.components), typeName(components)));
  }
  if (allowed.size() == 0 || std::find(allowed.begin(), allowed.end(), view.component) != allowed.end()) return;
  refuse(fmt::format("{} has components of type {}, which is not allowed here; export the file again", view.where,
                     findComponent(toSize(view.component))->name));
}

void decodeNumbers(const AccessorView& view, double* out) {
  const RunDecoder decode = runDecoder(view.component);
  const std::size_t bytes = view.components * componentBytes(view.component);
  if (view.data == nullptr) {
    std::fill_n(out, view.count * view.components, 0.0);
  } else if (view.stride == bytes) {
    decode(view.data, view.count * view.components, view.normalized, out);
  } else {
    for (std::size_t i = 0; i < view.count; ++i) {
      decode(view.data + i * view.stride, view.components, view.normalized, out + i * view.components);
    }
  }
  const std::size_t indexBytes = componentBytes(view.sparseIndexComponent);
  for (std::size_t i = 0; i < view.sparseCount; ++i) {
    const std::size_t element = loadWhole(view.sparseIndexComponent, view.sparseIndices + i * indexBytes);
    decode(view.sparseValues + i * bytes, view.components, view.normalized, out + element * view.components);
  }
}

std::vector<std::uint32_t> decodeWhole(const AccessorView& view) {
  const std::size_t size = componentBytes(view.component);
  std::vector<std::uint32_t> numbers(view.count * view.components, 0);
  const auto decode = [&](const char* from, std::uint32_t* to) {
    for (std::size_t k = 0; k < view.components; ++k) to[k] = loadWhole(view.component, from + k * size);
  };
  if (view.data != nullptr) {
    for (std::size_t i = 0; i < view.count; ++i) {
      decode(view.data + i * view.stride, numbers.data() + i * view.components);
    }
  }
  const std::size_t indexBytes = componentBytes(view.sparseIndexComponent);
  for (std::size_t i = 0; i < view.sparseCount; ++i) {
    const std::size_t element = loadWhole(view.sparseIndexComponent, view.sparseIndices + i * indexBytes);
    decode(view.sparseValues + i * size * view.components, numbers.data() + element * view.components);
  }
  return numbers;
}

}  // namespace sinew::gltf
