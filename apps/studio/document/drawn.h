// What the page draws of a character besides the first instances of its meshes: further instances, and morph targets.
// Found once for each character.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sinew/deform/mesh_instance.h"
#include "sinew/deform/pose_space_morphs.h"
#include "studio/bounds.h"
#include "studio/document/document.h"

namespace sinew::studio {

/// The middle of the rest shape's box in world space, and the length of its diagonal; of all instances.
struct PageSpace {
  Vec3 centre = Vec3::Zero();
  double diagonal = 1;
};

/// A further instance of a mesh. Its matrices in a palette are those of a range of bindings, after those of the skin
/// and of the instances before it.
struct DrawnInstance {
  MeshInstance instance;
  std::uint32_t firstVertex = 0;  ///< of the mesh
  std::uint32_t vertexCount = 0;
  std::uint32_t firstBinding = 0;
  std::uint32_t bindingCount = 0;
  std::uint32_t firstMatrix = 0;  ///< in a palette
};

/// What the page can hold; see bounds.h.
struct DrawnLimits {
  std::size_t vertices = kMostPlaced;
  std::size_t matrices = kMostMatrices;
  std::size_t morphBytes = kMostMorphBytes;
};

struct DrawnCharacter {
  PageSpace space;
  std::vector<DrawnInstance> instances;
  std::size_t instancesOfFile = 0;  ///< further ones in the file, of which a limit or a fault may leave out some
  std::string fault;                ///< why no further instance is drawn; empty: no fault
  std::size_t morphs = 0;           ///< morph targets that are drawn: the first ones, up to the limit
  std::shared_ptr<const PoseSpaceMorphWeights> correctives;  ///< of those that imitate learned corrections, or null
};
DrawnCharacter drawnCharacter(const Document& document, const DrawnLimits& limits = {});

/// A pose as it is drawn: the morph targets that imitate learned corrections have their weights for it.
Pose drawnPose(const Character& character, const DrawnCharacter& drawn, const Pose& pose);

/// Displacements of one morph target that are not 0 in 32 bits, in its order; nothing of other targets.
struct MorphEntries {
  std::vector<std::uint32_t> vertices;
  std::vector<float> deltas;
};
MorphEntries entriesOf(const MorphTarget& morph, const PageSpace& space);

}  // namespace sinew::studio
