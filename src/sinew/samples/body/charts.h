// Texture coordinates: a cylinder per part of the body, packed in a grid.
#pragma once

#include "sinew/character/mesh.h"
#include "sinew/character/skin.h"
#include "sinew/samples/body/body_spec.h"

namespace sinew::body {

/// Fills mesh.uvs and mesh.cornerUv. A face belongs to the chart of the joints with the most influence on it; charts do
/// not overlap.
void addCharts(const BodySpec& spec, const SkinWeights& weights, Mesh& mesh);

}  // namespace sinew::body
