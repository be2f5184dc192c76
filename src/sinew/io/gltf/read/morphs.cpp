// Morph targets: one per target of a mesh, over the consecutive vertices of all its primitives.
#include <fmt/format.h>

#include "sinew/io/gltf/read/read.h"

namespace sinew::gltf {
namespace {

struct MeshRange {
  std::size_t firstPart = 0;
  std::size_t endPart = 0;
  Index firstVertex = 0;
  Index vertexCount = 0;
};

MeshRange rangeOf(const Reading& reading, std::size_t mesh, std::size_t firstPart) {
  const auto& parts = reading.character.mesh.parts;
  MeshRange range{firstPart, firstPart, firstPart < parts.size() ? parts[firstPart].firstVertex : 0, 0};
  while (range.endPart < parts.size() && reading.primitives[range.endPart].mesh == mesh) {
    range.vertexCount += parts[range.endPart++].vertexCount;
  }
  return range;
}

std::size_t targetCount(const Reading& reading, const MeshRange& range) {
  std::size_t count = 0;
  for (std::size_t p = range.firstPart; p < range.endPart; ++p) {
    const PrimitiveSource& source = reading.primitives[p];
    const std::size_t own = objectsOf(*source.json, "targets", source.where).size();
    if (p == range.firstPart) count = own;
    if (own != count) {
      refuse(fmt::format("{} has {} morph targets, the mesh's first primitive {}; export the file again", source.where,
                         own, count));
    }
  }
  return count;
}

/// The displacements of one part under `attribute`, written into its columns of `deltas`; false if it has none.
bool readDeltas(Reading& reading, std::size_t part, std::size_t target, const char* attribute, Index firstVertex,
                Points& deltas) {
  const PrimitiveSource& source = reading.primitives[part];
  const Json* reference = find(listOf(*source.json, "targets", source.where)[target], attribute);
  if (reference == nullptr) return false;
  const MeshPart& meshPart = reading.character.mesh.parts[part];
  const AccessorView view = reading.open(*reference, fmt::format("{}.targets[{}].{}", source.where, target, attribute));
  checkType(view, 3, {});
  if (view.count != toSize(meshPart.vertexCount)) {
    refuse(fmt::format("{} has {} elements for {} vertices; export the file again", view.where, view.count,
                       meshPart.vertexCount));
  }
  double* to = deltas.data() + 3 * (meshPart.firstVertex - firstVertex);
  decodeNumbers(view, to);
  reading.mendNumbers(to, 3 * view.count, 3, view.where, "vertex");
  return true;
}

/// mesh.extras.targetNames, if it is a list of texts of the right length: a custom of exporters, not a rule.
std::vector<std::string> targetNames(const Json& mesh, std::size_t count) {
  std::vector<std::string> names;
  names.reserve(count);
  for (std::size_t t = 0; t < count; ++t) names.push_back(fmt::format("target{}", t));
  const Json* extras = find(mesh, "extras");
  const Json* given = extras == nullptr ? nullptr : find(*extras, "targetNames");
  if (given == nullptr || !given->is_array()) return names;
  for (std::size_t t = 0; t < std::min(count, given->size()); ++t) {
    if ((*given)[t].is_string()) names[t] = (*given)[t].get<std::string>();
  }
  return names;
}

std::vector<double> defaultWeights(const Reading& reading, std::size_t mesh, std::size_t count) {
  const int node = reading.placements[mesh].node;
  if (node >= 0) {
    const Json& placing = reading.list("nodes")[toSize(node)];
    if (auto weights = optionalNumbers(placing, "weights", count, fmt::format("nodes[{}]", node))) return *weights;
  }
  auto weights = optionalNumbers(reading.list("meshes")[mesh], "weights", count, fmt::format("meshes[{}]", mesh));
  return weights ? *weights : std::vector<double>(count, 0.0);
}

}  // namespace

void readMorphs(Reading& reading) {
  const Json& meshes = reading.list("meshes");
  std::size_t part = 0;
  for (std::size_t m = 0; m < meshes.size(); ++m) {
    const MeshRange range = rangeOf(reading, m, part);
    part = range.endPart;
    reading.firstMorph.push_back(static_cast<int>(reading.character.morphs.size()));
    const std::size_t count = targetCount(reading, range);
    if (count == 0) continue;
    const std::vector<std::string> names = targetNames(meshes[m], count);
    const std::vector<double> weights = defaultWeights(reading, m, count);
    for (std::size_t t = 0; t < count; ++t) {
      MorphTarget morph;
      morph.name = names[t];
      morph.mesh = static_cast<int>(m);
      morph.firstVertex = range.firstVertex;
      morph.defaultWeight = weights[t];
      reading.elementsLeft -= static_cast<double>(range.vertexCount);
      if (reading.elementsLeft < 0) refuse(fmt::format("meshes[{}] has more morph targets than its size allows", m));
      morph.deltas.setZero(3, range.vertexCount);
      Points normals = Points::Zero(3, range.vertexCount);
      bool anyNormals = false;
      for (std::size_t p = range.firstPart; p < range.endPart; ++p) {
        readDeltas(reading, p, t, "POSITION", range.firstVertex, morph.deltas);
        anyNormals = readDeltas(reading, p, t, "NORMAL", range.firstVertex, normals) || anyNormals;
      }
      if (anyNormals) morph.normalDeltas = std::move(normals);
      reading.character.morphs.push_back(std::move(morph));
    }
  }
  reading.firstMorph.push_back(static_cast<int>(reading.character.morphs.size()));
}

}  // namespace sinew::gltf
