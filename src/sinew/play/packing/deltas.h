// Sparse deltas of corrective shapes in the blocks of a packed skin: docs/methods/packed_runtime.md has the layout.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/play/packing/layout.h"

namespace sinew::play {

/// weight(shape) * scale * a row of 16-bit numbers. A shape has a second term where 16 bits are too coarse.
struct DeltaTerm {
  std::uint32_t shape = 0;
  float scale = 0;
};

/// Consecutive blocks that the same terms move. Two terms are interleaved, so that one instruction multiplies and
/// adds both: first the pairs of all blocks, per block and pair 16 x (first, second), then y, then z; then the last of
/// an odd number of terms for all blocks, 16 x, 16 y, 16 z each.
struct DeltaSegment {
  std::uint32_t firstBlock = 0;
  std::uint32_t blockCount = 0;
  std::uint32_t firstTerm = 0;
  std::uint32_t terms = 0;
  std::int32_t group = 0;        ///< whose shape weights all its vertices take, or kMixedGroups
  std::uint64_t firstShort = 0;  ///< into PackedDeltas::shorts

  [[nodiscard]] std::uint32_t pairs() const { return terms / 2; }
  [[nodiscard]] bool odd() const { return terms % 2 == 1; }
  [[nodiscard]] std::uint64_t firstSingle() const;
};
inline constexpr std::int32_t kMixedGroups = -1;
/// Of a segment: two per shape.
inline constexpr std::size_t kMostDeltaTerms = 512;
inline constexpr std::size_t kMostShapes = kMostDeltaTerms / 2;
/// Of a block: one term, and a pair.
inline constexpr std::size_t kSingleShorts = std::size_t{3} * kBlockLanes;
inline constexpr std::size_t kPairShorts = 2 * kSingleShorts;

inline std::uint64_t DeltaSegment::firstSingle() const {
  return firstShort + std::uint64_t{blockCount} * pairs() * kPairShorts;
}

struct PackedDeltas {
  std::vector<DeltaSegment> segments;  ///< by firstBlock, without gaps from the first corrected block to the last block
  std::vector<DeltaTerm> terms;
  AlignedShorts shorts;
  std::vector<std::uint32_t> segmentOf;  ///< per block, from the first corrected one on
  std::vector<std::int32_t> weightsOf;   ///< per lane of these blocks, where groups are mixed: group * shapes
  std::uint32_t firstBlock = 0;          ///< of those that are corrected

  [[nodiscard]] bool empty() const { return segments.empty(); }
};

/// Deltas of single vertices.
struct DeltaSource {
  std::span<const std::uint32_t> vertices;          ///< ascending
  std::span<const std::span<const double>> deltas;  ///< per shape: x y z per vertex of `vertices`
  std::span<const std::uint32_t> groupOf;           ///< per vertex of `vertices`, or empty
  double least = 0;                                 ///< shorter deltas are taken as zero
  double step = 0;                                  ///< coarser steps than this get a second term

  [[nodiscard]] const double* delta(std::size_t shape, std::size_t vertex) const {
    return deltas[shape].data() + 3 * vertex;
  }
  /// Whether a shape moves a vertex of `vertices`.
  [[nodiscard]] bool moves(std::size_t shape, std::size_t vertex) const;
};

/// The vertices of the source lie in blocks [firstBlock, end) of the layout, and no others do.
PackedDeltas packDeltas(const PackedLayout& layout, std::uint32_t firstBlock, const DeltaSource& source);

/// A number per vertex of the source: vertices that the same group and the same shapes move have the same one.
std::vector<std::uint32_t> deltaPlaces(const DeltaSource& source);

}  // namespace sinew::play
