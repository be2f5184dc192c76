// The description of a document for the page: lists, and the names of the blobs that the page fetches.
#pragma once

#include <optional>
#include <string>

#include "studio/document/blob.h"
#include "studio/document/document.h"
#include "studio/document/frame.h"
#include "studio/document_info.h"

namespace sinew::studio {

Bytes meshBlob(const Document& document, const DrawnCharacter& drawn);
/// The weights that the page deforms by: of the skin, or of the reduced model.
Bytes weightsBlob(const Document& document);
/// The displacements of the morph targets that are drawn.
Bytes morphsBlob(const Document& document, const DrawnCharacter& drawn);

/// The parts of a description that take a pass over all vertices, kept while mesh and weights are unchanged.
struct DescribedMesh {
  std::string mesh;  ///< names of blobs; empty: not known
  std::string weights;
  std::string morphs;  ///< empty: none is drawn
  std::size_t triangles = 0;
  std::size_t maxInfluences = 0;
  std::optional<wire::MirrorInfo> mirror;  ///< none: not known
};
/// Fills in the parts that are not known, and puts blobs into the store.
void describeMesh(const Document& document, const DrawnCharacter& drawn, BlobStore& blobs, DescribedMesh& known);

/// All that follows from the document; the session fills in `open`, `number`, `saved`, `history` and `beside`.
wire::DocumentInfo describeDocument(const Document& document, const DrawnCharacter& drawn,
                                    const DescribedMesh& described);

}  // namespace sinew::studio
