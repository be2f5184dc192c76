// What the kernels of one instruction set share: how blocks are walked and results stored. Included once per set by
// foreach_target.h, so the guard toggles.
#if defined(SINEW_PLAY_BLOCKS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SINEW_PLAY_BLOCKS_INL_H
#undef SINEW_PLAY_BLOCKS_INL_H
#else
#define SINEW_PLAY_BLOCKS_INL_H
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "sinew/play/kernels/kernels.h"

#ifndef SINEW_UNROLL
#if defined(__clang__)
#define SINEW_UNROLL _Pragma("unroll")
#else
#define SINEW_UNROLL _Pragma("GCC unroll 16")
#endif
#endif

HWY_BEFORE_NAMESPACE();
namespace sinew::play::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Lanes of a vector: at most those of a block.
using Wide = hn::CappedTag<float, kBlockLanes>;
using Narrow = hn::CappedTag<float, kBlockLanes / 2>;

/// Two vectors go through a loop together where they are narrow, so that a matrix entry is loaded once for both.
template <class D>
constexpr std::size_t vectorsAtOnce(D d) {
  return hn::MaxLanes(d) * 2 <= kBlockLanes ? 2 : 1;
}

/// Calls add(j) for the joints 1 .. bones - 1, unrolled where their number is known.
template <std::size_t kBones, class Add>
HWY_INLINE void forEachFurther(std::size_t bones, const Add& add) {
  if constexpr (kBones > 0) {
    SINEW_UNROLL
    for (std::size_t j = 1; j < kBones; ++j) add(j);
  } else {
    for (std::size_t j = 1; j < bones; ++j) add(j);
  }
}

/// Stores x0 y0 z0 x1 y1 z1 ... `streamed`: past the caches, where the instruction set can; `to` is aligned then.
template <class D, class V>
HWY_INLINE void storeTriples(D d, V x, V y, V z, bool /*streamed*/, float* to) {
  hn::StoreInterleaved3(x, y, z, d, to);
}

#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
// Six shuffles inside 128-bit parts, then whole parts put in order: about half the operations of the generic version.
HWY_INLINE void storeParts(__m256 p, __m256 q, __m256 r, bool streamed, float* to) {
  const __m256 first = _mm256_permute2f128_ps(p, q, 0x20);
  const __m256 second = _mm256_permute2f128_ps(r, p, 0x30);
  const __m256 third = _mm256_permute2f128_ps(q, r, 0x31);
  if (streamed) {
    _mm256_stream_ps(to, first);
    _mm256_stream_ps(to + 8, second);
    _mm256_stream_ps(to + 16, third);
  } else {
    _mm256_storeu_ps(to, first);
    _mm256_storeu_ps(to + 8, second);
    _mm256_storeu_ps(to + 16, third);
  }
}

template <>
HWY_INLINE void storeTriples(hn::FixedTag<float, 8> /*d*/, hn::Vec256<float> x, hn::Vec256<float> y,
                             hn::Vec256<float> z, bool streamed, float* to) {
  const __m256 a = _mm256_shuffle_ps(x.raw, y.raw, 0x88);  // x0 x2 y0 y2
  const __m256 b = _mm256_shuffle_ps(y.raw, z.raw, 0xdd);  // y1 y3 z1 z3
  const __m256 c = _mm256_shuffle_ps(z.raw, x.raw, 0xd8);  // z0 z2 x1 x3
  // x0 y0 z0 x1, y1 z1 x2 y2, z2 x3 y3 z3
  storeParts(_mm256_shuffle_ps(a, c, 0x88), _mm256_shuffle_ps(b, a, 0xd8), _mm256_shuffle_ps(c, b, 0xdd), streamed, to);
}
#endif
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
template <>
HWY_INLINE void storeTriples(hn::FixedTag<float, 16> /*d*/, hn::Vec512<float> x, hn::Vec512<float> y,
                             hn::Vec512<float> z, bool streamed, float* to) {
  const hn::FixedTag<float, 8> half;
  const __m512 a = _mm512_shuffle_ps(x.raw, y.raw, 0x88);
  const __m512 b = _mm512_shuffle_ps(y.raw, z.raw, 0xdd);
  const __m512 c = _mm512_shuffle_ps(z.raw, x.raw, 0xd8);
  const hn::Vec512<float> p{_mm512_shuffle_ps(a, c, 0x88)};
  const hn::Vec512<float> q{_mm512_shuffle_ps(b, a, 0xd8)};
  const hn::Vec512<float> r{_mm512_shuffle_ps(c, b, 0xdd)};
  storeParts(hn::LowerHalf(half, p).raw, hn::LowerHalf(half, q).raw, hn::LowerHalf(half, r).raw, streamed, to);
  storeParts(hn::UpperHalf(half, p).raw, hn::UpperHalf(half, q).raw, hn::UpperHalf(half, r).raw, streamed, to + 24);
}
#endif

/// What becomes of normals. Packed: x y z of 10 bits with sign from the lowest bit up, 2 zero bits.
enum class Normals : std::uint8_t { None, Floats, Packed };

constexpr float kPackedScale = 511;
/// Added to a small number, it leaves the number rounded to an integer in the lowest bits of the float.
constexpr float kRounder = 12582912;  // 1.5 * 2^23

/// Where normals go: one of the two.
struct NormalsOut {
  float* floats = nullptr;
  std::uint32_t* packed = nullptr;
  bool streamed = false;
};

/// Bits of `yes` where the mask has ones, of `no` elsewhere. Highway's IfVecThenElse takes whole lanes only on some
/// sets.
template <class V>
HWY_INLINE V selectBits(V mask, V yes, V no) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  return hn::IfVecThenElse(mask, yes, no);  // one ternary instruction, bit by bit
#else
  return hn::Or(hn::And(mask, yes), hn::AndNot(mask, no));
#endif
}

/// Packs numbers that were rounded by adding kRounder, or a multiple of it by a power of two.
template <class D, class V>
HWY_INLINE void storePacked(D d, V x, V y, V z, bool streamed, std::uint32_t* to) {
  const hn::RebindToUnsigned<D> du;
  (void)d;
  const auto xy = selectBits(hn::Set(du, 0x3ffu), hn::BitCast(du, x), hn::ShiftLeft<10>(hn::BitCast(du, y)));
  const auto xyz = selectBits(hn::Set(du, 0xfffffu), xy, hn::ShiftLeft<20>(hn::BitCast(du, z)));
  const auto packed = hn::And(xyz, hn::Set(du, 0x3fffffffu));
  if (streamed) {
    hn::Stream(packed, du, to);
  } else {
    hn::StoreU(packed, du, to);
  }
}

/// Vectors x, y, z times `scale` (which holds kPackedScale already for Packed) to vertices `place` on.
template <Normals kNormals, class D, class V>
HWY_INLINE void storeNormals(D d, V x, V y, V z, V scale, const NormalsOut& out, std::size_t place) {
  if constexpr (kNormals == Normals::Floats) {
    storeTriples(d, hn::Mul(x, scale), hn::Mul(y, scale), hn::Mul(z, scale), out.streamed, out.floats + 3 * place);
  } else {
    const V rounder = hn::Set(d, kRounder);
    storePacked(d, hn::MulAdd(x, scale, rounder), hn::MulAdd(y, scale, rounder), hn::MulAdd(z, scale, rounder),
                out.streamed, out.packed + place);
  }
}

/// The same for one vector, with unit length up to rounding.
HWY_INLINE void storeNormal(const float* n, const NormalsOut& out, std::size_t place) {
  if (out.floats != nullptr) {
    std::memcpy(out.floats + 3 * place, n, 3 * sizeof(float));
    return;
  }
  std::uint32_t packed = 0;
  for (int c = 0; c < 3; ++c) {
    const float rounded = n[c] * kPackedScale + kRounder;
    std::uint32_t bits = 0;
    std::memcpy(&bits, &rounded, sizeof(bits));
    packed |= (bits & 0x3ffu) << (10 * c);
  }
  out.packed[place] = packed;
}

/// 16-bit normals of a block as floats of scale kNormalScale.
template <class D>
HWY_INLINE hn::Vec<D> loadNormals(D d, const std::int16_t* from) {
  const hn::RebindToSigned<D> di;
  const hn::Rebind<std::int16_t, D> ds;
  return hn::ConvertTo(d, hn::PromoteTo(di, hn::LoadU(ds, from)));
}

/// Part of a run, with room for all lanes of its blocks at the outputs.
struct Stretch {
  const float* rest = nullptr;
  const std::int16_t* normals = nullptr;
  const std::int16_t* shortNormals = nullptr;
  std::size_t shortsPerBlock = 0;  ///< of shortNormals
  const std::uint8_t* pivots = nullptr;
  std::size_t firstBlock = 0;  ///< of the whole skin
  std::size_t blocks = 0;
  float* positionsOut = nullptr;
  NormalsOut normalsOut;
  bool streamed = false;

  HWY_INLINE void skipNormals(std::size_t count) {
    if (normals == nullptr) return;
    normals += count * kNormalShorts;
    shortNormals += count * shortsPerBlock;
  }
};

template <std::size_t kPerVertex, class T>
HWY_INLINE void scatter(const T* from, std::size_t count, const std::uint32_t* order, T* to) {
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(to + kPerVertex * order[i], from + kPerVertex * i, kPerVertex * sizeof(T));
  }
}

/// Moves part of a run through a small buffer, from where its vertices go to their places in the original order.
template <class Skinner>
HWY_INLINE void skinToOriginal(const SkinJob& job, const PackedRun& run, std::size_t firstBlock, std::size_t endBlock,
                               const Skinner& skinner, Stretch stretch) {
  constexpr std::size_t kBlocks = 8;
  alignas(64) float positions[kBlocks * kBlockLanes * 3];
  alignas(64) float normals[kBlocks * kBlockLanes * 3];
  alignas(64) std::uint32_t packedNormals[kBlocks * kBlockLanes];
  stretch.positionsOut = positions;
  stretch.normalsOut.floats = job.normals != nullptr ? normals : nullptr;
  stretch.normalsOut.packed = job.packedNormals != nullptr ? packedNormals : nullptr;
  for (std::size_t b = firstBlock; b < endBlock; b += kBlocks) {
    stretch.blocks = std::min(kBlocks, endBlock - b);
    skinner.skin(run, stretch);
    const std::size_t count = std::min<std::size_t>(stretch.blocks * kBlockLanes, run.vertexCount - b * kBlockLanes);
    const std::uint32_t* order = job.layout->order.data() + (run.firstBlock + b) * kBlockLanes;
    scatter<3>(positions, count, order, job.positions);
    if (job.normals != nullptr) scatter<3>(normals, count, order, job.normals);
    if (job.packedNormals != nullptr) scatter<1>(packedNormals, count, order, job.packedNormals);
    stretch.rest += stretch.blocks * run.floatsPerBlock();
    stretch.pivots += stretch.blocks * kBlockLanes;
    stretch.firstBlock += stretch.blocks;
    stretch.skipNormals(stretch.blocks);
  }
}

/// Blocks [first, end) of a run.
template <class Skinner>
HWY_INLINE void skinRun(const SkinJob& job, const PackedRun& run, std::size_t first, std::size_t end,
                        const Skinner& skinner) {
  const PackedLayout& layout = *job.layout;
  const std::size_t block = run.firstBlock + first;
  Stretch stretch;
  stretch.rest = layout.rest.data() + run.firstFloat + first * run.floatsPerBlock();
  stretch.pivots = layout.pivots.data() + block * kBlockLanes;
  stretch.firstBlock = block;
  if (job.wantsNormals()) {
    stretch.normals = layout.normals.data() + run.firstBlock * kNormalShorts;
    stretch.shortNormals = layout.shortNormals.data() + run.firstShort;
    stretch.shortsPerBlock = run.kind == RunKind::Shared ? shortNormalShorts(run.bones) : 0;
    stretch.skipNormals(first);
  }
  if (job.originalOrder) return skinToOriginal(job, run, first, end, skinner, stretch);
  stretch.blocks = end - first;
  stretch.streamed = job.streamed;
  stretch.positionsOut = job.positions + block * 3 * kBlockLanes;
  stretch.normalsOut.streamed = job.streamed;
  if (job.normals != nullptr) stretch.normalsOut.floats = job.normals + block * 3 * kBlockLanes;
  if (job.packedNormals != nullptr) stretch.normalsOut.packed = job.packedNormals + block * kBlockLanes;
  skinner.skin(run, stretch);
}

/// Blocks [first, end) of the whole skin, run by run. The skinner learns of each run before its blocks.
template <class Skinner>
HWY_INLINE void skinBlocks(const SkinJob& job, std::size_t first, std::size_t end, Skinner& skinner) {
  const auto& runs = job.layout->runs;
  auto run = std::upper_bound(runs.begin(), runs.end(), first,
                              [](std::size_t block, const PackedRun& r) { return block < r.firstBlock; });
  for (--run; run != runs.end() && run->firstBlock < end; ++run) {
    const std::size_t runFirst = std::max<std::size_t>(first, run->firstBlock) - run->firstBlock;
    const std::size_t runEnd = std::min<std::size_t>(end - run->firstBlock, run->blockCount());
    skinner.prepare(*run);
    skinRun(job, *run, runFirst, runEnd, skinner);
  }
  if (job.streamed) hwy::FlushStream();
}

/// Joint i of a vertex in a PerVertex block; two lie in the place of one float.
HWY_INLINE std::uint16_t boneAt(const float* bones, std::size_t i) {
  std::uint16_t bone = 0;
  std::memcpy(&bone, reinterpret_cast<const std::byte*>(bones) + i * sizeof(bone), sizeof(bone));
  return bone;
}

/// A vertex of a PerVertex block.
struct LoneVertex {
  const float* point = nullptr;
  const float* weights = nullptr;
  const float* joints = nullptr;
  std::size_t bones = 0;
};

/// Calls body(vertex, i) for the vertices of PerVertex blocks.
template <class Body>
HWY_INLINE void forEachLone(std::size_t bones, const Stretch& s, const Body& body) {
  const float* block = s.rest;
  for (std::size_t b = 0; b < s.blocks; ++b, block += (3 + bones + bones / 2) * kBlockLanes) {
    const float* weights = block + 3 * kBlockLanes;
    const float* joints = weights + bones * kBlockLanes;
    for (std::size_t lane = 0; lane < kBlockLanes; ++lane) {
      body(LoneVertex{block + 3 * lane, weights + lane * bones, joints + lane * bones / 2, bones},
           b * kBlockLanes + lane);
    }
  }
}

}  // namespace
}  // namespace sinew::play::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
