// A document as the page is told of it: lists, and the names of what it fetches.
#pragma once

#include "studio/document/blob.h"
#include "studio/document/document.h"
#include "studio/document/edit_json.h"
#include "studio/document/frame.h"

namespace sinew::studio {

Bytes meshBlob(const Document& document, const DrawnCharacter& drawn);
/// The weights that the page deforms by: of the skin, or of the reduced model.
Bytes weightsBlob(const Document& document);
/// The displacements of the morph targets that are drawn.
Bytes morphsBlob(const Document& document, const DrawnCharacter& drawn);

/// What of a description needs a look at every vertex, kept while mesh and weights stay.
struct DescribedMesh {
  std::string mesh;  ///< names of blobs; empty: not known
  std::string weights;
  std::string morphs;  ///< empty: none is drawn
  std::size_t triangles = 0;
  std::size_t maxInfluences = 0;
  Json mirror;  ///< left and right for the page; null: not known
};
/// Fills in what is not known, and puts blobs into the store.
void describeMesh(const Document& document, const DrawnCharacter& drawn, BlobStore& blobs, DescribedMesh& known);

/// Joints, clips, poses, counts, and the names of the blobs.
Json describeDocument(const Document& document, const DrawnCharacter& drawn, const DescribedMesh& described);

}  // namespace sinew::studio
