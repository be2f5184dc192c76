// Meshes that a file places several times.
#pragma once

#include <vector>

#include "sinew/deform/mesh_instance.h"
#include "sinew/io/formats.h"

namespace sinew {

/// Further places of the meshes of a file, by mesh, then by node, as its source has them; none of a mesh whose parts
/// say that it stands once (MeshPart::instances), as after binding each place again. Throws if a place's skin has fewer
/// joints than the mesh's vertices name.
std::vector<MeshInstance> instancesOf(const CharacterFile& file);

}  // namespace sinew
