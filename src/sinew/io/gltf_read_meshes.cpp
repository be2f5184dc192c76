// Primitives to one mesh: vertices are numbered over the meshes in file order, primitive after primitive, also where
// primitives share their accessors.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sinew/io/gltf_read.h"

namespace sinew::gltf {
namespace {

constexpr std::size_t kTriangles = 4;
constexpr std::size_t kTriangleStrip = 5;
constexpr std::size_t kTriangleFan = 6;

/// Optional attributes of all parts of one kind: which parts have them.
struct Column {
  std::vector<std::optional<AccessorView>> views;
  [[nodiscard]] bool any() const {
    return std::any_of(views.begin(), views.end(), [](const auto& view) { return view.has_value(); });
  }
};

const Json& attributesOf(const PrimitiveSource& primitive) {
  const Json* attributes = find(*primitive.json, "attributes");
  if (attributes == nullptr || !attributes->is_object() || find(*attributes, "POSITION") == nullptr) {
    refuse(fmt::format("{}.attributes has no POSITION; export the mesh with its vertices", primitive.where));
  }
  return *attributes;
}

/// Where a mesh is stored compressed and nothing stands in for it, its accessors have no bytes.
void checkCompression(const PrimitiveSource& primitive, const AccessorView& position) {
  const Json* extensions = find(*primitive.json, "extensions");
  if (position.data == nullptr && extensions != nullptr && find(*extensions, "KHR_draco_mesh_compression") != nullptr) {
    refuse(fmt::format("{} is compressed by Draco, which Sinew cannot read; export it without Draco compression",
                       primitive.where));
  }
}

std::string partName(const Json& mesh, std::size_t index, std::size_t primitive, std::size_t primitives) {
  std::string name = optionalText(mesh, "name", fmt::format("meshes[{}]", index));
  if (name.empty()) name = fmt::format("mesh{}", index);
  return primitives == 1 ? name : fmt::format("{}.{}", name, primitive);
}

/// Opens every attribute, so that all counts are known to agree, and makes the parts.
std::vector<AccessorView> openParts(Reading& reading, Column& normals, Column& uvs) {
  std::vector<AccessorView> positions;
  const Json& meshes = reading.list("meshes");
  Index next = 0;
  for (std::size_t m = 0; m < meshes.size(); ++m) {
    const Json& primitives = objectsOf(meshes[m], "primitives", fmt::format("meshes[{}]", m));
    if (primitives.empty()) refuse(fmt::format("meshes[{}] has no primitives; export the file again", m));
    for (std::size_t p = 0; p < primitives.size(); ++p) {
      const PrimitiveSource source{m, &primitives[p], fmt::format("meshes[{}].primitives[{}]", m, p)};
      const Json& attributes = attributesOf(source);
      AccessorView position = reading.open(*find(attributes, "POSITION"), source.where + ".attributes.POSITION");
      checkType(position, 3, {});
      checkCompression(source, position);
      std::optional<AccessorView> normal;
      std::optional<AccessorView> uv;
      for (const auto& [name, reference] : attributes.items()) {
        if (name == "POSITION") continue;
        AccessorView view = reading.open(reference, fmt::format("{}.attributes.{}", source.where, name));
        if (view.count != position.count) {
          refuse(fmt::format("{} has {} elements for {} vertices; export the file again", view.where, view.count,
                             position.count));
        }
        if (name == "NORMAL")
          normal = std::move(view);
        else if (name == "TEXCOORD_0")
          uv = std::move(view);
      }
      const Placement& placement = reading.placements[m];
      MeshPart part;
      part.name = partName(meshes[m], m, p, primitives.size());
      part.firstVertex = next;
      part.vertexCount = static_cast<Index>(position.count);
      part.mesh = static_cast<int>(m);
      part.node = placement.node;
      part.instances = placement.instances;
      part.skinned =
          placement.skin && find(attributes, "JOINTS_0") != nullptr && find(attributes, "WEIGHTS_0") != nullptr;
      next += part.vertexCount;
      reading.character.mesh.parts.push_back(std::move(part));
      reading.primitives.push_back(source);
      positions.push_back(std::move(position));
      normals.views.push_back(std::move(normal));
      uvs.views.push_back(std::move(uv));
    }
  }
  if (next >= std::numeric_limits<std::uint32_t>::max()) refuse("has more vertices than can be numbered");
  return positions;
}

/// The primitive's list of vertices, from its indices or simply counted.
std::vector<std::uint32_t> vertexList(Reading& reading, const PrimitiveSource& source, const MeshPart& part) {
  const auto first = static_cast<std::uint32_t>(part.firstVertex);
  std::vector<std::uint32_t> list;
  if (const Json* reference = find(*source.json, "indices")) {
    const AccessorView view = reading.open(*reference, source.where + ".indices");
    checkType(view, 1, {Component::UnsignedByte, Component::UnsignedShort, Component::UnsignedInt});
    list = decodeWhole(view);
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i] >= static_cast<std::size_t>(part.vertexCount)) {
        refuse(fmt::format("{} names vertex {} at place {}, but the primitive has {}; export the file again",
                           view.where, list[i], i, part.vertexCount));
      }
      list[i] += first;
    }
  } else {
    list.resize(static_cast<std::size_t>(part.vertexCount));
    for (std::size_t i = 0; i < list.size(); ++i) list[i] = first + static_cast<std::uint32_t>(i);
  }
  return list;
}

/// Strips and fans are expanded (glTF 2.0, section 3.7.2.1); strips drop the flat triangles that stitch them together.
void addFaces(Reading& reading, const PrimitiveSource& source, MeshPart& part) {
  Faces& faces = reading.character.mesh.faces;
  part.firstFace = faces.size();
  const std::size_t mode = optionalCount(*source.json, "mode", source.where, kTriangles);
  if (mode > kTriangleFan)
    refuse(fmt::format("{}.mode is {}, which is no mode; export the file again", source.where, mode));
  const std::vector<std::uint32_t> list = vertexList(reading, source, part);
  if (mode == kTriangles) {
    const std::size_t corners = list.size() - list.size() % 3;
    if (corners != list.size()) {
      reading.problems.push_back(fmt::format(
          "{} has {} corners, which is no multiple of 3; the last ones were ignored.", source.where, list.size()));
    }
    faces.corner.insert(faces.corner.end(), list.begin(), list.begin() + static_cast<std::ptrdiff_t>(corners));
    for (std::size_t end = faces.corner.size() - corners + 3; end <= faces.corner.size(); end += 3) {
      faces.start.push_back(static_cast<std::uint32_t>(end));
    }
  } else if (mode == kTriangleStrip) {
    for (std::size_t i = 0; i + 2 < list.size(); ++i) {
      const Triangle t{list[i], list[i + 1 + i % 2], list[i + 2 - i % 2]};
      if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) faces.add(t);
    }
  } else if (mode == kTriangleFan) {
    for (std::size_t i = 0; i + 2 < list.size(); ++i) faces.add(Triangle{list[i + 1], list[i + 2], list[0]});
  }
  part.faceCount = faces.size() - part.firstFace;
}

}  // namespace

void readMeshes(Reading& reading) {
  Column normals;
  Column uvs;
  const std::vector<AccessorView> positions = openParts(reading, normals, uvs);
  Mesh& mesh = reading.character.mesh;
  Index count = 0;
  for (const MeshPart& part : mesh.parts) count += part.vertexCount;
  mesh.points.resize(3, count);
  bool allHaveNormals = normals.any();
  for (std::size_t i = 0; i < mesh.parts.size(); ++i) {
    MeshPart& part = mesh.parts[i];
    double* points = mesh.points.data() + 3 * part.firstVertex;
    decodeNumbers(positions[i], points);
    reading.mendNumbers(points, 3 * positions[i].count, 3, positions[i].where, "vertex");
    addFaces(reading, reading.primitives[i], part);
    if (part.faceCount > 0 && !normals.views[i]) allHaveNormals = false;
  }
  // A renderer can use either all normals or none; parts without faces need none.
  mesh.normals.setZero(3, allHaveNormals ? count : 0);
  mesh.uvs.setZero(2, uvs.any() ? count : 0);
  for (std::size_t i = 0; i < mesh.parts.size(); ++i) {
    const MeshPart& part = mesh.parts[i];
    if (allHaveNormals && normals.views[i]) {
      checkType(*normals.views[i], 3, {});
      double* to = mesh.normals.data() + 3 * part.firstVertex;
      decodeNumbers(*normals.views[i], to);
      reading.mendNumbers(to, 3 * normals.views[i]->count, 3, normals.views[i]->where, "vertex");
    }
    if (uvs.views[i]) {
      checkType(*uvs.views[i], 2, {});
      double* to = mesh.uvs.data() + 2 * part.firstVertex;
      decodeNumbers(*uvs.views[i], to);
      reading.mendNumbers(to, 2 * uvs.views[i]->count, 2, uvs.views[i]->where, "vertex");
    }
  }
}

}  // namespace sinew::gltf
