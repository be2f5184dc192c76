// Primitives to one mesh: vertices are numbered over the meshes in file order, primitive after primitive, also where
// primitives share their accessors.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sinew/io/gltf/read/read.h"

namespace sinew::gltf {
namespace {

constexpr std::size_t kTriangles = 4;
constexpr std::size_t kTriangleStrip = 5;
constexpr std::size_t kTriangleFan = 6;

/// What a part is decoded from.
struct OpenPart {
  AccessorView position;
  std::optional<AccessorView> normal;
  std::optional<AccessorView> uv;
};

const Json& attributesOf(const PrimitiveSource& primitive) {
  const Json* attributes = find(*primitive.json, "attributes");
  if (attributes == nullptr || !attributes->is_object() || find(*attributes, "POSITION") == nullptr) {
    refuse(fmt::format("{}.attributes has no POSITION; export the mesh with its vertices", primitive.where));
  }
  return *attributes;
}

/// If a mesh is compressed without a fallback, its accessors have no bytes.
void checkCompression(const PrimitiveSource& primitive, const AccessorView& position) {
  const Json* extensions = find(*primitive.json, "extensions");
  if (position.data == nullptr && extensions != nullptr && find(*extensions, "KHR_draco_mesh_compression") != nullptr) {
    refuse(fmt::format("{} uses Draco compression, which Sinew cannot read; export it without Draco compression",
                       primitive.where));
  }
}

std::string partName(const Json& mesh, std::size_t index, std::size_t primitive, std::size_t primitives) {
  std::string name = optionalText(mesh, "name", fmt::format("meshes[{}]", index));
  if (name.empty()) name = fmt::format("mesh{}", index);
  return primitives == 1 ? name : fmt::format("{}.{}", name, primitive);
}

/// Opens every attribute, also those that are not decoded, so that all counts are known to agree.
OpenPart openPart(Reading& reading, const PrimitiveSource& source) {
  const Json& attributes = attributesOf(source);
  OpenPart open{reading.open(*find(attributes, "POSITION"), source.where + ".attributes.POSITION"), {}, {}};
  checkType(open.position, 3, {});
  checkCompression(source, open.position);
  for (const auto& [name, reference] : attributes.items()) {
    if (name == "POSITION") continue;
    AccessorView view = reading.open(reference, fmt::format("{}.attributes.{}", source.where, name));
    if (view.count != open.position.count) {
      refuse(fmt::format("{} has {} elements for {} vertices; export the file again", view.where, view.count,
                         open.position.count));
    }
    if (name == "NORMAL") {
      checkType(view, 3, {});
      open.normal = std::move(view);
    } else if (name == "TEXCOORD_0") {
      checkType(view, 2, {});
      open.uv = std::move(view);
    }
  }
  return open;
}

void addPart(Reading& reading, const PrimitiveSource& source, std::string name, Index firstVertex, std::size_t count) {
  const Placement& placement = reading.placements[source.mesh];
  const Json& attributes = attributesOf(source);
  MeshPart part;
  part.name = std::move(name);
  part.firstVertex = firstVertex;
  part.vertexCount = static_cast<Index>(count);
  part.mesh = static_cast<int>(source.mesh);
  part.node = placement.node;
  part.instances = placement.instances;
  part.skinned = placement.skin && find(attributes, "JOINTS_0") != nullptr && find(attributes, "WEIGHTS_0") != nullptr;
  reading.character.mesh.parts.push_back(std::move(part));
  reading.primitives.push_back(source);
}

std::vector<OpenPart> openParts(Reading& reading) {
  std::vector<OpenPart> parts;
  const Json& meshes = reading.list("meshes");
  Index next = 0;
  for (std::size_t m = 0; m < meshes.size(); ++m) {
    const Json& primitives = objectsOf(meshes[m], "primitives", fmt::format("meshes[{}]", m));
    if (primitives.empty()) refuse(fmt::format("meshes[{}] has no primitives; export the file again", m));
    for (std::size_t p = 0; p < primitives.size(); ++p) {
      const PrimitiveSource source{m, &primitives[p], fmt::format("meshes[{}].primitives[{}]", m, p)};
      parts.push_back(openPart(reading, source));
      const std::size_t count = parts.back().position.count;
      addPart(reading, source, partName(meshes[m], m, p, primitives.size()), next, count);
      next += static_cast<Index>(count);
    }
  }
  if (next >= std::numeric_limits<std::uint32_t>::max()) {
    refuse("has more vertices than can be numbered; split it into several files");
  }
  return parts;
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
      if (list[i] >= toSize(part.vertexCount)) {
        refuse(fmt::format("{} refers to vertex {} at position {}, but the primitive has {}; export the file again",
                           view.where, list[i], i, part.vertexCount));
      }
      list[i] += first;
    }
  } else {
    list.resize(toSize(part.vertexCount));
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
    refuse(fmt::format("{}.mode is {}, which is not a valid mode; export the file again", source.where, mode));
  const std::vector<std::uint32_t> list = vertexList(reading, source, part);
  if (mode == kTriangles) {
    const std::size_t corners = list.size() - list.size() % 3;
    if (corners != list.size()) {
      reading.problems.push_back(fmt::format(
          "{} has {} corners, which is not a multiple of 3; the last ones were ignored.", source.where, list.size()));
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

/// Decodes an attribute into the columns of its part.
void decodeInto(Reading& reading, const AccessorView& view, double* columns) {
  decodeNumbers(view, columns);
  reading.mendNumbers(columns, view.count * view.components, view.components, view.where, "vertex");
}

}  // namespace

void readMeshes(Reading& reading) {
  const std::vector<OpenPart> open = openParts(reading);
  Mesh& mesh = reading.character.mesh;
  Index count = 0;
  bool anyNormals = false;
  bool allNormals = true;
  bool anyUvs = false;
  for (const MeshPart& part : mesh.parts) count += part.vertexCount;
  mesh.points.resize(3, count);
  for (std::size_t i = 0; i < open.size(); ++i) {
    MeshPart& part = mesh.parts[i];
    decodeInto(reading, open[i].position, mesh.points.data() + 3 * part.firstVertex);
    addFaces(reading, reading.primitives[i], part);
    anyUvs = anyUvs || open[i].uv;
    anyNormals = anyNormals || open[i].normal;
    allNormals = allNormals && (part.faceCount == 0 || open[i].normal);
  }
  // A renderer can use either all normals or none; parts without faces need none.
  const bool useNormals = anyNormals && allNormals;
  mesh.normals.setZero(3, useNormals ? count : 0);
  mesh.uvs.setZero(2, anyUvs ? count : 0);
  for (std::size_t i = 0; i < open.size(); ++i) {
    const Index first = mesh.parts[i].firstVertex;
    if (useNormals && open[i].normal) decodeInto(reading, *open[i].normal, mesh.normals.data() + 3 * first);
    if (open[i].uv) decodeInto(reading, *open[i].uv, mesh.uvs.data() + 2 * first);
  }
}

}  // namespace sinew::gltf
