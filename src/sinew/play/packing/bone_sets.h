// Which vertices can share the matrices of a loop: vertices grouped by the set of joints that they follow.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/play/packed_skin.h"
#include "sinew/play/packing/influences.h"

namespace sinew::play {

/// Vertices that follow the same joints, or some of them.
struct BoneGroup {
  std::vector<std::uint16_t> bones;     ///< ascending
  std::vector<std::uint32_t> vertices;  ///< ascending
  std::size_t merged = 0;               ///< vertices that do not need all bones
};

struct BoneGroups {
  std::vector<BoneGroup> runs;       ///< ordered by their first vertex
  std::vector<std::uint32_t> alone;  ///< vertices that fit no run, ascending
};

/// Groups the given vertices, ascending. Groups of at least options.wantedRun vertices become runs; smaller ones join a
/// run with more joints, then each other.
BoneGroups groupByBones(const Influences& influences, std::span<const std::uint32_t> vertices, std::size_t jointCount,
                        const PackOptions& options);

}  // namespace sinew::play
