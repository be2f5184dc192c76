// Meshes with several instances in a file.
#pragma once

#include <vector>

#include "sinew/deform/mesh_instance.h"
#include "sinew/io/formats.h"

namespace sinew {

/// Further instances of the meshes of a file, by mesh, then by node, from its source; none for a mesh whose parts have
/// one instance (MeshPart::instances), as after binding each instance separately. Throws if the skin of an instance has
/// fewer joints than the mesh's vertices use.
std::vector<MeshInstance> instancesOf(const CharacterFile& file);

}  // namespace sinew
