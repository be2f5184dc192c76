// The call of every frame: a packed skin and a palette in, moved vertices out. It runs on the calling thread and
// allocates nothing; an engine's own job system can split a call into ranges of blocks, with the same bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sinew/play/packed_skin.h"

namespace sinew::play {

inline constexpr std::size_t kMatrixFloats = 16;         ///< per joint: 4 x 4 by columns, the last row is not read
inline constexpr std::size_t kDualQuaternionFloats = 8;  ///< per joint: real x y z w, dual x y z w

enum class VertexOrder {
  Packed,   ///< as PackedSkin::order() lists them: the fastest, for engines that reorder the mesh once
  Original  ///< as the vertices came
};

enum class Stores {
  Auto,     ///< streamed for large outputs in packed order that are aligned to 64 bytes, else cached
  Cached,   ///< for a reader that follows at once
  Streamed  ///< past the caches, for the graphics card; needs outputs aligned to 64 bytes and packed order
};

/// Where moved vertices go: n = placeCount() of them in packed order, vertexCount() in the original one. Normals are
/// optional, in one of two forms. The spans must not overlap.
struct SkinOutput {
  std::span<float> positions;                   ///< x y z, 3 n
  std::span<float> normals = {};                ///< x y z of unit length to 1e-4, 3 n
  std::span<std::uint32_t> packedNormals = {};  ///< n; a third of the bytes, in the form of vertex buffers
  VertexOrder order = VertexOrder::Packed;
  Stores stores = Stores::Auto;
};

/// A packed normal: x, y, z as signed numbers of 10 bits from the lowest bit up, in units of 1/511, and 2 zero bits
/// (GL_INT_2_10_10_10_REV, VK_FORMAT_A2B10G10R10_SNORM_PACK32). The direction is right to 0.2
/// degrees. Where joints pull apart a normal may come as short as half its length: shaders normalise what they
/// interpolate anyway. Where joints scale, it is brought to unit length.
std::array<float, 3> unpackNormal(std::uint32_t packed);

/// Blocks that are worth a job of their own: 4,096 vertices, some microseconds of work.
inline constexpr std::uint32_t kBlockGrain = 256;

/// The work of one frame, checked and ready. It refers to the skin, the palette and the outputs, which must outlive it.
class SkinCall {
 public:
  /// Of the whole skin, 16 vertices each.
  [[nodiscard]] std::uint32_t blockCount() const;
  /// Moves the vertices of blocks [first, end). Ranges that do not overlap may run at the same time on any threads; the
  /// output is complete when every block has been in one. Throws for a range outside of [0, blockCount()].
  void run(std::uint32_t first, std::uint32_t end) const;
  /// All blocks, on this thread.
  void run() const { run(0, blockCount()); }

 private:
  friend class CorrectiveCall;
  friend SkinCall linearCall(const PackedSkin& skin, std::span<const float> matrices, const SkinOutput& output);
  friend SkinCall dualQuaternionCall(const PackedSkin& skin, std::span<const float> dualQuaternions,
                                     const SkinOutput& output);
  SkinCall(const char* where, const PackedSkin& skin, bool dualQuaternions, std::span<const float> palette,
           const SkinOutput& output);

  const PackedLayout* layout_ = nullptr;
  std::span<const float> palette_;
  SkinOutput output_;
  bool dualQuaternions_ = false;
  bool streamed_ = false;
};

/// x' = (sum_j w_j M_j) x. Normals take the 3 x 3 part of the same blend and are scaled to unit length; that is right
/// for rotations and uniform scale (no inverse transpose is taken). `matrices`: kMatrixFloats per joint, from rest to
/// posed space. Throws on sizes that do not fit, values that are not finite, and normals asked of a skin that was
/// packed without.
SkinCall linearCall(const PackedSkin& skin, std::span<const float> matrices, const SkinOutput& output);
inline void skinLinear(const PackedSkin& skin, std::span<const float> matrices, const SkinOutput& output) {
  linearCall(skin, matrices, output).run();
}

/// Dual quaternion blending (Kavan 2007) with the hemisphere chosen against the joint of the largest weight.
/// `dualQuaternions`: kDualQuaternionFloats per joint, unit and rigid.
SkinCall dualQuaternionCall(const PackedSkin& skin, std::span<const float> dualQuaternions, const SkinOutput& output);
inline void skinDualQuaternion(const PackedSkin& skin, std::span<const float> dualQuaternions,
                               const SkinOutput& output) {
  dualQuaternionCall(skin, dualQuaternions, output).run();
}

}  // namespace sinew::play
