// Meshes of an imported scene: a part each, in its own space. At a joint j with offset matrix O_j (joint from mesh), a
// vertex v is at sum_j w_j worldFromJoint_j O_j v; a mesh without bones follows its node.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "sinew/base/check.h"
#include "sinew/io/assimp/scene.h"

namespace sinew::assimp {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr double kSumTolerance = 1e-3;

std::string nameOf(const aiMesh& mesh) {
  return mesh.mName.C_Str();
}

std::string plural(std::size_t count, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

/// Whether the importer gave every corner a vertex of its own, and no vertex is left over.
bool isUnrolled(const aiMesh& mesh) {
  std::vector<bool> used(mesh.mNumVertices, false);
  std::size_t corners = 0;
  for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
    for (unsigned i = 0; i < mesh.mFaces[f].mNumIndices; ++i, ++corners) {
      const unsigned vertex = mesh.mFaces[f].mIndices[i];
      if (used[vertex]) return false;
      used[vertex] = true;
    }
  }
  return corners == mesh.mNumVertices;
}

/// Everything that a vertex must share with another to be the same, as bytes.
void appendVertexKey(const aiMesh& mesh, unsigned v, std::span<const Influence> column, std::string& key) {
  const auto append = [&key](const auto& value) {
    char bytes[sizeof(value)];
    std::memcpy(bytes, &value, sizeof(value));
    key.append(bytes, sizeof(value));
  };
  const auto appendVector = [&](const aiVector3D& p) {
    for (const float x : {p.x, p.y, p.z}) append(x + 0.0F);  // -0 becomes 0
  };
  appendVector(mesh.mVertices[v]);
  for (const Influence& influence : column) {
    append(influence.binding);
    append(influence.weight);
  }
  for (unsigned m = 0; m < mesh.mNumAnimMeshes; ++m) {
    if (mesh.mAnimMeshes[m]->HasPositions()) appendVector(mesh.mAnimMeshes[m]->mVertices[v]);
  }
}

void checkMeshIndices(const aiMesh& mesh) {
  const std::string name = nameOf(mesh);
  SINEW_CHECK(mesh.mNumVertices == 0 || mesh.mVertices != nullptr, "",
              fmt::format("the mesh '{}' has no positions; export it again", name));
  for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
    for (unsigned i = 0; i < mesh.mFaces[f].mNumIndices; ++i) {
      SINEW_CHECK(mesh.mFaces[f].mIndices[i] < mesh.mNumVertices, "",
                  fmt::format("face {} of the mesh '{}' refers to vertex {}, but there are {}; export it again", f,
                              name, mesh.mFaces[f].mIndices[i], mesh.mNumVertices));
    }
  }
  for (unsigned m = 0; m < mesh.mNumAnimMeshes; ++m) {
    SINEW_CHECK(mesh.mAnimMeshes[m]->mNumVertices == mesh.mNumVertices, "",
                fmt::format("morph target {} of the mesh '{}' has {} vertices instead of {}; export it again", m, name,
                            mesh.mAnimMeshes[m]->mNumVertices, mesh.mNumVertices));
  }
}

}  // namespace

AssimpVertices joinVertices(const aiMesh& mesh, std::span<const std::vector<Influence>> columns) {
  AssimpVertices vertices;
  const bool join = isUnrolled(mesh);
  vertices.newOf.resize(mesh.mNumVertices);
  std::unordered_map<std::string, std::uint32_t> known;
  std::string key;
  for (unsigned v = 0; v < mesh.mNumVertices; ++v) {
    const auto next = static_cast<std::uint32_t>(vertices.firstOf.size());
    std::uint32_t mine = next;
    if (join) {
      key.clear();
      appendVertexKey(mesh, v, columns[v], key);
      mine = known.emplace(key, next).first->second;
    }
    if (mine == next) vertices.firstOf.push_back(v);
    vertices.newOf[v] = mine;
  }
  return vertices;
}

AssimpMeshes::AssimpMeshes(const aiScene& scene, const AssimpNodes& nodes, const ReadOptions& options,
                           bool morphsRestAtZero)
    : scene_(scene), nodes_(nodes), options_(options), morphsRestAtZero_(morphsRestAtZero) {}

void AssimpMeshes::build(CharacterFile& file) {
  for (unsigned m = 0; m < scene_.mNumMeshes; ++m) addMesh(m);
  Mesh& mesh = file.character.mesh;
  mesh.points.resize(3, static_cast<Index>(points_.size()));
  for (std::size_t v = 0; v < points_.size(); ++v) mesh.points.col(static_cast<Index>(v)) = points_[v];
  mesh.faces = std::move(faces_);
  mesh.parts = std::move(parts_);
  finishNormals(mesh);
  finishUvs(mesh);
  if (!points_.empty()) {
    file.character.skin.weights = SkinWeights::fromColumns(bindings_.size(), columns_);
    file.character.skin.bindings = std::move(bindings_);
  }
  file.character.morphs = std::move(morphs_);
  file.problems.insert(file.problems.end(), problems_.begin(), problems_.end());
}

void AssimpMeshes::addMesh(unsigned index) {
  const aiMesh& mesh = *scene_.mMeshes[index];
  checkMeshIndices(mesh);
  const int node = std::max(nodes_.meshNode[index], 0);
  std::vector<std::vector<Influence>> columns = readWeights(mesh, node);
  const AssimpVertices vertices = joinVertices(mesh, columns);
  MeshPart part;
  part.name = nameOf(mesh).empty() ? nodes_.joints[toSize(node)].name : nameOf(mesh);
  part.firstVertex = static_cast<Index>(points_.size());
  part.vertexCount = static_cast<Index>(vertices.firstOf.size());
  part.firstFace = faces_.size();
  part.mesh = static_cast<int>(index);
  part.node = node;
  part.instances = std::max(nodes_.meshPlaces[index], 1);
  part.skinned = mesh.mNumBones > 0;
  addFaces(mesh, vertices, static_cast<std::uint32_t>(part.firstVertex));
  part.faceCount = faces_.size() - part.firstFace;
  addPoints(mesh, vertices);
  addNormals(mesh, vertices);
  addMorphs(mesh, vertices, part.mesh, part.firstVertex);
  for (const std::uint32_t first : vertices.firstOf) columns_.push_back(std::move(columns[first]));
  parts_.push_back(std::move(part));
}

/// The same joint with the same offset is one binding of a skin, however many meshes name it.
std::uint32_t AssimpMeshes::bindingOf(const Binding& binding) {
  std::vector<std::uint32_t>& known = bindingsOfJoint_[binding.joint];
  for (const std::uint32_t b : known) {
    if (bindings_[b].skin == binding.skin && bindings_[b].jointFromRest.matrix() == binding.jointFromRest.matrix())
      return b;
  }
  known.push_back(static_cast<std::uint32_t>(bindings_.size()));
  bindings_.push_back(binding);
  return known.back();
}

int AssimpMeshes::jointOf(const aiMesh& mesh, const aiBone& bone) const {
  const auto found = nodes_.byName.find(bone.mName.C_Str());
  SINEW_CHECK(found != nodes_.byName.end(), "",
              fmt::format("the mesh '{}' is bound to '{}', but there is no such node; export it again", nameOf(mesh),
                          bone.mName.C_Str()));
  return found->second;
}

/// Offset matrices define the rest space: a mesh joins the first skin that shares a bone with it and has no different
/// offset, otherwise it starts a new skin.
int AssimpMeshes::skinOf(const aiMesh& mesh) const {
  int count = 0;
  for (const Binding& binding : bindings_) count = std::max(count, binding.skin + 1);
  std::vector<bool> shares(toSize(count), false);
  std::vector<bool> differs(toSize(count), false);
  for (unsigned b = 0; b < mesh.mNumBones; ++b) {
    const auto known = bindingsOfJoint_.find(jointOf(mesh, *mesh.mBones[b]));
    if (known == bindingsOfJoint_.end()) continue;
    const Affine offset = toAffine(mesh.mBones[b]->mOffsetMatrix);
    for (const std::uint32_t k : known->second) {
      if (bindings_[k].skin < 0) continue;
      const bool same = bindings_[k].jointFromRest.matrix() == offset.matrix();
      (same ? shares : differs)[toSize(bindings_[k].skin)] = true;
    }
  }
  for (int s = 0; s < count; ++s) {
    if (shares[toSize(s)] && !differs[toSize(s)]) return s;
  }
  return count;
}

std::vector<std::vector<Influence>> AssimpMeshes::readWeights(const aiMesh& mesh, int node) {
  std::vector<std::vector<Influence>> columns(mesh.mNumVertices);
  const int skin = skinOf(mesh);
  for (unsigned b = 0; b < mesh.mNumBones; ++b) {
    const aiBone& bone = *mesh.mBones[b];
    const int joint = jointOf(mesh, bone);
    const Affine offset = toAffine(bone.mOffsetMatrix);
    SINEW_CHECK(offset.matrix().allFinite(), "",
                fmt::format("the offset matrix of '{}' has a value that is not a finite number; export it again",
                            bone.mName.C_Str()));
    const std::uint32_t binding = bindingOf({joint, offset, skin});
    for (unsigned w = 0; w < bone.mNumWeights; ++w) {
      const unsigned vertex = bone.mWeights[w].mVertexId;
      SINEW_CHECK(vertex < mesh.mNumVertices, "",
                  fmt::format("'{}' moves vertex {} of the mesh '{}', which has {}; export it again",
                              bone.mName.C_Str(), vertex, nameOf(mesh), mesh.mNumVertices));
      std::vector<Influence>& column = columns[vertex];
      const auto same = std::find_if(column.begin(), column.end(),
                                     [&](const Influence& influence) { return influence.binding == binding; });
      const auto weight = static_cast<double>(bone.mWeights[w].mWeight);
      if (same == column.end()) {
        column.push_back({binding, weight});
      } else {
        same->weight += weight;
      }
    }
  }
  mendWeights(mesh, node, columns);
  return columns;
}

/// Scales every column to sum 1. Vertices that no bone moves follow the mesh's node, as they do in the tools.
void AssimpMeshes::mendWeights(const aiMesh& mesh, int node, std::vector<std::vector<Influence>>& columns) {
  std::size_t faulty = 0;
  bool scaled = false;
  std::size_t free = 0;
  double worst = 1;
  for (std::size_t v = 0; v < columns.size(); ++v) {
    double sum = 0;
    for (Influence& influence : columns[v]) {
      if (!std::isfinite(influence.weight) || influence.weight < 0) {
        SINEW_CHECK(options_.tolerant, "",
                    fmt::format("vertex {} of the mesh '{}' has the weight {}; fix the weights and export it again", v,
                                nameOf(mesh), influence.weight));
        influence.weight = 0;
        ++faulty;
      }
      sum += influence.weight;
    }
    if (!(sum > 1e-12)) {
      columns[v] = {{bindingOf({node, Affine::Identity(), /*skin=*/-1}), 1.0}};
      if (mesh.mNumBones > 0) ++free;
      continue;
    }
    if (std::abs(sum - 1) > kSumTolerance) scaled = true;
    if (std::abs(sum - 1) > std::abs(worst - 1)) worst = sum;
    for (Influence& influence : columns[v]) influence.weight /= sum;
  }
  const auto tell = [&](std::size_t count, const std::string& what) {
    if (count > 0)
      problems_.push_back(
          fmt::format("{} of the mesh '{}' {}", plural(count, "vertex", "vertices"), nameOf(mesh), what));
  };
  tell(faulty, "had a weight that was negative or not a number; it was set to 0");
  if (scaled) {
    problems_.push_back(
        fmt::format("weights of the mesh '{}' did not sum to 1 (the largest deviation: {:.4g}); they were normalised",
                    nameOf(mesh), worst));
  }
  tell(free, "had no weights; they follow the node of the mesh");
}

void AssimpMeshes::addPoints(const aiMesh& mesh, const AssimpVertices& vertices) {
  std::size_t bad = 0;
  for (const std::uint32_t first : vertices.firstOf) {
    Vec3 point = toVec3(mesh.mVertices[first]);
    if (!point.allFinite()) {
      SINEW_CHECK(options_.tolerant, "",
                  fmt::format("vertex {} of the mesh '{}' is not a finite number; fix it and export it again", first,
                              nameOf(mesh)));
      point = point.unaryExpr([](double x) { return std::isfinite(x) ? x : 0; });
      ++bad;
    }
    points_.push_back(point);
  }
  if (bad > 0) {
    problems_.push_back(
        fmt::format("{} of the mesh '{}' had coordinates that are not finite numbers; they were set to 0",
                    plural(bad, "vertex", "vertices"), nameOf(mesh)));
  }
}

/// Normals of joined corners are added up; vertices at hard edges are counted.
void AssimpMeshes::addNormals(const aiMesh& mesh, const AssimpVertices& vertices) {
  const std::size_t begin = normals_.size();
  normals_.resize(begin + vertices.firstOf.size(), Vec3::Zero());
  if (!mesh.HasNormals()) return;
  anyNormals_ = true;
  std::vector<bool> hard(vertices.firstOf.size(), false);
  for (std::size_t v = 0; v < vertices.newOf.size(); ++v) {
    const Vec3 normal = toVec3(mesh.mNormals[v]).normalized();
    const Vec3 first = toVec3(mesh.mNormals[vertices.firstOf[vertices.newOf[v]]]).normalized();
    if (!normal.allFinite()) continue;
    if (first.dot(normal) < 0.999) hard[vertices.newOf[v]] = true;
    normals_[begin + vertices.newOf[v]] += normal;
  }
  hardVertices_ += toSize(std::count(hard.begin(), hard.end(), true));
}

/// A mesh that is mostly flat-shaded is stored without normals, which means flat shading; a few hard edges become
/// smooth, and that is reported.
void AssimpMeshes::finishNormals(Mesh& mesh) {
  mesh.normals.resize(3, 0);
  if (!anyNormals_ || 2 * hardVertices_ > normals_.size()) return;
  computeNormals(mesh.points, triangulate(mesh), mesh.normals);
  for (std::size_t v = 0; v < normals_.size(); ++v) {
    if (normals_[v].norm() > 1e-6) mesh.normals.col(static_cast<Index>(v)) = normals_[v].normalized();
  }
  if (hardVertices_ > 0) {
    problems_.push_back(fmt::format("{} had several normals (hard edges); they were smoothed",
                                    plural(hardVertices_, "vertex", "vertices")));
  }
}

/// One column for each different texture coordinate of a vertex.
std::uint32_t AssimpMeshes::uvOf(const aiMesh& mesh, std::uint32_t imported, std::uint32_t vertex) {
  if (!mesh.HasTextureCoords(0)) return kNone;
  const aiVector3D& raw = mesh.mTextureCoords[0][imported];
  Eigen::Vector2d uv(static_cast<double>(raw.x), 1 - static_cast<double>(raw.y));
  if (!uv.allFinite()) uv.setZero();
  std::vector<std::uint32_t>& known = uvsOfVertex_[vertex];
  for (const std::uint32_t column : known) {
    if (uvs_[column] == uv) return column;
  }
  known.push_back(static_cast<std::uint32_t>(uvs_.size()));
  uvs_.push_back(uv);
  return known.back();
}

void AssimpMeshes::addFaces(const aiMesh& mesh, const AssimpVertices& vertices, std::uint32_t firstVertex) {
  std::size_t thin = 0;
  for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
    const aiFace& face = mesh.mFaces[f];
    if (face.mNumIndices < 3) {
      ++thin;
      continue;
    }
    for (unsigned i = 0; i < face.mNumIndices; ++i) {
      const std::uint32_t imported = face.mIndices[i];
      const std::uint32_t vertex = firstVertex + vertices.newOf[imported];
      faces_.corner.push_back(vertex);
      cornerUv_.push_back(uvOf(mesh, imported, vertex));
    }
    faces_.start.push_back(static_cast<std::uint32_t>(faces_.corner.size()));
  }
  if (thin > 0) {
    problems_.push_back(fmt::format("{} of the mesh '{}' had fewer than 3 corners; they were dropped",
                                    plural(thin, "face", "faces"), nameOf(mesh)));
  }
}

void AssimpMeshes::finishUvs(Mesh& mesh) {
  if (uvs_.empty()) return;
  if (std::find(cornerUv_.begin(), cornerUv_.end(), kNone) != cornerUv_.end()) {
    std::replace(cornerUv_.begin(), cornerUv_.end(), kNone, static_cast<std::uint32_t>(uvs_.size()));
    uvs_.emplace_back(0, 1);
  }
  mesh.uvs.resize(2, static_cast<Index>(uvs_.size()));
  for (std::size_t i = 0; i < uvs_.size(); ++i) mesh.uvs.col(static_cast<Index>(i)) = uvs_[i];
  mesh.cornerUv = std::move(cornerUv_);
}

void AssimpMeshes::addMorphs(const aiMesh& mesh, const AssimpVertices& vertices, int number, Index firstVertex) {
  firstMorph_.push_back(static_cast<int>(morphs_.size()));
  for (unsigned m = 0; m < mesh.mNumAnimMeshes; ++m) {
    const aiAnimMesh& shape = *mesh.mAnimMeshes[m];
    MorphTarget morph;
    morph.name = shape.mName.C_Str();
    morph.mesh = number;
    morph.firstVertex = firstVertex;
    morph.deltas.setZero(3, static_cast<Index>(vertices.firstOf.size()));
    for (std::size_t v = 0; shape.HasPositions() && v < vertices.firstOf.size(); ++v) {
      const std::uint32_t first = vertices.firstOf[v];
      const Vec3 delta = toVec3(shape.mVertices[first]) - toVec3(mesh.mVertices[first]);
      if (delta.allFinite()) morph.deltas.col(static_cast<Index>(v)) = delta;
    }
    if (!morphsRestAtZero_ && std::isfinite(shape.mWeight)) morph.defaultWeight = static_cast<double>(shape.mWeight);
    morphs_.push_back(std::move(morph));
  }
}

}  // namespace sinew::assimp
