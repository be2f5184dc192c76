// Characters in world space, as a scene shows them. Mesh files, pictures and comparisons all use this header, so that
// there is one space outside a character.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sinew/character/character.h"
#include "sinew/deform/mesh_instance.h"
#include "sinew/deform/posing.h"

namespace sinew {

/// A range of placed vertices and faces: one instance of one part.
struct PlacedPart {
  std::size_t part = 0;  ///< in Mesh::parts
  int instance = -1;     ///< index among the further instances; -1: its first
  Index firstVertex = 0;
  Index vertexCount = 0;
};

/// Poses a character with all instances of each mesh: in the order of meshes, each once per node, in the order of nodes
/// (those with a skin first). Keeps a reference to the character.
class PlacedPoser {
 public:
  explicit PlacedPoser(const Character& character, std::vector<MeshInstance> instances = {}, Playback playback = {});

  [[nodiscard]] Index vertexCount() const { return static_cast<Index>(vertex_.size()); }
  /// Per placed vertex: the character's.
  [[nodiscard]] std::span<const std::uint32_t> vertex() const { return vertex_; }
  /// Per vertex of the character: its index in the first instance among the placed vertices.
  [[nodiscard]] std::span<const std::uint32_t> firstPlace() const { return firstPlace_; }
  [[nodiscard]] std::span<const PlacedPart> parts() const { return parts_; }

  /// Placed vertices in world space, valid until the next call.
  const Points& pose(const Pose& pose);

  /// The whole mesh in world space: the points of pose(), with reversed winding in mirrored instances, and transformed
  /// normals. Each instance is a part; its `mesh` counts instances.
  Mesh mesh(const Pose& pose);

 private:
  const Points& poseAt(const MeshInstance& instance, const Pose& pose);
  [[nodiscard]] std::vector<bool> mirrored(const Pose& pose) const;
  void addFaces(const PlacedPart& placed, const std::vector<bool>& mirrored, Mesh& mesh) const;
  [[nodiscard]] Points normals(const Pose& pose, const std::vector<bool>& mirrored, const Mesh& placedMesh) const;
  void placeJoints(const Pose& pose, const MeshInstance* instance, PosedJoints& joints) const;
  /// Null for the first instance.
  [[nodiscard]] const MeshInstance* instanceOf(const PlacedPart& placed) const {
    return placed.instance < 0 ? nullptr : &instances_[toSize(placed.instance)];
  }

  const Character& character_;
  std::vector<MeshInstance> instances_;
  Playback playback_;
  bool plain_;  // nothing but a linear blend moves the points
  CharacterPoser poser_;
  PosedJoints joints_;
  DeformScratch scratch_;
  Points morphed_;
  Points posed_;
  std::vector<PlacedPart> parts_;
  std::vector<std::uint32_t> vertex_;
  std::vector<std::uint32_t> firstPlace_;
  Points placed_;
};

/// The pose as an instance sees it: the joints that its mesh names turn as those that replace them.
Pose poseOfInstance(const Character& character, const Pose& pose, const MeshInstance& instance);

/// The world-space mesh of the rest pose as the character plays.
Mesh restMesh(const Character& character, std::vector<MeshInstance> instances = {}, const Playback& playback = {});

/// Per vertex of the character: its column in a mesh of `count` vertices written from the character, that is, from its
/// skinned parts or from all, with all instances; -1 if the mesh does not have it. Nothing if the count matches
/// neither.
std::optional<std::vector<Index>> writtenColumns(const Character& character, Index count);

/// The character's vertices of such a mesh; those that it does not have take the column of `otherwise`.
Points fromWritten(std::span<const Index> columns, const ConstPointsRef& written, const ConstPointsRef& otherwise);

/// The blended matrix of each vertex of the character in its rest pose (first instance): world = matrix * rest point.
std::vector<Affine> worldFromRestPoints(const Character& character);

}  // namespace sinew
