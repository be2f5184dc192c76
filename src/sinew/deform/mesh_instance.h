// Meshes with several instances in a file.
#pragma once

#include <cstdint>
#include <vector>

#include "sinew/character/skin.h"

namespace sinew {

/// The joint that replaces a binding in another instance of the mesh.
struct BindingSwap {
  std::uint32_t from = 0;  ///< the binding that the mesh's weights name
  Binding to;
};

/// A further instance of a mesh (glTF: another node that refers to it, perhaps with another skin): the same vertices,
/// moved by other joints. A character has the vertices once, with the weights of the first instance.
struct MeshInstance {
  int mesh = 0;  ///< MeshPart::mesh
  int node = 0;  ///< the joint that places it
  std::vector<BindingSwap> swaps;
  std::vector<double> morphWeights;  ///< of the mesh's morph targets, here
  int firstMorph = 0;                ///< of those, in Character::morphs
};

}  // namespace sinew
