// The steps of writing a changed character into a copy of its source.
#pragma once

#include <numeric>

#include "sinew/io/gltf/read/read.h"
#include "sinew/io/gltf/write/emit.h"

namespace sinew::gltf {

/// `before` is the current content of the source; each step compares one aspect with `after` and writes only the
/// difference.
struct Patching {
  const Reading& before;
  const Character& after;
  const WriteOptions& options;
  GltfDocument& document;
  Store store;
  LostList& lost;
  bool changed = false;

  /// The primitive of a part in the document that is written.
  Json& primitive(std::size_t part) {
    const std::size_t mesh = before.primitives[part].mesh;
    std::size_t first = part;
    while (first > 0 && before.primitives[first - 1].mesh == mesh) --first;
    return document.json["meshes"][mesh]["primitives"][part - first];
  }
  /// Its vertices: a primitive of the source has them in the character's order.
  [[nodiscard]] std::vector<std::uint32_t> vertices(std::size_t part) const {
    const MeshPart& own = before.character.mesh.parts[part];
    std::vector<std::uint32_t> list(toSize(own.vertexCount));
    std::iota(list.begin(), list.end(), static_cast<std::uint32_t>(own.firstVertex));
    return list;
  }
  /// The primitive, made ready for new data: compressed copies of the old data are dropped.
  Json& edited(std::size_t part);
};

void patchNodes(Patching& patching);
/// Points, normals, texture coordinates and faces.
void patchMeshes(Patching& patching);
/// Bindings and weights.
void patchSkins(Patching& patching);
/// Morph targets, then clips: clips that drive changed targets are written again.
void patchMotion(Patching& patching);

}  // namespace sinew::gltf
