// A document as the page sees it: blobs, palettes, lists. The page's space is world space minus the centre of the rest
// shape, so that 32-bit numbers are enough.
#pragma once

#include "studio/document/blob.h"
#include "studio/document/document.h"
#include "studio/document/edit_json.h"
#include "studio/messages.h"

namespace sinew::studio {

/// The middle of the rest shape's box in world space, and the length of its diagonal.
struct PageSpace {
  Vec3 centre = Vec3::Zero();
  double diagonal = 1;
};
PageSpace pageSpace(const Document& document);

/// Whether a skin moves some part; a mesh that only follows its node has no weights to edit.
bool hasWeights(const Character& character);

/// Palettes of all views: per binding (or per control of a reduced model) world from rest, both in the page's space.
/// Of a reduced model also the blend of its examples, and how far each handle is from its target.
wire::Frame frameOf(const Document& document, const Vec3& centre);

/// Where the controls of a reduced model put a vertex; none: at rest.
Vec3 placeOf(const ReducedModel& model, const std::vector<Affine>& controls, std::uint32_t vertex);

wire::Weights weightsMessage(const SkinWeights& weights, const std::vector<std::uint32_t>& vertices);
Bytes meshBlob(const Document& document, const PageSpace& space);
/// The weights that the page deforms by: of the skin, or of the reduced model.
Bytes weightsBlob(const Document& document);

/// What of a description needs a look at every vertex, kept while mesh and weights stay.
struct DescribedMesh {
  std::string mesh;  ///< names of blobs; empty: not known
  std::string weights;
  std::size_t triangles = 0;
  std::size_t maxInfluences = 0;
  Json mirror;  ///< left and right for the page; null: not known
};
/// Fills in what is not known, and puts blobs into the store.
void describeMesh(const Document& document, const PageSpace& space, BlobStore& blobs, DescribedMesh& known);

/// Joints, clips, poses, counts, and the names of the blobs.
Json describeDocument(const Document& document, const PageSpace& space, const DescribedMesh& described);

}  // namespace sinew::studio
