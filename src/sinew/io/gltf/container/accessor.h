// Accessors: checked once when opened, then decoded to doubles or whole numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sinew/base/types.h"
#include "sinew/io/gltf/container/document.h"

namespace sinew::gltf {

enum class Component {
  Byte = 5120,
  UnsignedByte = 5121,
  Short = 5122,
  UnsignedShort = 5123,
  UnsignedInt = 5125,
  Float = 5126
};

/// Every element is inside the document's buffers; valid as long as the document.
struct AccessorView {
  std::string where;  ///< "meshes[0].primitives[1].attributes.JOINTS_0 (accessors[4])"
  Component component = Component::Float;
  std::size_t components = 1;  ///< 1 for SCALAR to 16 for MAT4
  std::size_t count = 0;
  bool normalized = false;
  const char* data = nullptr;  ///< null: all zero
  std::size_t stride = 0;
  std::size_t sparseCount = 0;
  Component sparseIndexComponent = Component::UnsignedInt;
  const char* sparseIndices = nullptr;
  const char* sparseValues = nullptr;
};

/// Opens accessor `index`. `where` names who refers to it, for errors.
AccessorView openAccessor(const GltfDocument& document, std::size_t index, const std::string& where);

/// True for "VEC3" where components == 3 and so on.
std::string_view typeName(std::size_t components);
std::size_t componentBytes(Component component);

/// Rejects unless the view has that many components and one of the allowed component types (empty: any).
void checkType(const AccessorView& view, std::size_t components, std::initializer_list<Component> allowed);

/// components x count numbers; normalised integers become fractions. `out` must have space for them.
void decodeNumbers(const AccessorView& view, double* out);
/// The same as whole numbers; the component type must be unsigned.
std::vector<std::uint32_t> decodeWhole(const AccessorView& view);

}  // namespace sinew::gltf
