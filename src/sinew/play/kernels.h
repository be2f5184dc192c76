// The door between plain code and the kernels that are compiled once per instruction set.
#pragma once

#include <cstdint>

#include "sinew/play/packed_deltas.h"
#include "sinew/play/packed_layout.h"

namespace sinew::detail {

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

/// Move the vertices of blocks [first, end).
void linearBlocks(const SkinJob& job, std::uint32_t first, std::uint32_t end);
void dualQuaternionBlocks(const SkinJob& job, std::uint32_t first, std::uint32_t end);

/// A job in whose corrected blocks a vertex moves to skin(x + before) + turn(after), each a weighted sum of deltas.
struct CorrectionJob : SkinJob {
  const PackedDeltas* before = nullptr;  ///< or none
  const PackedDeltas* after = nullptr;   ///< or none
  const float* weights = nullptr;        ///< of the examples, group after group
  std::size_t examples = 0;
  float coarse = 0;                    ///< what weights of 16 bits may add to the error of a component
  const float* quaternions = nullptr;  ///< per binding x y z w, where `after` turns with each vertex; linear blend only
  const float* turns = nullptr;        ///< where it does not: 3 x 3 by columns of 4, per VertexClass::run
};

/// Positions of blocks [first, end), all of them corrected. Normals are left alone.
void correctedLinearBlocks(const CorrectionJob& job, std::uint32_t first, std::uint32_t end);
void correctedDualQuaternionBlocks(const CorrectionJob& job, std::uint32_t first, std::uint32_t end);

/// The name of the instruction set that the two use.
const char* dispatchedTarget();

}  // namespace sinew::detail
