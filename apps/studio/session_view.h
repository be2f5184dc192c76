// A document as the page sees it: blobs, palettes, lists. The page's space is world space minus the centre of the rest
// shape, so that 32-bit numbers are enough.
#pragma once

#include "blob.h"
#include "document.h"
#include "edit_json.h"
#include "messages.h"

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
wire::Frame frameOf(const Document& document, const Vec3& centre);

wire::Weights weightsMessage(const SkinWeights& weights, const std::vector<std::uint32_t>& vertices);
Bytes meshBlob(const Document& document);
/// The weights that the page deforms by: of the skin, or of the reduced model.
Bytes weightsBlob(const Document& document);

/// Joints, clips, poses, counts, and the names of the blobs, which are put into the store.
Json describeDocument(const Document& document, BlobStore& blobs);

}  // namespace sinew::studio
