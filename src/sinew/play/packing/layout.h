// How a packed skin lies in memory: docs/methods/packed_runtime.md has the picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sinew/play/aligned.h"

namespace sinew::play {

/// Vertices are stored and moved in blocks of this many lanes, the widest vector of floats in use.
inline constexpr int kBlockLanes = 16;
/// Runs blend at most this many joints; vertices with more are blended one by one.
inline constexpr int kMostRunBones = 16;

/// A normal is stored as three 16-bit numbers of this scale, 2e-5 radians at most from where it was. It is a multiple
/// of the 511 steps of a packed normal.
inline constexpr int kNormalScale = 511 * 64;

/// What keeps a vertex apart from others, or brings it near to them.
struct VertexClass {
  std::uint32_t run = 0;    ///< vertices of different numbers never share a run; low numbers are packed first
  std::uint32_t place = 0;  ///< inside a run low numbers come first
};

enum class RunKind : std::uint8_t {
  Shared,    ///< every vertex follows the same joints: their matrices are constants of the loop
  PerVertex  ///< each vertex names its own joints
};

/// A stretch of vertices in packed order. It starts with a block of its own; the lanes that its last block has left
/// over repeat the last vertex.
///
/// A block is made of rows of 16 floats:
/// - Shared: x, y, z, then the weights of joints 1 .. bones-1 of the run (joint 0 has what is missing to 1);
/// - PerVertex: 16 x (x, y, z) in 3 rows, 16 x `bones` weights in `bones` rows, largest first, then 16 x `bones` joints
///   as 16-bit numbers in bones / 2 rows.
struct PackedRun {
  RunKind kind = RunKind::Shared;
  std::uint16_t bones = 1;
  std::uint32_t vertexCount = 0;
  std::uint32_t firstBlock = 0;
  std::uint32_t vertexClass = 0;  ///< VertexClass::run of its vertices
  std::uint32_t firstBone = 0;    ///< into PackedLayout::bones, Shared only
  std::uint64_t firstFloat = 0;   ///< into PackedLayout::rest
  std::uint64_t firstShort = 0;   ///< into PackedLayout::shortNormals

  [[nodiscard]] std::uint32_t blockCount() const { return (vertexCount + kBlockLanes - 1) / kBlockLanes; }
  /// Floats of one block in PackedLayout::rest.
  [[nodiscard]] std::uint32_t floatsPerBlock() const {
    return kBlockLanes * (kind == RunKind::Shared ? 2u + bones : 3u + bones + bones / 2u);
  }
};

/// A block of PackedLayout::normals: 16 x, 16 y, 16 z (Shared) or 16 x (x, y, z) (PerVertex).
inline constexpr std::size_t kNormalShorts = std::size_t{3} * kBlockLanes;

/// Shared runs of up to this many joints have short normals, for output in 4 bytes.
inline constexpr std::size_t kMostShortBones = 4;
/// A block of PackedLayout::shortNormals: 16 x, 16 y, then the weights of joints 1 .. bones-1 in units of 1/32767, of
/// two joints 2 w - 1. The lowest 5 bits of x and y together are the highest 10 of z; as part of x and y they cost
/// those half a unit of 2^5, a quarter of a step of a packed normal.
constexpr std::size_t shortNormalShorts(std::size_t bones) {
  return bones <= kMostShortBones ? (1 + bones) * kBlockLanes : 0;
}
inline constexpr int kShortNormalBits = 5;

struct PackedLayout {
  std::vector<PackedRun> runs;       ///< by firstBlock
  std::vector<std::uint16_t> bones;  ///< the joints of the shared runs
  AlignedFloats rest;
  AlignedShorts normals;       ///< or empty
  AlignedShorts shortNormals;  ///< the same in fewer bytes
  /// Per lane of every block: the joint with the largest weight, as its place in the run.
  std::vector<std::uint8_t> pivots;
  std::vector<std::uint32_t> order;  ///< place -> vertex, 16 per block
  std::uint32_t blockCount = 0;
  std::size_t vertexCount = 0;
  std::size_t jointCount = 0;
  std::size_t instructionSet = 0;  ///< which kernels move it (kernels/instruction_set.h)
};

}  // namespace sinew::play
