// The call of every frame: a packed skin and a palette in, moved vertices out. No call allocates; large meshes are
// moved by all threads that sinew::ThreadLimit allows, with the same bits on 1 and N threads.
#pragma once

#include <cstdint>
#include <span>

#include "sinew/base/types.h"
#include "sinew/play/packed_skin.h"

namespace sinew {

inline constexpr int kMatrixFloats = 16;         ///< per binding: 4 x 4 by columns, the last row is not read
inline constexpr int kDualQuaternionFloats = 8;  ///< per binding: real x y z w, dual x y z w

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
Eigen::Vector3f unpackNormal(std::uint32_t packed);

/// x' = (sum_j w_j M_j) x. Normals take the 3 x 3 part of the same blend and are scaled to unit length; that is right
/// for rotations and uniform scale (no inverse transpose is taken). `matrices`: kMatrixFloats per binding.
/// Throws on sizes that do not fit, values that are not finite, and normals asked of a skin that was packed without.
void skinLinear(const PackedSkin& skin, std::span<const float> matrices, const SkinOutput& output);

/// Dual quaternion blending (Kavan 2007) with the hemisphere chosen against the joint of the largest weight.
/// `dualQuaternions`: kDualQuaternionFloats per binding, unit and rigid as packDualQuaternions makes them.
void skinDualQuaternion(const PackedSkin& skin, std::span<const float> dualQuaternions, const SkinOutput& output);

/// Palettes from PosedJoints::worldFromRest. The spans hold exactly the floats of all bindings.
void packMatrices(std::span<const Affine> worldFromRest, std::span<float> matrices);
/// Throws for a transform that scales or shears by more than 0.1 % and names the binding: dual quaternions carry
/// rotation and translation only.
void packDualQuaternions(std::span<const Affine> worldFromRest, std::span<float> dualQuaternions);

/// The instruction set in use, as Highway names it ("AVX3" is AVX-512).
const char* skinningTarget();

}  // namespace sinew
