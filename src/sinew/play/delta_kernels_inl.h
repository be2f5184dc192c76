// Sums of deltas on their way through the blend. Included once per instruction set, so the guard toggles.
#if defined(SINEW_PLAY_DELTA_KERNELS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SINEW_PLAY_DELTA_KERNELS_INL_H
#undef SINEW_PLAY_DELTA_KERNELS_INL_H
#else
#define SINEW_PLAY_DELTA_KERNELS_INL_H
#endif

#include <array>

#include "sinew/play/kernels_inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew::detail::HWY_NAMESPACE {
namespace {

/// Examples of less weight than this move nothing that a float could show.
constexpr float kLeastExampleWeight = 1e-9f;

/// A term of a segment that counts in this frame.
struct ActiveTerm {
  std::uint32_t offset;  ///< of its shorts in a block
  std::uint32_t example;
  float factor;  ///< weight times scale; of mixed groups the scale alone
};

using ActiveTerms = std::array<ActiveTerm, kMostDeltaTerms>;

/// Blocks of one segment, and the terms to be summed for them.
struct DeltaPart {
  const ActiveTerm* terms = nullptr;
  std::size_t count = 0;
  const std::int16_t* shorts = nullptr;
  std::size_t shortsPerBlock = 0;
  const std::int32_t* weightsOf = nullptr;  ///< of mixed groups: per lane, where its weights start
  const float* weights = nullptr;

  HWY_INLINE void skip(std::size_t blocks) {
    shorts += blocks * shortsPerBlock;
    if (weightsOf != nullptr) weightsOf += blocks * kBlockLanes;
  }
};

/// Sets up the segment that holds `block`, with its terms in `active`; returns how many of its blocks are left from
/// there on.
HWY_INLINE std::size_t findPart(const CorrectionJob& job, const PackedDeltas& deltas, std::size_t block,
                                ActiveTerms& active, DeltaPart& part) {
  const DeltaSegment& segment = deltas.segments[deltas.segmentOf[block - deltas.firstBlock]];
  const DeltaTerm* terms = deltas.terms.data() + segment.firstTerm;
  const bool mixed = segment.group == kMixedGroups;
  part.weights = job.weights + (mixed ? 0 : static_cast<std::size_t>(segment.group) * job.examples);
  part.weightsOf = mixed ? deltas.weightsOf.data() + (block - deltas.firstBlock) * kBlockLanes : nullptr;
  part.terms = active.data();
  part.count = 0;
  for (std::uint32_t t = 0; t < segment.terms; ++t) {
    const float weight = mixed ? 1.0f : part.weights[terms[t].example];
    if (weight < kLeastExampleWeight && weight > -kLeastExampleWeight) continue;
    active[part.count++] = {t * static_cast<std::uint32_t>(kDeltaShorts), terms[t].example, weight * terms[t].scale};
  }
  part.shortsPerBlock = segment.terms * kDeltaShorts;
  part.shorts = deltas.shorts.data() + segment.firstShort + (block - segment.firstBlock) * part.shortsPerBlock;
  return segment.firstBlock + segment.blockCount - block;
}

template <class V>
struct Triple {
  V x, y, z;
};

/// p + the deltas of lanes [lane, lane + Lanes(d)) of block b.
template <class D>
HWY_INLINE Triple<hn::Vec<D>> addDeltas(D d, const DeltaPart& part, std::size_t b, std::size_t lane,
                                        Triple<hn::Vec<D>> p) {
  using V = hn::Vec<D>;
  const std::int16_t* block = part.shorts + b * part.shortsPerBlock + lane;
  const auto add = [&](const ActiveTerm& term, V by) HWY_ATTR {
    const std::int16_t* from = block + term.offset;
    p.x = hn::MulAdd(by, loadNormals(d, from), p.x);
    p.y = hn::MulAdd(by, loadNormals(d, from + kBlockLanes), p.y);
    p.z = hn::MulAdd(by, loadNormals(d, from + 2 * kBlockLanes), p.z);
  };
  if (part.weightsOf == nullptr) {
    for (std::size_t t = 0; t < part.count; ++t) add(part.terms[t], hn::Set(d, part.terms[t].factor));
  } else {
    const auto first = hn::LoadU(hn::RebindToSigned<D>(), part.weightsOf + b * kBlockLanes + lane);
    for (std::size_t t = 0; t < part.count; ++t) {
      const V weights = hn::GatherIndex(d, part.weights + part.terms[t].example, first);
      add(part.terms[t], hn::Mul(weights, hn::Set(d, part.terms[t].factor)));
    }
  }
  return p;
}

/// The deltas of one block as 16 x, 16 y, 16 z.
HWY_INLINE void deltasOfBlock(const DeltaPart& part, std::size_t b, float* rows) {
  const Wide d;
  for (std::size_t lane = 0; lane < kBlockLanes; lane += hn::Lanes(d)) {
    const auto sum = addDeltas(d, part, b, lane, {hn::Zero(d), hn::Zero(d), hn::Zero(d)});
    hn::Store(sum.x, d, rows + lane);
    hn::Store(sum.y, d, rows + kBlockLanes + lane);
    hn::Store(sum.z, d, rows + 2 * kBlockLanes + lane);
  }
}

}  // namespace
}  // namespace sinew::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
