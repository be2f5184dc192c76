// A skin in the form that an engine plays: float, sorted into runs of vertices that follow the same joints.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "sinew/base/types.h"
#include "sinew/character/skin.h"
#include "sinew/play/packed_layout.h"

namespace sinew {

struct PackOptions {
  int leastRun = 8;    ///< vertices: smaller groups of equal joints join a group that has more joints, or stand alone
  int mostMerged = 6;  ///< joints: a run made by merging small groups has at most so many (1 to 16)
};

/// What packing made of a skin.
struct PackReport {
  Index vertices = 0;
  Index runs = 0;                ///< stretches with shared joints
  Index verticesInRuns = 0;      ///< the others are blended one by one
  Index verticesMerged = 0;      ///< of those in runs: with a joint more than they need
  double meanInfluences = 0;     ///< joints per vertex as given
  double meanRunInfluences = 0;  ///< joints per vertex in runs as blended
  double bytesPerVertex = 0;     ///< read per frame for positions: rest and weights, padding included
  double bytesPerNormal = 0;     ///< read per frame for normals besides

  [[nodiscard]] double shareInRuns() const {
    return vertices > 0 ? static_cast<double>(verticesInRuns) / static_cast<double>(vertices) : 1.0;
  }
  /// One line.
  [[nodiscard]] std::string text() const;
};

/// Made once per mesh, then only read: any number of threads may play it.
class PackedSkin {
 public:
  /// `normals` is 3 x 0 or has a column per vertex. All influences are kept; use SkinWeights::limited() before where an
  /// engine allows fewer. Weights below 2^-24, which a float sum cannot see, are dropped.
  /// Throws where sizes differ, a value is not finite, or there are more than 65,536 bindings.
  PackedSkin(const ConstPointsRef& rest, const ConstPointsRef& normals, const SkinWeights& weights,
             const PackOptions& options = {});

  [[nodiscard]] Index vertexCount() const { return static_cast<Index>(layout_.order.size()); }
  [[nodiscard]] std::size_t bindingCount() const { return layout_.bindingCount; }
  [[nodiscard]] bool hasNormals() const { return !layout_.normals.empty(); }

  /// order()[i] is the vertex at place i of the packed order. An engine reorders its vertex streams and index buffer
  /// by it once, and then takes positions as they come.
  [[nodiscard]] std::span<const std::uint32_t> order() const { return layout_.order; }
  /// The inverse: the packed place of every vertex, to rewrite an index buffer.
  [[nodiscard]] std::vector<std::uint32_t> placeOfVertex() const;

  [[nodiscard]] const PackReport& report() const { return report_; }
  [[nodiscard]] const PackedLayout& layout() const { return layout_; }

 private:
  PackedLayout layout_;
  PackReport report_;
};

}  // namespace sinew
