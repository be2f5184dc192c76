// What the kernels of one instruction set share. Included once per set by foreach_target.h, so the guard toggles.
#if defined(SINEW_PLAY_KERNELS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SINEW_PLAY_KERNELS_INL_H
#undef SINEW_PLAY_KERNELS_INL_H
#else
#define SINEW_PLAY_KERNELS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "sinew/play/kernels.h"

#ifndef SINEW_UNROLL
#if defined(__clang__)
#define SINEW_UNROLL _Pragma("clang loop unroll(full)")
#else
#define SINEW_UNROLL _Pragma("GCC unroll 16")
#endif
#endif

HWY_BEFORE_NAMESPACE();
namespace sinew::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Lanes of a vector: at most those of a block.
using Lanes = hn::CappedTag<float, kBlockLanes>;
/// Two vectors go through a loop together where registers are narrow, so that a matrix entry is loaded once for both.
template <class D>
constexpr std::size_t vectorsAtOnce(D d) {
  return hn::MaxLanes(d) * 2 <= kBlockLanes ? 2 : 1;
}

/// Stores x0 y0 z0 x1 y1 z1 ...
template <class D, class V>
HWY_INLINE void storeTriples(D d, V x, V y, V z, float* to) {
  hn::StoreInterleaved3(x, y, z, d, to);
}

#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
// Six shuffles inside 128-bit parts, then whole parts put in order: about half of the generic version's operations.
template <>
HWY_INLINE void storeTriples(hn::FixedTag<float, 8> d, hn::Vec256<float> x, hn::Vec256<float> y, hn::Vec256<float> z,
                             float* to) {
  const __m256 a = _mm256_shuffle_ps(x.raw, y.raw, 0x88);  // x0 x2 y0 y2
  const __m256 b = _mm256_shuffle_ps(y.raw, z.raw, 0xdd);  // y1 y3 z1 z3
  const __m256 c = _mm256_shuffle_ps(z.raw, x.raw, 0xd8);  // z0 z2 x1 x3
  const __m256 p = _mm256_shuffle_ps(a, c, 0x88);          // x0 y0 z0 x1
  const __m256 q = _mm256_shuffle_ps(b, a, 0xd8);          // y1 z1 x2 y2
  const __m256 r = _mm256_shuffle_ps(c, b, 0xdd);          // z2 x3 y3 z3
  hn::StoreU(hn::Vec256<float>{_mm256_permute2f128_ps(p, q, 0x20)}, d, to);
  hn::StoreU(hn::Vec256<float>{_mm256_permute2f128_ps(r, p, 0x30)}, d, to + 8);
  hn::StoreU(hn::Vec256<float>{_mm256_permute2f128_ps(q, r, 0x31)}, d, to + 16);
}
#endif

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
template <>
HWY_INLINE void storeTriples(hn::FixedTag<float, 16> d, hn::Vec512<float> x, hn::Vec512<float> y, hn::Vec512<float> z,
                             float* to) {
  (void)d;
  const hn::FixedTag<float, 8> half;
  storeTriples(half, hn::LowerHalf(half, x), hn::LowerHalf(half, y), hn::LowerHalf(half, z), to);
  storeTriples(half, hn::UpperHalf(half, x), hn::UpperHalf(half, y), hn::UpperHalf(half, z), to + 24);
}
#endif

/// Part of a run, with room for all lanes of its blocks at the outputs.
struct Stretch {
  const float* rest = nullptr;
  const float* normals = nullptr;
  const std::uint8_t* pivots = nullptr;
  std::size_t blocks = 0;
  float* positionsOut = nullptr;
  float* normalsOut = nullptr;
};

/// Moves part of a run through a small buffer, from where only the lanes that hold vertices go on to the output.
template <class Skinner>
HWY_INLINE void skinThroughBuffer(const SkinJob& job, const PackedRun& run, std::size_t firstBlock,
                                  std::size_t endBlock, const Skinner& skinner, Stretch stretch) {
  constexpr std::size_t kBlocks = 8;
  alignas(64) float positions[kBlocks * kBlockLanes * 3];
  alignas(64) float normals[kBlocks * kBlockLanes * 3];
  for (std::size_t b = firstBlock; b < endBlock; b += kBlocks) {
    stretch.blocks = std::min(kBlocks, endBlock - b);
    stretch.positionsOut = positions;
    stretch.normalsOut = normals;
    skinner.skin(run, stretch);
    const std::size_t first = b * kBlockLanes;
    const std::size_t count = std::min<std::size_t>(stretch.blocks * kBlockLanes, run.vertexCount - first);
    const std::uint32_t* order = job.layout->order.data() + run.firstVertex + first;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t to = job.originalOrder ? order[i] : run.firstVertex + first + i;
      std::memcpy(job.positions + 3 * to, positions + 3 * i, 3 * sizeof(float));
      if (job.normals != nullptr) std::memcpy(job.normals + 3 * to, normals + 3 * i, 3 * sizeof(float));
    }
    stretch.rest += stretch.blocks * run.floatsPerBlock();
    if (job.normals != nullptr) stretch.normals += stretch.blocks * 3 * kBlockLanes;
    stretch.pivots += stretch.blocks * kBlockLanes;
  }
}

/// Blocks [first, end) of a run. Full blocks of the packed order are written in place.
template <class Skinner>
HWY_INLINE void skinRun(const SkinJob& job, const PackedRun& run, std::size_t first, std::size_t end,
                        const Skinner& skinner) {
  const PackedLayout& layout = *job.layout;
  const std::size_t full =
      job.originalOrder ? first : std::clamp<std::size_t>(run.vertexCount / kBlockLanes, first, end);
  const auto stretchAt = [&](std::size_t block) HWY_ATTR {
    Stretch stretch;
    stretch.rest = layout.rest.data() + run.firstFloat + block * run.floatsPerBlock();
    const std::size_t blockOfAll = run.firstBlock + block;
    if (job.normals != nullptr) stretch.normals = layout.normals.data() + blockOfAll * 3 * kBlockLanes;
    stretch.pivots = layout.pivots.data() + blockOfAll * kBlockLanes;
    return stretch;
  };
  if (full > first) {
    Stretch stretch = stretchAt(first);
    const std::size_t vertex = run.firstVertex + first * kBlockLanes;
    stretch.blocks = full - first;
    stretch.positionsOut = job.positions + 3 * vertex;
    if (job.normals != nullptr) stretch.normalsOut = job.normals + 3 * vertex;
    skinner.skin(run, stretch);
  }
  if (end > full) skinThroughBuffer(job, run, full, end, skinner, stretchAt(full));
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
}

/// Joint i of a vertex in a PerVertex block; two lie in the place of one float.
HWY_INLINE std::uint16_t boneAt(const float* bones, std::size_t i) {
  std::uint16_t bone;
  std::memcpy(&bone, reinterpret_cast<const std::byte*>(bones) + i * sizeof(bone), sizeof(bone));
  return bone;
}

}  // namespace
}  // namespace sinew::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
