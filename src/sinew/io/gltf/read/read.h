// The steps from a document to a character.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/character/character.h"
#include "sinew/io/gltf/container/accessor.h"
#include "sinew/io/gltf/container/document.h"

namespace sinew::gltf {

/// The node of a mesh: the lowest one that refers to it, and that node's skin.
struct Placement {
  int node = -1;
  int instances = 0;
  std::optional<std::size_t> skin;
};

/// The primitive that a part of the mesh was read from.
struct PrimitiveSource {
  std::size_t mesh = 0;
  const Json* json = nullptr;
  std::string where;
};

struct Reading {
  const GltfDocument& document;
  std::vector<std::string>& problems;
  double elementsLeft = 0;  ///< how many accessor elements may still be decoded
  Character character;
  std::vector<Placement> placements;        ///< per mesh
  std::vector<PrimitiveSource> primitives;  ///< per part of the character's mesh
  std::vector<int> firstMorph;              ///< per mesh, into character.morphs; one more at the end
  std::vector<std::size_t> firstBinding;    ///< per skin, into the bindings; one more at the end

  [[nodiscard]] const Json& list(const char* key) const { return listOf(document.json, key, ""); }

  /// Opens the accessor that `reference` names and counts its elements against what the file's size justifies.
  AccessorView open(const Json& reference, const std::string& where);

  /// A fault in a value: rejected with its remedy, or listed with how it was repaired.
  void fault(const std::string& what, const std::string& remedy, const std::string& mended);

  /// Replaces numbers that are not finite by 0, through fault().
  void mendNumbers(double* numbers, std::size_t count, std::size_t rows, const std::string& where, const char* element);
};

/// All steps below: what Sinew interprets in a document, and its position there.
Reading readDocument(const GltfDocument& document, std::vector<std::string>& problems);

/// Nodes to the skeleton and the placements of meshes.
void readNodes(Reading& reading);
/// Primitives to points, faces, normals, texture coordinates and parts.
void readMeshes(Reading& reading);
/// Skins and vertex weights to bindings and weights.
void readSkins(Reading& reading);
void readMorphs(Reading& reading);
void readAnimations(Reading& reading);

}  // namespace sinew::gltf
