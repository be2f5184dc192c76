// Sums of deltas on their way through the blend. Included once per instruction set, so the guard toggles.
#if defined(SINEW_PLAY_DELTAS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SINEW_PLAY_DELTAS_INL_H
#undef SINEW_PLAY_DELTAS_INL_H
#else
#define SINEW_PLAY_DELTAS_INL_H
#endif

#include "sinew/play/kernels/blocks_inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew::play::kernels::HWY_NAMESPACE {
namespace {

/// Shapes of less weight than this move nothing that a float could show.
constexpr float kLeastShapeWeight = 1e-9f;
constexpr float kMostWeight = 32767;
/// Sums of products stay within 32 bits while the weights of all terms add up to this.
constexpr float kMostWeights = 65000;

/// Two terms that count in this frame: sum = unit * (coarse weights . numbers) + fineUnit * (fine weights . numbers).
struct ActivePair {
  std::uint32_t offset;  ///< of its shorts in a block
  std::int16_t coarse[2];
  std::int16_t fine[2];
};

/// Blocks of one segment, and what is to be summed for them.
struct DeltaPart {
  const ActivePair* pairs = nullptr;
  std::size_t count = 0;
  const std::int16_t* shorts = nullptr;
  std::size_t shortsPerBlock = 0;
  const std::int16_t* singles = nullptr;  ///< the last of an odd number of terms, or null
  float single = 0;                       ///< its weight times scale
  float unit = 0;
  float fineUnit = 0;  ///< 0: the coarse weights are enough
  // Mixed groups only.
  const std::int32_t* weightsOf = nullptr;  ///< per lane, where its weights start
  const float* weights = nullptr;
  const DeltaTerm* terms = nullptr;
  std::size_t termCount = 0;

  HWY_INLINE void skip(std::size_t blocks) {
    shorts += blocks * shortsPerBlock;
    if (singles != nullptr) singles += blocks * kSingleShorts;
    if (weightsOf != nullptr) weightsOf += blocks * kBlockLanes;
  }
};

/// A segment made ready for a frame.
class DeltaSetup {
 public:
  /// Finds the segment that holds `block`; returns how many of its blocks are left from there on.
  std::size_t find(const CorrectionJob& job, const PackedDeltas& deltas, std::size_t block, DeltaPart& part) {
    const DeltaSegment& segment = deltas.segments[deltas.segmentOf[block - deltas.firstBlock]];
    const std::size_t skipped = block - segment.firstBlock;
    part = {};
    part.pairs = pairs_;
    part.terms = deltas.terms.data() + segment.firstTerm;
    part.termCount = segment.terms;
    part.shortsPerBlock = segment.pairs() * kPairShorts;
    part.shorts = deltas.shorts.data() + segment.firstShort + skipped * part.shortsPerBlock;
    if (segment.odd()) part.singles = deltas.shorts.data() + segment.firstSingle() + skipped * kSingleShorts;
    part.weights = job.weights;
    if (segment.group == kMixedGroups) {
      part.weightsOf = deltas.weightsOf.data() + (block - deltas.firstBlock) * kBlockLanes;
    } else {
      part.weights += static_cast<std::size_t>(segment.group) * job.shapes;
      setWeights(job, segment, part);
    }
    return segment.blockCount - skipped;
  }

 private:
  void setWeights(const CorrectionJob& job, const DeltaSegment& segment, DeltaPart& part) {
    const std::size_t paired = 2 * std::size_t{segment.pairs()};
    float most = 0;
    float sum = 0;
    for (std::size_t t = 0; t < segment.terms; ++t) {
      const float weight = part.weights[part.terms[t].shape];
      const bool counts = weight > kLeastShapeWeight || weight < -kLeastShapeWeight;
      weights_[t] = counts ? weight * part.terms[t].scale : 0.0f;
      if (t >= paired) continue;
      const float size = weights_[t] < 0 ? -weights_[t] : weights_[t];
      most = std::max(most, size);
      sum += size;
    }
    if (segment.odd()) part.single = weights_[paired];
    if (part.single == 0) part.singles = nullptr;
    if (most == 0) return;
    part.unit = std::max(most / kMostWeight, sum / kMostWeights);
    const float steps = std::min(2 * kMostWeight, kMostWeights / (0.5f * static_cast<float>(paired) + 1));
    float left = 0;  // in units: what the coarse weights leave out
    for (std::size_t t = 0; t < paired; t += 2) {
      if (weights_[t] == 0 && weights_[t + 1] == 0) continue;
      ActivePair& pair = pairs_[part.count++];
      pair.offset = static_cast<std::uint32_t>(t / 2 * kPairShorts);
      for (std::size_t i = 0; i < 2; ++i) {
        const float units = weights_[t + i] / part.unit;
        const float whole = (units + kRounder) - kRounder;
        const float rest = units - whole;
        left += rest < 0 ? -rest : rest;
        pair.coarse[i] = static_cast<std::int16_t>(whole);
        pair.fine[i] = static_cast<std::int16_t>(rest * steps);
      }
    }
    if (left * kMostWeight * part.unit > job.coarse) part.fineUnit = part.unit / steps;
  }

  float weights_[kMostDeltaTerms];
  ActivePair pairs_[kMostDeltaTerms / 2];
};

/// sum + first * first' + second * second' of every pair of 16-bit numbers in a and b.
template <class V>
HWY_INLINE V addProducts(V sum, V a, V b) {
  const auto low = [](V v) HWY_ATTR { return hn::ShiftRight<16>(hn::ShiftLeft<16>(v)); };
  const auto high = [](V v) HWY_ATTR { return hn::ShiftRight<16>(v); };
  return hn::Add(sum, hn::Add(hn::Mul(low(a), low(b)), hn::Mul(high(a), high(b))));
}
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4
HWY_INLINE hn::Vec128<std::int32_t> addProducts(hn::Vec128<std::int32_t> sum, hn::Vec128<std::int32_t> a,
                                                hn::Vec128<std::int32_t> b) {
  return hn::Add(sum, hn::Vec128<std::int32_t>{_mm_madd_epi16(a.raw, b.raw)});
}
#endif
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
HWY_INLINE hn::Vec256<std::int32_t> addProducts(hn::Vec256<std::int32_t> sum, hn::Vec256<std::int32_t> a,
                                                hn::Vec256<std::int32_t> b) {
  return hn::Add(sum, hn::Vec256<std::int32_t>{_mm256_madd_epi16(a.raw, b.raw)});
}
#endif
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
HWY_INLINE hn::Vec512<std::int32_t> addProducts(hn::Vec512<std::int32_t> sum, hn::Vec512<std::int32_t> a,
                                                hn::Vec512<std::int32_t> b) {
  return hn::Add(sum, hn::Vec512<std::int32_t>{_mm512_madd_epi16(a.raw, b.raw)});
}
#endif

template <class V>
struct Triple {
  V x, y, z;
};
using Floats = hn::Vec<Wide>;
using Integers = hn::RebindToSigned<Wide>;

/// Pairs of 16-bit numbers, one in each lane.
HWY_INLINE hn::Vec<Integers> loadPairs(const std::int16_t* from) {
#if HWY_TARGET == HWY_SCALAR
  std::int32_t pair = 0;
  std::memcpy(&pair, from, sizeof(pair));
  return hn::Set(Integers(), pair);
#else
  return hn::Load(Integers(), reinterpret_cast<const std::int32_t*>(from));
#endif
}

/// p + unit * the sum over all pairs, by their coarse or fine weights.
template <bool kFine>
HWY_INLINE Triple<Floats> addPairs(const DeltaPart& part, const std::int16_t* block, float unit, Triple<Floats> p) {
  const Wide d;
  const Integers di;
  auto x = hn::Zero(di), y = hn::Zero(di), z = hn::Zero(di);
  for (std::size_t i = 0; i < part.count; ++i) {
    const ActivePair& pair = part.pairs[i];
    std::int32_t both = 0;
    std::memcpy(&both, kFine ? pair.fine : pair.coarse, sizeof(both));
    const auto weights = hn::Set(di, both);
    const std::int16_t* from = block + pair.offset;
    x = addProducts(x, loadPairs(from), weights);
    y = addProducts(y, loadPairs(from + 2 * kBlockLanes), weights);
    z = addProducts(z, loadPairs(from + 4 * kBlockLanes), weights);
  }
  const Floats by = hn::Set(d, unit);
  return {hn::MulAdd(by, hn::ConvertTo(d, x), p.x), hn::MulAdd(by, hn::ConvertTo(d, y), p.y),
          hn::MulAdd(by, hn::ConvertTo(d, z), p.z)};
}

/// p + by * a row of single terms.
HWY_INLINE Triple<Floats> addRow(const std::int16_t* row, Floats by, const Triple<Floats>& p) {
  const Wide d;
  return {hn::MulAdd(by, loadNormals(d, row), p.x), hn::MulAdd(by, loadNormals(d, row + kBlockLanes), p.y),
          hn::MulAdd(by, loadNormals(d, row + 2 * kBlockLanes), p.z)};
}

/// Sums where each lane has weights of its own: x, y, z of Lanes(Wide()) vertices at `rows`. Weights are collected one
/// by one, a few terms at a time: that is faster than gathering them.
HWY_NOINLINE void sumMixed(const DeltaPart& part, std::size_t b, std::size_t lane, float* rows) {
  constexpr std::size_t kTermsAtOnce = 16;
  const Wide d;
  const std::size_t lanes = hn::Lanes(d);
  alignas(64) float factors[kTermsAtOnce * kBlockLanes];
  const std::int32_t* weightsOf = part.weightsOf + b * kBlockLanes + lane;
  const std::int16_t* block = part.shorts + b * part.shortsPerBlock + 2 * lane;
  Triple<Floats> sum = {hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  for (std::size_t first = 0; first < part.termCount; first += kTermsAtOnce) {
    const std::size_t end = std::min(part.termCount, first + kTermsAtOnce);
    for (std::size_t l = 0; l < lanes; ++l) {
      const float* weights = part.weights + weightsOf[l];
      for (std::size_t t = first; t < end; ++t) factors[(t - first) * lanes + l] = weights[part.terms[t].shape];
    }
    for (std::size_t t = first; t < end; ++t) {
      const Floats by = hn::Mul(hn::Load(d, factors + (t - first) * lanes), hn::Set(d, part.terms[t].scale));
      if (t + 1 == part.termCount && part.singles != nullptr) {
        sum = addRow(part.singles + b * kSingleShorts + lane, by, sum);
        continue;
      }
      const auto number = [&](std::size_t c) HWY_ATTR {
        const auto both = loadPairs(block + t / 2 * kPairShorts + 2 * c * kBlockLanes);
        return hn::ConvertTo(d, hn::ShiftRight<16>(t % 2 == 0 ? hn::ShiftLeft<16>(both) : both));
      };
      sum = {hn::MulAdd(by, number(0), sum.x), hn::MulAdd(by, number(1), sum.y), hn::MulAdd(by, number(2), sum.z)};
    }
  }
  hn::Store(sum.x, d, rows);
  hn::Store(sum.y, d, rows + lanes);
  hn::Store(sum.z, d, rows + 2 * lanes);
}

/// p + the deltas of lanes [lane, lane + Lanes(Wide())) of block b.
HWY_INLINE Triple<Floats> addDeltas(const DeltaPart& part, std::size_t b, std::size_t lane, Triple<Floats> p) {
  const Wide d;
  if (part.weightsOf != nullptr) {
    alignas(64) float rows[kSingleShorts];
    sumMixed(part, b, lane, rows);
    return {hn::Add(p.x, hn::Load(d, rows)), hn::Add(p.y, hn::Load(d, rows + hn::Lanes(d))),
            hn::Add(p.z, hn::Load(d, rows + 2 * hn::Lanes(d)))};
  }
  const std::int16_t* block = part.shorts + b * part.shortsPerBlock + 2 * lane;
  p = addPairs<false>(part, block, part.unit, p);
  if (part.fineUnit != 0) p = addPairs<true>(part, block, part.fineUnit, p);
  if (part.singles != nullptr) p = addRow(part.singles + b * kSingleShorts + lane, hn::Set(d, part.single), p);
  return p;
}

/// The deltas of one block as 16 x, 16 y, 16 z.
HWY_INLINE void deltasOfBlock(const DeltaPart& part, std::size_t b, float* rows) {
  const Wide d;
  for (std::size_t lane = 0; lane < kBlockLanes; lane += hn::Lanes(d)) {
    const auto sum = addDeltas(part, b, lane, {hn::Zero(d), hn::Zero(d), hn::Zero(d)});
    hn::Store(sum.x, d, rows + lane);
    hn::Store(sum.y, d, rows + kBlockLanes + lane);
    hn::Store(sum.z, d, rows + 2 * kBlockLanes + lane);
  }
}

}  // namespace
}  // namespace sinew::play::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
