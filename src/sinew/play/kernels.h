// The door between plain code and the kernels that are compiled once per instruction set.
#pragma once

#include <cstdint>

#include "sinew/play/packed_layout.h"

namespace sinew::detail {

struct SkinJob {
  const PackedLayout* layout = nullptr;
  const float* palette = nullptr;
  float* positions = nullptr;
  float* normals = nullptr;  ///< null: positions only
  bool originalOrder = false;
};

/// Move the vertices of blocks [first, end).
void linearBlocks(const SkinJob& job, std::uint32_t first, std::uint32_t end);
void dualQuaternionBlocks(const SkinJob& job, std::uint32_t first, std::uint32_t end);

/// The name of the instruction set that the two use.
const char* dispatchedTarget();

}  // namespace sinew::detail
