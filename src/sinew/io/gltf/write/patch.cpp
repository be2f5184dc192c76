#include "sinew/io/gltf/write/patch.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/io/gltf/blocks/block.h"

namespace sinew::gltf {
namespace {

/// A source can be patched where its vertices are still the character's and its nodes still the first joints.
bool fits(const Character& source, const Character& character) {
  const auto sameRange = [](const MeshPart& a, const MeshPart& b) {
    return a.firstVertex == b.firstVertex && a.vertexCount == b.vertexCount && a.mesh == b.mesh;
  };
  const bool sameParts = std::equal(source.mesh.parts.begin(), source.mesh.parts.end(), character.mesh.parts.begin(),
                                    character.mesh.parts.end(), sameRange);
  // A character without parts is a single unit: its faces must be those of the source, because new ones cannot be
  // assigned to parts.
  const bool whole = character.mesh.parts.empty() && character.mesh.faces.start == source.mesh.faces.start &&
                     character.mesh.faces.corner == source.mesh.faces.corner;
  return source.mesh.vertexCount() == character.mesh.vertexCount() &&
         character.skeleton.size() >= source.skeleton.size() && (sameParts || whole);
}

bool sameTransform(const LocalTransform& a, const LocalTransform& b) {
  return a.translation == b.translation && a.rotation.coeffs() == b.rotation.coeffs() && a.scale == b.scale;
}

/// Takes a node out of its parent's children or out of every scene's roots.
void detach(Json& root, int node, int parent) {
  const auto removeFrom = [node](Json& object, const char* key) {
    const auto list = object.find(key);
    if (list == object.end() || !list->is_array()) return;
    Json kept = Json::array();
    for (const Json& entry : *list) {
      if (countOf(entry, key) != toSize(node)) kept.push_back(entry);
    }
    if (kept.empty()) {
      object.erase(key);
    } else {
      *list = std::move(kept);
    }
  };
  if (parent >= 0) {
    removeFrom(root["nodes"][toSize(parent)], "children");
  } else if (root.contains("scenes")) {
    for (Json& scene : root["scenes"]) removeFrom(scene, "nodes");
  }
}

void attach(Json& root, int node, int parent) {
  if (parent >= 0) {
    root["nodes"][toSize(parent)]["children"].push_back(node);
  } else if (const std::size_t scenes = listOf(root, "scenes", "").size(); scenes > 0) {
    const std::size_t scene = optionalIndex(root, "scene", scenes, "").value_or(0);
    root["scenes"][scene]["nodes"].push_back(node);
  }
}

bool sameColumns(const Points& a, const Points& b, Index first, Index count) {
  return a.middleCols(first, count) == b.middleCols(first, count);
}

/// The corners of a part, and where its faces end.
bool sameFaces(const Mesh& a, const Mesh& b, const MeshPart& part) {
  if (a.faces.size() != b.faces.size()) return false;
  for (std::size_t f = part.firstFace; f < part.firstFace + part.faceCount; ++f) {
    const auto x = a.faces[f];
    const auto y = b.faces[f];
    if (!std::equal(x.begin(), x.end(), y.begin(), y.end())) return false;
  }
  return true;
}

void patchFaces(Patching& patching, std::size_t part) {
  const MeshPart& own = patching.after.mesh.parts[part];
  Mesh faces;
  faces.points = patching.after.mesh.points;
  for (std::size_t f = own.firstFace; f < own.firstFace + own.faceCount; ++f)
    faces.faces.add(patching.after.mesh.faces[f]);
  std::vector<std::uint32_t> indices;
  for (const Triangle& triangle : triangulate(faces)) {
    for (const std::uint32_t vertex : triangle) {
      const Index local = static_cast<Index>(vertex) - own.firstVertex;
      if (local < 0 || local >= own.vertexCount) {
        refuse(fmt::format(
            "part '{}' has a face with vertex {} of another part; faces of a part may use only its own vertices",
            own.name, vertex));
      }
      indices.push_back(static_cast<std::uint32_t>(local));
    }
  }
  if (indices.empty()) {
    patching.lost.push_back(fmt::format("Part '{}' has no faces left; its old ones were kept.", own.name));
    return;
  }
  Json& primitive = patching.edited(part);
  primitive.erase("mode");
  const std::size_t accessor = addIndices(patching.store, indices, toSize(own.vertexCount));
  primitive["indices"] = accessor;
}

/// Where morph targets are now, and whether that is not where the source has them.
WrittenPlaces placesOf(const Patching& patching) {
  const Reading& before = patching.before;
  WrittenPlaces places;
  for (std::size_t m = 0; m + 1 < before.firstMorph.size(); ++m) {
    std::vector<MeshPart> parts;
    for (std::size_t p = 0; p < before.primitives.size(); ++p) {
      if (before.primitives[p].mesh == m) parts.push_back(before.character.mesh.parts[p]);
    }
    places.targets.push_back(targetsOf(patching.after, static_cast<int>(m), parts));
    std::vector<int> old(toSize(before.firstMorph[m + 1] - before.firstMorph[m]));
    std::iota(old.begin(), old.end(), before.firstMorph[m]);
    places.moved = places.moved || places.targets.back() != old;
  }
  return places;
}

/// The content of the blocks of the source; its problems were reported when it was read.
CharacterFile learnedBefore(const Reading& source) {
  Reading reading = source;
  CharacterFile file;
  readBlocks(reading, file);
  return file;
}

/// Room for learned shapes, so that a large buffer is not moved while it grows. The estimate is on the safe side: what
/// is not used costs no memory.
void reserveLearned(const CharacterFile& file, GltfDocument& document) {
  constexpr std::size_t kRest = 1 << 20;
  if (document.buffers.empty() || (file.character.morphs.empty() && !file.poseSpace)) return;
  std::size_t bytes = document.buffers.front().size() + kRest;
  for (const MorphTarget& morph : file.character.morphs)
    bytes += toSize(morph.deltas.size() + morph.normalDeltas.size()) * sizeof(float);
  if (file.poseSpace) {
    for (const std::vector<Points>* part : {&file.poseSpace->deltas, &file.poseSpace->layer}) {
      for (const Points& points : *part) bytes += toSize(points.size()) * sizeof(double);
    }
  }
  document.buffers.front().reserve(bytes);
}

}  // namespace

Json& Patching::edited(std::size_t part) {
  changed = true;
  Json& json = primitive(part);
  const auto extensions = json.find("extensions");
  if (extensions != json.end() && extensions->is_object()) {
    extensions->erase("KHR_draco_mesh_compression");
    if (extensions->empty()) json.erase("extensions");
  }
  return json;
}

void patchNodes(Patching& patching) {
  const Skeleton& before = patching.before.character.skeleton;
  const Skeleton& after = patching.after.skeleton;
  Json& root = patching.document.json;
  for (int j = 0; j < after.size(); ++j) {
    const Joint& joint = after[j];
    const bool isNew = j >= before.size();
    if (isNew) root["nodes"].push_back(Json::object());
    Json& node = root["nodes"][toSize(j)];
    if (isNew ? !joint.name.empty() : joint.name != before[j].name) node["name"] = joint.name;
    if (isNew || !sameTransform(joint.rest, before[j].rest)) setTransform(node, joint.rest);
    if (!isNew && joint.parent == before[j].parent && joint.name == before[j].name &&
        sameTransform(joint.rest, before[j].rest)) {
      continue;
    }
    patching.changed = true;
  }
  // Parents may come after their children, so all nodes exist before any is attached.
  for (int j = 0; j < after.size(); ++j) {
    const bool isNew = j >= before.size();
    if (!isNew && after[j].parent == before[j].parent) continue;
    if (!isNew) detach(root, j, before[j].parent);
    attach(root, j, after[j].parent);
  }
}

void patchMeshes(Patching& patching) {
  const Mesh& before = patching.before.character.mesh;
  const Mesh& after = patching.after.mesh;
  const bool normals = after.normals.cols() == after.vertexCount() && after.vertexCount() > 0;
  const bool uvs = after.uvs.cols() == after.vertexCount() && after.cornerUv.empty() && after.vertexCount() > 0;
  for (std::size_t p = 0; p < before.parts.size(); ++p) {
    const MeshPart& part = before.parts[p];
    const std::vector<std::uint32_t> vertices = patching.vertices(p);
    if (!sameColumns(before.points, after.points, part.firstVertex, part.vertexCount)) {
      const std::size_t accessor = addPositions(patching.store, after.points, vertices);
      patching.edited(p)["attributes"]["POSITION"] = accessor;
    }
    if (normals && part.faceCount > 0 &&
        (before.normals.cols() == 0 ||
         !sameColumns(before.normals, after.normals, part.firstVertex, part.vertexCount))) {
      const std::size_t accessor = addNormals(patching.store, after.normals, vertices);
      patching.edited(p)["attributes"]["NORMAL"] = accessor;
    }
    if (uvs && (before.uvs.cols() == 0 || before.uvs.middleCols(part.firstVertex, part.vertexCount) !=
                                              after.uvs.middleCols(part.firstVertex, part.vertexCount))) {
      const Eigen::MatrixXf columns = after.uvs.middleCols(part.firstVertex, part.vertexCount).cast<float>();
      const std::size_t accessor = patching.store.addFloats(columns, Usage::Vertex, false);
      patching.edited(p)["attributes"]["TEXCOORD_0"] = accessor;
    }
    if (!sameFaces(before, after, part)) patchFaces(patching, p);
  }
}

std::optional<GltfDocument> patchDocument(const GltfDocument& source, const CharacterFile& file,
                                          const WriteOptions& options, LostList& lost) {
  const Character& character = file.character;
  std::vector<std::string> problems;
  const Reading before = readDocument(source, problems);
  if (!fits(before.character, character)) {
    lost.push_back(
        "The character has different vertices or fewer joints than its source file, so materials, textures, cameras "
        "and extensions of that file were dropped.");
    return std::nullopt;
  }
  GltfDocument document = source;
  reserveLearned(file, document);
  const References used = findReferences(document.json);
  Patching patching{before, character, options, document, Store(document), lost};
  patchNodes(patching);
  patchMeshes(patching);
  patchSkins(patching);
  patchMotion(patching);
  const CharacterFile learned = learnedBefore(before);
  const WrittenPlaces places = placesOf(patching);
  if (writeBlocks({document, patching.store, file, places, &learned})) patching.changed = true;
  if (patching.changed) dropUnused(document, used);
  return document;
}

}  // namespace sinew::gltf
