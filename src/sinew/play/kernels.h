// The door between plain code and the kernels that are compiled once per instruction set.
#pragma once

#include <cstdint>

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

/// The name of the instruction set that the two use.
const char* dispatchedTarget();

}  // namespace sinew::detail
