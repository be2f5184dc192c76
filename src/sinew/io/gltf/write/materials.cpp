// The materials of a file, with images, texture coordinates and colours, and without skins and clips.
#include <utility>

#include "sinew/io/gltf.h"
#include "sinew/io/gltf/container/document.h"
#include "sinew/io/gltf/container/store.h"

namespace sinew::gltf {
namespace {

bool isLook(const std::string& attribute) {
  return attribute.starts_with("TEXCOORD_") || attribute.starts_with("COLOR_");
}

/// A mesh of one primitive with its material and its attributes. What readers must know of each part is in the mesh:
/// they may share primitives with equal attributes.
Json looksOf(const Json& primitive, std::size_t vertices) {
  Json looks{{"attributes", Json::object()}};
  for (const auto& [name, accessor] : primitive["attributes"].items()) {
    if (isLook(name)) looks["attributes"][name] = accessor;
  }
  if (const Json* material = find(primitive, "material")) looks["material"] = *material;
  const bool smooth = find(primitive["attributes"], "NORMAL") != nullptr;
  return {{"primitives", Json::array({std::move(looks)})}, {"extras", {{"smooth", smooth}, {"vertices", vertices}}}};
}

/// A mesh for each part; empty if the parts are not those of the document.
Json meshesOf(const GltfDocument& document, const std::vector<MeshPart>& parts) {
  Json meshes = Json::array();
  for (const Json& mesh : listOf(document.json, "meshes", "")) {
    for (const Json& primitive : listOf(mesh, "primitives", "meshes")) {
      if (meshes.size() == parts.size()) return Json::array();
      const std::size_t accessor = requiredCount(primitive["attributes"], "POSITION", "attributes");
      const std::size_t vertices = requiredCount(document.json["accessors"][accessor], "count", "accessors");
      if (vertices != toSize(parts[meshes.size()].vertexCount)) return Json::array();
      meshes.push_back(looksOf(primitive, vertices));
    }
  }
  return meshes.size() == parts.size() ? meshes : Json::array();
}

}  // namespace
}  // namespace sinew::gltf

namespace sinew {

std::string materialsOf(const CharacterFile& file) {
  using namespace gltf;
  const auto* source = dynamic_cast<const GltfDocument*>(file.source.get());
  if (source == nullptr || listOf(source->json, "materials", "").empty()) return {};
  Json meshes = meshesOf(*source, file.character.mesh.parts);
  if (meshes.empty()) return {};
  GltfDocument looks = *source;
  looks.chunks.clear();
  const References before = findReferences(looks.json);
  for (const char* member :
       {"animations", "skins", "nodes", "scenes", "scene", "cameras", "extensions", "extras", "extensionsRequired"})
    looks.json.erase(member);
  looks.json["meshes"] = std::move(meshes);
  dropUnused(looks, before);
  return std::move(packDocument(std::move(looks), "materials.glb").files.front().second);
}

}  // namespace sinew
