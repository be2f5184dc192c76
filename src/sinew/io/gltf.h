// glTF 2.0: .glb, and .gltf with .bin files or data URIs.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "sinew/deform/mesh_instance.h"
#include "sinew/io/formats.h"

namespace sinew {

/// By its extension: .glb or .gltf.
bool isGltf(const std::filesystem::path& path);

/// Every accessor, index, joint and count is checked before use; errors name the position inside the file and the
/// remedy.
CharacterFile readGltf(const std::filesystem::path& path, const ReadOptions& options = {});

/// With a glTF source, only what the character changed is written again; all else comes back as it was. Without one, a
/// fresh document: the mesh is split where a vertex has several texture coordinates.
LostList writeGltf(const std::filesystem::path& path, const CharacterFile& file, const WriteOptions& options = {});

/// Reads a whole .glb or .gltf given as bytes; `folder` contains its .bin files and images.
CharacterFile readGltfFromMemory(const std::string& bytes, const std::filesystem::path& folder, const std::string& name,
                                 const ReadOptions& options = {});

class OutputFiles;

/// Files that belong together, the .glb or .gltf first.
struct GltfFiles {
  std::vector<std::pair<std::filesystem::path, std::string>> files;
  std::vector<std::filesystem::path> outdated;  ///< .bin files of the .gltf that is replaced, which nothing else uses
  LostList lost;
};

/// What writeGltf would write to `path`, by its extension (.glb, else .gltf).
GltfFiles gltfToMemory(const std::filesystem::path& path, const CharacterFile& file, const WriteOptions& options = {});

/// Writes them: at every moment the .gltf of before or the new one is there with all its buffers. Into `into`, or at
/// once where that is null. Throws Unwritable.
void writeGltfFiles(const GltfFiles& packed, OutputFiles* into = nullptr);

/// Further instances of the meshes of a file, by mesh, then by node, from its source; none for a mesh whose parts have
/// one instance (MeshPart::instances), as after binding each instance separately. Throws if the skin of an instance has
/// fewer joints than the mesh's vertices use.
std::vector<MeshInstance> instancesOf(const CharacterFile& file);

/// A .glb with the materials of a file only: mesh i has one primitive with the material of part i, its texture
/// coordinates and its colours; images are embedded. `extras` of the mesh: {"smooth": it has normals, "vertices": their
/// number}. Empty without materials, or if the parts are no longer those of the source.
std::string materialsOf(const CharacterFile& file);

}  // namespace sinew
