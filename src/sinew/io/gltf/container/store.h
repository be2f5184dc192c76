// Adding data to a document that is being written, and taking out what no one uses any more.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "sinew/base/types.h"
#include "sinew/io/gltf/container/accessor.h"
#include "sinew/io/gltf/container/document.h"

namespace sinew::gltf {

/// bufferView.target: only vertex data and indices have one.
enum class Usage { Other = 0, Vertex = 34962, Index = 34963 };

/// Appends accessors, each with a buffer view of its own, to buffer 0 of a document.
class Store {
 public:
  explicit Store(GltfDocument& document) : document_(document) {}

  /// An element per column (SCALAR, VEC3, ... MAT4 by the number of rows). Throws for numbers beyond the range of
  /// float.
  std::size_t addFloats(const Eigen::Ref<const Eigen::MatrixXf>& columns, Usage usage, bool withBounds);
  /// Unsigned numbers, `components` per element; normalised ones mean fractions of the largest.
  std::size_t addWhole(std::span<const std::uint32_t> numbers, std::size_t components, Component component, Usage usage,
                       bool normalized = false);
  /// Key times; equal lists are stored once.
  std::size_t addTimes(const std::vector<float>& times);
  /// An accessor that is described completely.
  std::size_t add(Json accessor);
  /// Names an extension that readers must know.
  void require(const char* extension);
  void setStride(std::size_t view, std::size_t bytes) { document_.json["bufferViews"][view]["byteStride"] = bytes; }
  /// Bytes as a buffer view (images).
  std::size_t addView(std::string_view bytes, Usage usage);

 private:
  std::size_t addAccessor(std::string_view bytes, std::size_t count, std::size_t components, Component component,
                          Usage usage);

  GltfDocument& document_;
  std::map<std::vector<float>, std::size_t> times_;
};

/// Which accessors and buffer views a document uses.
struct References {
  std::vector<bool> accessors;
  std::vector<bool> views;
};
References findReferences(const Json& root);

/// Removes accessors and buffer views that a change left unused, and their bytes. Does nothing if the document has
/// extensions that may refer to accessors in unknown ways. Sinew's own extensions refer to them by members named
/// `accessor` and `bufferView`.
void dropUnused(GltfDocument& document, const References& before);

}  // namespace sinew::gltf
