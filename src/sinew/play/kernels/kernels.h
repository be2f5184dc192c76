// The calls into kernels that are compiled once per instruction set.
#pragma once

#include <cstdint>
#include <span>

#include "sinew/play/packing/deltas.h"
#include "sinew/play/packing/layout.h"
#include "sinew/play/skinning.h"

namespace sinew::play::kernels {

struct SkinJob {
  const PackedLayout* layout = nullptr;
  const float* palette = nullptr;
  float* positions = nullptr;
  float* normals = nullptr;  ///< at most one of the two; none: positions only
  std::uint32_t* packedNormals = nullptr;
  bool originalOrder = false;
  bool streamed = false;  ///< stores pass the caches by: the outputs are aligned to cache lines and in packed order

  [[nodiscard]] bool wantsNormals() const { return normals != nullptr || packedNormals != nullptr; }
};

/// Of arguments that were checked.
SkinJob skinJob(const PackedLayout& layout, std::span<const float> palette, const SkinOutput& output, bool streamed);

/// Move the vertices of blocks [first, end) by the instruction set of the layout.
void linearBlocks(const SkinJob& job, std::uint32_t first, std::uint32_t end);
void dualQuaternionBlocks(const SkinJob& job, std::uint32_t first, std::uint32_t end);

/// A job in whose corrected blocks a vertex moves to skin(x + before) + turn(after), each a weighted sum of deltas.
struct CorrectionJob : SkinJob {
  const PackedDeltas* before = nullptr;  ///< or none
  const PackedDeltas* after = nullptr;   ///< or none
  const float* weights = nullptr;        ///< of the shapes, group after group
  std::size_t shapes = 0;
  float coarse = 0;                    ///< what weights of 16 bits may add to the error of a component
  const float* quaternions = nullptr;  ///< per joint x y z w, where `after` turns with each vertex; linear blend only
  const float* turns = nullptr;        ///< where it does not: 3 x 3 by columns of 4, per VertexClass::run from 1 on
};

/// Positions of blocks [first, end), all of them corrected. Normals are left alone.
void correctedLinearBlocks(const CorrectionJob& job, std::uint32_t first, std::uint32_t end);
void correctedDualQuaternionBlocks(const CorrectionJob& job, std::uint32_t first, std::uint32_t end);

}  // namespace sinew::play::kernels
