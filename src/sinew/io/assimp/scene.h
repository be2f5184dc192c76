// The steps of reading a scene that Assimp imported.
#pragma once

#include <assimp/scene.h>

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "sinew/io/formats.h"

namespace sinew::assimp {

/// Every node as a joint, in depth-first order.
struct AssimpNodes {
  std::vector<Joint> joints;
  std::unordered_map<std::string, int> byName;  ///< the first joint of each name
  std::vector<int> meshNode;                    ///< per mesh: its first node, or -1
  std::vector<int> meshPlaces;                  ///< per mesh: number of nodes that place it
};

AssimpNodes readNodes(const aiScene& scene, std::vector<std::string>& problems);

/// Throws if a file with this extension (lower case) is truncated in a way that the importer would not notice.
void checkNotCutOff(std::string_view extension, std::string_view bytes);

/// Which vertices of an imported mesh become one.
struct AssimpVertices {
  std::vector<std::uint32_t> newOf;    ///< per imported vertex
  std::vector<std::uint32_t> firstOf;  ///< per new vertex: the first imported one
};

/// One by one where corners share vertices. If every corner has its own, those that agree in position, weights and
/// morph targets are joined, in the order in which they first appear.
AssimpVertices joinVertices(const aiMesh& mesh, std::span<const std::vector<Influence>> columns);

/// Gathers the meshes of a scene into a character.
class AssimpMeshes {
 public:
  AssimpMeshes(const aiScene& scene, const AssimpNodes& nodes, const ReadOptions& options, bool morphsRestAtZero);

  /// Fills mesh, skin and morphs.
  void build(CharacterFile& file);
  /// Per mesh: the first of its morph targets.
  [[nodiscard]] std::span<const int> firstMorph() const { return firstMorph_; }

 private:
  void addMesh(unsigned index);
  std::vector<std::vector<Influence>> readWeights(const aiMesh& mesh, int node);
  void mendWeights(const aiMesh& mesh, int node, std::vector<std::vector<Influence>>& columns);
  void addPoints(const aiMesh& mesh, const AssimpVertices& vertices);
  void addNormals(const aiMesh& mesh, const AssimpVertices& vertices);
  void addFaces(const aiMesh& mesh, const AssimpVertices& vertices, std::uint32_t firstVertex);
  void addMorphs(const aiMesh& mesh, const AssimpVertices& vertices, int number, Index firstVertex);
  [[nodiscard]] int skinOf(const aiMesh& mesh) const;
  [[nodiscard]] int jointOf(const aiMesh& mesh, const aiBone& bone) const;
  std::uint32_t bindingOf(const Binding& binding);
  std::uint32_t uvOf(const aiMesh& mesh, std::uint32_t imported, std::uint32_t vertex);
  void finishNormals(Mesh& mesh);
  void finishUvs(Mesh& mesh);

  const aiScene& scene_;
  const AssimpNodes& nodes_;
  ReadOptions options_;
  bool morphsRestAtZero_;
  std::vector<std::string> problems_;
  std::vector<Binding> bindings_;
  std::unordered_map<int, std::vector<std::uint32_t>> bindingsOfJoint_;
  std::vector<std::vector<Influence>> columns_;
  std::vector<Vec3> points_;
  std::vector<Vec3> normals_;  ///< zero if the file has none
  std::vector<Eigen::Vector2d> uvs_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> uvsOfVertex_;
  std::vector<std::uint32_t> cornerUv_;  ///< UINT32_MAX where the file has none
  Faces faces_;
  std::vector<MeshPart> parts_;
  std::vector<MorphTarget> morphs_;
  std::vector<int> firstMorph_;
  bool anyNormals_ = false;
  std::size_t hardVertices_ = 0;  ///< vertices whose corners have different normals
};

std::vector<Clip> readClips(const aiScene& scene, const AssimpNodes& nodes, std::span<const int> firstMorph,
                            std::vector<std::string>& problems);

inline Vec3 toVec3(const aiVector3D& v) {
  return {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
}

inline Affine toAffine(const aiMatrix4x4& m) {
  Affine affine;
  for (unsigned row = 0; row < 3; ++row) {
    for (unsigned column = 0; column < 4; ++column) affine(row, column) = static_cast<double>(m[row][column]);
  }
  return affine;
}

}  // namespace sinew::assimp
