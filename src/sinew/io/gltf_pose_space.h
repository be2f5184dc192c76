// The block SINEW_pose_space: a learned pose-space model, in addition to the morph targets that approximate it
// (docs/formats.md). Private to the glTF files.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sinew/deform/pose_space.h"
#include "sinew/io/gltf_emit.h"
#include "sinew/io/gltf_read.h"

namespace sinew::gltf {

inline constexpr const char* kPoseSpaceBlock = "SINEW_pose_space";

struct PoseSpaceBlock {
  std::shared_ptr<const PoseSpaceModel> model;  ///< null: none
  PoseSpaceMorphs morphs;
};

/// The block of a document, or nothing if it has none. A block that no longer belongs to the character (another tool
/// changed the mesh or took out a driver) is left out with a sentence in `problems`; one that is damaged is rejected.
PoseSpaceBlock readPoseSpace(const Reading& reading, std::vector<std::string>& problems);

/// True if both have the same numbers and names.
bool samePoseSpace(const PoseSpaceBlock& a, const PoseSpaceBlock& b);

/// How the character is stored in the document that is written.
struct WrittenPlaces {
  std::vector<std::vector<int>> targets;  ///< per mesh of the file: the character's morph targets, in order
  std::vector<std::uint32_t> vertices;    ///< the character's vertex of each file vertex; empty: they are the same
};

/// Adds the block to the document and to extensionsUsed; removes it if there is no model.
void writePoseSpace(GltfDocument& document, Store& store, const Character& character, const PoseSpaceBlock& block,
                    const WrittenPlaces& places);

}  // namespace sinew::gltf
