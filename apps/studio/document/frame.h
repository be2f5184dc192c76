// What the page draws of a document: palettes and columns of weights. The page's space is world space minus the centre
// of the rest shape, so that 32-bit numbers are enough.
#pragma once

#include <span>
#include <vector>

#include "studio/document/document.h"
#include "studio/document/drawn.h"
#include "studio/messages.h"

namespace sinew::studio {

/// Whether a skin moves some part; a mesh that only moves with its node has no weights to edit.
bool hasWeights(const Character& character);

/// The palette of a view: per binding (or per control of a reduced model) world from rest, both in the page's space,
/// then of further instances; and the weights of morph targets.
wire::Frame frameOf(const Document& document, const DrawnCharacter& drawn, std::uint32_t view);

/// Of a reduced model: the blend of its examples, and the distance of each handle from its target.
wire::Handles handlesOf(const ReducedModel& model, const HandlesState& posed, const Vec3& centre);

/// The position of a vertex of a reduced model; without controls: at rest.
Vec3 placeOf(const ReducedModel& model, const std::vector<Affine>& controls, std::uint32_t vertex);

/// Columns of the skin at these vertices.
wire::Weights weightsMessage(const SkinWeights& weights, const std::vector<std::uint32_t>& vertices);
/// Adds the column of one vertex.
void addColumn(std::uint32_t vertex, std::span<const Influence> column, wire::Weights& message);

}  // namespace sinew::studio
