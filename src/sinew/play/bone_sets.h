// Which vertices can share the matrices of a loop: vertices grouped by the set of joints that they follow.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/character/skin.h"
#include "sinew/play/packed_skin.h"

namespace sinew {

/// Vertices that follow the same joints, or some of them.
struct BoneGroup {
  std::vector<std::uint16_t> bones;     ///< ascending
  std::vector<std::uint32_t> vertices;  ///< ascending
  Index merged = 0;                     ///< vertices that do not need all bones
};

struct BoneGroups {
  std::vector<BoneGroup> runs;       ///< ordered by their first vertex
  std::vector<std::uint32_t> alone;  ///< vertices that fit no run, ascending
};

/// Weights below this vanish in a float sum whose terms add to 1.
inline constexpr double kLeastWeight = 1.0 / 16777216.0;

/// Groups the given vertices, ascending. Groups of at least options.wantedRun vertices become runs; smaller ones join a
/// run with more joints, then each other. The classes of the options are not looked at.
BoneGroups groupByBones(const SkinWeights& weights, std::span<const std::uint32_t> vertices,
                        const PackOptions& options);

}  // namespace sinew
