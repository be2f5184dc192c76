// The block SINEW_reduced_model: a reduced deformable model, in addition to the plain skin for other programs
// (docs/formats.md). Private to the glTF files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sinew/deform/reduced_model.h"
#include "sinew/io/gltf_document.h"
#include "sinew/io/gltf_read.h"
#include "sinew/io/gltf_store.h"

namespace sinew::gltf {

inline constexpr const char* kReducedBlock = "SINEW_reduced_model";

/// The model of a document, or null if it has none. One for another number of vertices than the file has is left out
/// with a sentence in `problems`; one that is damaged is rejected.
std::shared_ptr<const ReducedModel> readReduced(const Reading& reading, std::vector<std::string>& problems);

/// True if both have the same numbers and names.
bool sameReduced(const ReducedModel& a, const ReducedModel& b);

/// Puts the block into the document and names it in extensionsUsed; takes it out where the model is null.
/// `fileVertices` is the character's vertex of each vertex of the file; empty: they are the same.
void writeReduced(GltfDocument& document, Store& store, const ReducedModel* model,
                  const std::vector<std::uint32_t>& fileVertices);

}  // namespace sinew::gltf
