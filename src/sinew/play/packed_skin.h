// A skin in the form that an engine plays: float, sorted into runs of vertices that follow the same joints.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sinew/base/types.h"
#include "sinew/character/skin.h"
#include "sinew/play/packed_layout.h"

namespace sinew {

/// What keeps a vertex apart from others, or brings it near to them.
struct VertexClass {
  std::uint32_t run = 0;    ///< vertices of different numbers never share a run; low numbers are packed first
  std::uint32_t place = 0;  ///< inside a run low numbers come first
};

struct PackOptions {
  int wantedRun = 32;  ///< vertices: smaller groups of equal joints look for a run that has their joints, or unite
  int leastRun = 8;    ///< vertices: what stays smaller is blended one by one
  int mostMerged = 8;  ///< joints that a run made by uniting may have, 1 to 16
  std::vector<VertexClass> classes = {};  ///< per vertex, or empty: all alike
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

  [[nodiscard]] Index vertexCount() const { return layout_.vertexCount; }
  [[nodiscard]] std::size_t bindingCount() const { return layout_.bindingCount; }
  [[nodiscard]] bool hasNormals() const { return !layout_.normals.empty(); }

  /// Places in packed order: a few more than vertices, since each run fills whole blocks of 16 and repeats its last
  /// vertex to do so. That keeps every store of the kernels a whole cache line.
  [[nodiscard]] Index placeCount() const { return static_cast<Index>(layout_.order.size()); }
  /// order()[i] is the vertex at place i. An engine gathers its other vertex streams by it once.
  [[nodiscard]] std::span<const std::uint32_t> order() const { return layout_.order; }
  /// A place of every vertex, to rewrite the index buffer once.
  [[nodiscard]] std::vector<std::uint32_t> placeOfVertex() const;

  [[nodiscard]] const PackReport& report() const { return report_; }
  [[nodiscard]] const PackedLayout& layout() const { return layout_; }

 private:
  PackedLayout layout_;
  PackReport report_;
};

}  // namespace sinew
