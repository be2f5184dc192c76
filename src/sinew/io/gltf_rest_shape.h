// The block SINEW_rest_shape: the original rest shape of the examples, in a file whose rest shape was moved by a fit
// (docs/formats.md). Private to the glTF files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sinew/io/gltf_document.h"
#include "sinew/io/gltf_read.h"
#include "sinew/io/gltf_store.h"

namespace sinew::gltf {

inline constexpr const char* kRestShapeBlock = "SINEW_rest_shape";

/// 3 x V, or 3 x 0 if the document has no such block. One for another number of vertices than the file has is left out
/// with a sentence in `problems`; one that is damaged is rejected.
Points readRestShape(const Reading& reading, std::vector<std::string>& problems);

/// Puts the block into the document; takes it out for 3 x 0. `fileVertices` is the character's vertex of each vertex
/// of the file; empty: they are the same.
void writeRestShape(GltfDocument& document, Store& store, const Points& points,
                    const std::vector<std::uint32_t>& fileVertices);

}  // namespace sinew::gltf
