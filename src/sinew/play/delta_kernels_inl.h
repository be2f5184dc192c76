// Sums of deltas, block by block. Included once per instruction set, so the guard toggles.
#if defined(SINEW_PLAY_DELTA_KERNELS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SINEW_PLAY_DELTA_KERNELS_INL_H
#undef SINEW_PLAY_DELTA_KERNELS_INL_H
#else
#define SINEW_PLAY_DELTA_KERNELS_INL_H
#endif

#include "sinew/play/kernels_inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew::detail::HWY_NAMESPACE {
namespace {

/// Floats of the deltas of a block: 16 x, 16 y, 16 z.
constexpr std::size_t kDeltaFloats = std::size_t{3} * kBlockLanes;
/// Blocks whose deltas are summed before they are used: they stay in the nearest cache.
constexpr std::size_t kDeltaBlocks = 16;
/// Terms that are summed at once.
constexpr std::size_t kTermsAtOnce = 32;
/// Examples of less weight than this move nothing that a float could show.
constexpr float kLeastExampleWeight = 1e-9f;

/// A term of a segment that counts in this frame.
struct ActiveTerm {
  std::size_t offset = 0;  ///< of its shorts in a block
  std::uint32_t example = 0;
  float factor = 0;  ///< weight times scale; of mixed groups the scale alone
};

/// Part of a segment: `out` takes (or adds) the sum over `terms`.
struct DeltaPart {
  const std::int16_t* shorts = nullptr;
  std::size_t shortsPerBlock = 0;
  std::size_t blocks = 0;
  const ActiveTerm* terms = nullptr;
  std::size_t count = 0;
  bool add = false;
  float* out = nullptr;
};

/// factor(term, lane) is the vector by which a term is multiplied in lanes [lane, lane + Lanes(d)) of a block.
template <class D, class Factor>
HWY_INLINE void sumTerms(D d, const DeltaPart& part, const Factor& factor) {
  using V = hn::Vec<D>;
  const std::size_t lanes = hn::Lanes(d);
  const std::int16_t* block = part.shorts;
  float* out = part.out;
  for (std::size_t b = 0; b < part.blocks; ++b, block += part.shortsPerBlock, out += kDeltaFloats) {
    for (std::size_t lane = 0; lane < kBlockLanes; lane += lanes) {
      V x = hn::Zero(d), y = hn::Zero(d), z = hn::Zero(d);
      if (part.add) {
        x = hn::Load(d, out + lane);
        y = hn::Load(d, out + kBlockLanes + lane);
        z = hn::Load(d, out + 2 * kBlockLanes + lane);
      }
      for (std::size_t t = 0; t < part.count; ++t) {
        const std::int16_t* from = block + part.terms[t].offset + lane;
        const V by = factor(part.terms[t], b * kBlockLanes + lane);
        x = hn::MulAdd(by, loadNormals(d, from), x);
        y = hn::MulAdd(by, loadNormals(d, from + kBlockLanes), y);
        z = hn::MulAdd(by, loadNormals(d, from + 2 * kBlockLanes), z);
      }
      hn::Store(x, d, out + lane);
      hn::Store(y, d, out + kBlockLanes + lane);
      hn::Store(z, d, out + 2 * kBlockLanes + lane);
    }
  }
}

/// Terms [first, ...) of a segment that count, at most kTermsAtOnce; returns where to go on.
HWY_INLINE std::size_t activeTerms(const CorrectionJob& job, const PackedDeltas& deltas, const DeltaSegment& segment,
                                   std::size_t first, ActiveTerm* terms, std::size_t& count) {
  const DeltaTerm* all = deltas.terms.data() + segment.firstTerm;
  const bool mixed = segment.group == kMixedGroups;
  const float* weights = mixed ? nullptr : job.weights + static_cast<std::size_t>(segment.group) * job.examples;
  count = 0;
  std::size_t t = first;
  for (; t < segment.terms && count < kTermsAtOnce; ++t) {
    const float weight = mixed ? 1.0f : weights[all[t].example];
    if (weight < kLeastExampleWeight && weight > -kLeastExampleWeight) continue;
    terms[count++] = {t * kDeltaShorts, all[t].example, weight * all[t].scale};
  }
  return t;
}

/// The deltas of blocks [first, first + count) at `out`.
HWY_INLINE void sumDeltas(const CorrectionJob& job, const PackedDeltas& deltas, std::size_t first, std::size_t count,
                          float* out) {
  const Wide d;
  const hn::RebindToSigned<Wide> di;
  const std::size_t end = first + count;
  const DeltaSegment* segment = deltas.segments.data() + deltas.segmentOf[first - deltas.firstBlock];
  ActiveTerm terms[kTermsAtOnce];
  for (std::size_t block = first; block < end; ++segment) {
    DeltaPart part;
    part.terms = terms;
    part.out = out + (block - first) * kDeltaFloats;
    part.blocks = std::min<std::size_t>(end, segment->firstBlock + segment->blockCount) - block;
    part.shortsPerBlock = segment->terms * kDeltaShorts;
    part.shorts = deltas.shorts.data() + segment->firstShort + (block - segment->firstBlock) * part.shortsPerBlock;
    std::size_t next = 0;
    do {
      next = activeTerms(job, deltas, *segment, next, terms, part.count);
      if (segment->group != kMixedGroups) {
        sumTerms(d, part, [&](const ActiveTerm& term, std::size_t) HWY_ATTR { return hn::Set(d, term.factor); });
      } else {
        const std::int32_t* weightsOf = deltas.weightsOf.data() + (block - deltas.firstBlock) * kBlockLanes;
        sumTerms(d, part, [&](const ActiveTerm& term, std::size_t lane) HWY_ATTR {
          const auto weights = hn::GatherIndex(d, job.weights + term.example, hn::LoadU(di, weightsOf + lane));
          return hn::Mul(weights, hn::Set(d, term.factor));
        });
      }
      part.add = true;
    } while (next < segment->terms);
    block += part.blocks;
  }
}

}  // namespace
}  // namespace sinew::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
