// Shared by new and patched documents: vertex data, weights, morph targets, skins and clips.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "sinew/character/character.h"
#include "sinew/io/formats.h"
#include "sinew/io/gltf/container/deltas.h"
#include "sinew/io/gltf/container/store.h"

namespace sinew::gltf {

/// Vertices of the character, in the order in which a primitive has them.
using VertexList = std::span<const std::uint32_t>;

std::size_t addPositions(Store& store, const Points& points, VertexList vertices);
/// Normals of unit length; those without a direction point along z, since glTF allows no others.
std::size_t addNormals(Store& store, const Points& normals, VertexList vertices);
/// Indices as 16 bits where they fit.
std::size_t addIndices(Store& store, std::span<const std::uint32_t> indices, std::size_t vertexCount);

/// The joints of one glTF skin. Two bindings of one joint need two joints in glTF: the second becomes a child node
/// without a transform of its own.
class SkinSlots {
 public:
  /// Keeps a reference to the root of the document, whose nodes may grow.
  SkinSlots(Json& root, std::vector<Binding> slots) : root_(root), slots_(std::move(slots)) {}

  std::uint32_t slotFor(const Binding& binding);
  [[nodiscard]] std::span<const Binding> slots() const { return slots_; }
  /// Writes `joints` and `inverseBindMatrices`.
  void writeTo(Json& skin, Store& store) const;

 private:
  Json& root_;
  std::vector<Binding> slots_;            ///< joint is the node's number
  std::vector<Binding> doubledBindings_;  ///< those for which a child node was made
  std::vector<std::uint32_t> doubledSlots_;
};

/// The bindings that the weights of these vertices name, ascending.
std::vector<std::uint32_t> usedBindings(const SkinWeights& weights, VertexList vertices);

/// The joints of one glTF skin, and the index of each of the character's bindings in it.
struct SlotMap {
  std::span<const std::uint32_t> ofBinding;
  std::size_t count = 0;
};

/// Replaces JOINTS_n and WEIGHTS_n. Weights sum to 1 as floats, or to 65535 or 255 exactly as whole numbers.
void setWeights(Store& store, Json& attributes, const SkinWeights& weights, VertexList vertices, const SlotMap& slots,
                WeightFormat format);

/// The lowest node above all of `nodes` (or one of them), or -1.
int commonAncestor(const Json& allNodes, std::span<const Binding> slots);

/// The character's morph targets in one mesh of the file: those that refer to it, and those that move its vertices.
std::vector<int> targetsOf(const Character& character, int mesh, std::span<const MeshPart> parts);

/// Displacements of the vertices by a target; zero if it does not reach.
Points deltasOf(const Points& deltas, Index firstVertex, VertexList vertices);
void setTarget(Store& store, Json& target, const MorphTarget& morph, VertexList vertices, bool quantized);

/// A mesh of the file, as clips see it.
struct MorphedMesh {
  int node = -1;
  std::vector<int> targets;  ///< into character.morphs
};

/// Adds the clip's channels and their samplers to `animation`.
void addChannels(Store& store, Json& animation, const Character& character, const Clip& clip,
                 std::span<const MorphedMesh> meshes);

/// translation, rotation and scale of a node; default values are omitted.
void setTransform(Json& node, const LocalTransform& local);

}  // namespace sinew::gltf
