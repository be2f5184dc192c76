// The two blends with deltas on the way. Included once per instruction set, so the guard toggles.
#if defined(SINEW_PLAY_CORRECTED_BLEND_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SINEW_PLAY_CORRECTED_BLEND_INL_H
#undef SINEW_PLAY_CORRECTED_BLEND_INL_H
#else
#define SINEW_PLAY_CORRECTED_BLEND_INL_H
#endif

#include "sinew/play/kernels/deltas_inl.h"
#include "sinew/play/kernels/matrix_inl.h"
#include "sinew/play/kernels/quaternion_constants_inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew::play::kernels::HWY_NAMESPACE {
namespace {

/// What becomes of the delta after the blend.
enum class After : std::uint8_t { None, Turn, Frame };

constexpr std::size_t kTurnFloats = 12;  ///< 3 x 3 by columns of 4

/// Deltas of the current blocks: those of one segment of each kind.
struct Deltas {
  DeltaPart before;
  DeltaPart after;

  HWY_INLINE void skip(std::size_t blocks) {
    before.skip(blocks);
    after.skip(blocks);
  }
};

template <class D>
HWY_INLINE Triple<hn::Vec<D>> loadTriple(D d, const float* rows) {
  return {hn::Load(d, rows), hn::Load(d, rows + kBlockLanes), hn::Load(d, rows + 2 * kBlockLanes)};
}

/// q = entries_0 + sum_j w_j entries_j
template <std::size_t kBones, std::size_t kParts, class D>
HWY_INLINE void blendQuaternions(D d, const float* entries, std::size_t bones, const float* weights,
                                 hn::Vec<D> (&q)[kParts]) {
  SINEW_UNROLL
  for (std::size_t c = 0; c < kParts; ++c) q[c] = hn::Set(d, entries[c]);
  forEachFurther<kBones>(bones, [&](std::size_t j) HWY_ATTR {
    const auto w = hn::Load(d, weights + (j - 1) * kBlockLanes);
    SINEW_UNROLL
    for (std::size_t c = 0; c < kParts; ++c) q[c] = hn::MulAdd(w, hn::Set(d, entries[kParts * j + c]), q[c]);
  });
}

template <class D, class V>
HWY_INLINE V twiceOverSquare(D d, V rx, V ry, V rz, V a) {
  return hn::Div(hn::Set(d, 2.0f), hn::MulAdd(rx, rx, hn::MulAdd(ry, ry, hn::MulAdd(rz, rz, hn::Mul(a, a)))));
}

/// p + T v
template <class V>
HWY_INLINE void addTurned(V rx, V ry, V rz, V a, V twice, const Triple<V>& v, Triple<V>& p) {
  const V tx = hn::MulAdd(a, v.x, crossPart(ry, rz, v.y, v.z));
  const V ty = hn::MulAdd(a, v.y, crossPart(rz, rx, v.z, v.x));
  const V tz = hn::MulAdd(a, v.z, crossPart(rx, ry, v.x, v.y));
  p.x = hn::MulAdd(twice, crossPart(ry, rz, ty, tz), hn::Add(p.x, v.x));
  p.y = hn::MulAdd(twice, crossPart(rz, rx, tz, tx), hn::Add(p.y, v.y));
  p.z = hn::MulAdd(twice, crossPart(rx, ry, tx, ty), hn::Add(p.z, v.z));
}

/// p + turn * v
template <class D, class V>
HWY_INLINE void addTurned(D d, const float* turn, const Triple<V>& v, Triple<V>& p) {
  const auto row = [&](std::size_t r, V sum) HWY_ATTR {
    return hn::MulAdd(hn::Set(d, turn[r]), v.x,
                      hn::MulAdd(hn::Set(d, turn[4 + r]), v.y, hn::MulAdd(hn::Set(d, turn[8 + r]), v.z, sum)));
  };
  p = {row(0, p.x), row(1, p.y), row(2, p.z)};
}

/// Constants of a run for both operators.
struct RunConstants {
  MatrixConstants matrices;
  QuaternionConstants<kRealParts> quaternions;
  QuaternionConstants<kDualParts> duals;
  alignas(64) float turn[kTurnFloats];
};

/// A copy of constants in memory that nothing written can overlap, so that they may stay in registers. kCount 0: the
/// constants themselves.
template <std::size_t kCount>
struct LocalFloats {
  alignas(64) float entries[kCount];
  explicit LocalFloats(const float* from) { std::memcpy(entries, from, sizeof(entries)); }
};
template <>
struct LocalFloats<0> {
  const float* entries;
  explicit LocalFloats(const float* from) : entries(from) {}
};

/// Linear blend. `weights` are those of the quaternions: `joints` - 1 rows.
template <std::size_t kBones, bool kBefore, After kAfter>
HWY_INLINE void moveLinearly(const RunConstants& constants, std::size_t bones, const Stretch& s, const Deltas& deltas,
                             WeightRows weights, std::size_t joints) {
  const Wide d;
  using V = Floats;
  const LocalFloats<kEntries * kBones> matrices(constants.matrices.entries);
  const LocalFloats<kRealParts * kBones> quaternions(constants.quaternions.entries);
  const LocalFloats<kTurnFloats> turn(constants.turn);
  const DeltaPart before = deltas.before;
  const DeltaPart after = deltas.after;
  const std::size_t lanes = hn::Lanes(d);
  const bool streamed = s.streamed;
  if constexpr (kBones > 0) bones = kBones;
  const float* rest = s.rest;
  float* out = s.positionsOut;
  for (std::size_t b = 0; b < s.blocks; ++b, rest += (2 + bones) * kBlockLanes, out += 3 * kBlockLanes) {
    for (std::size_t lane = 0; lane < kBlockLanes; lane += lanes) {
      Triple<V> p = loadTriple(d, rest + lane);
      if constexpr (kBefore) p = addDeltas(before, b, lane, p);
      Triple<V> moved = {rowTimes(d, matrices.entries, 0, p.x, p.y, p.z),
                         rowTimes(d, matrices.entries, 1, p.x, p.y, p.z),
                         rowTimes(d, matrices.entries, 2, p.x, p.y, p.z)};
      forEachFurther<kBones>(bones, [&](std::size_t j) HWY_ATTR {
        const V w = hn::Load(d, rest + (2 + j) * kBlockLanes + lane);
        const float* matrix = matrices.entries + kEntries * j;
        moved.x = hn::MulAdd(w, rowTimes(d, matrix, 0, p.x, p.y, p.z), moved.x);
        moved.y = hn::MulAdd(w, rowTimes(d, matrix, 1, p.x, p.y, p.z), moved.y);
        moved.z = hn::MulAdd(w, rowTimes(d, matrix, 2, p.x, p.y, p.z), moved.z);
      });
      if constexpr (kAfter != After::None) {
        const Triple<V> delta = addDeltas(after, b, lane, {hn::Zero(d), hn::Zero(d), hn::Zero(d)});
        if constexpr (kAfter == After::Turn) {
          addTurned(d, turn.entries, delta, moved);
        } else {
          V q[kRealParts];
          blendQuaternions<kBones>(d, quaternions.entries, joints, weights.first + b * weights.stride + lane, q);
          addTurned(q[0], q[1], q[2], q[3], twiceOverSquare(d, q[0], q[1], q[2], q[3]), delta, moved);
        }
      }
      storeTriples(d, moved.x, moved.y, moved.z, streamed, out + 3 * lane);
    }
  }
}

/// Dual quaternion blend. It turns what is added before it as the vertex turns, so it needs no After::Frame.
template <std::size_t kBones, bool kBefore, After kAfter>
HWY_INLINE void moveRigidly(const RunConstants& constants, std::size_t bones, const Stretch& s, const Deltas& deltas,
                            WeightRows weights, std::size_t joints) {
  const Wide d;
  using V = Floats;
  const LocalFloats<kDualParts * kBones> duals(constants.duals.entries);
  const LocalFloats<kTurnFloats> turn(constants.turn);
  const DeltaPart before = deltas.before;
  const DeltaPart after = deltas.after;
  const std::size_t lanes = hn::Lanes(d);
  const float* rest = s.rest;
  for (std::size_t b = 0; b < s.blocks; ++b, rest += (2 + bones) * kBlockLanes) {
    for (std::size_t lane = 0; lane < kBlockLanes; lane += lanes) {
      V q[kDualParts];
      blendQuaternions<kBones>(d, duals.entries, joints, weights.first + b * weights.stride + lane, q);
      const V rx = q[0], ry = q[1], rz = q[2], a = q[3], dx = q[4], dy = q[5], dz = q[6], e = q[7];
      const V twice = twiceOverSquare(d, rx, ry, rz, a);
      Triple<V> p = loadTriple(d, rest + lane);
      if constexpr (kBefore) p = addDeltas(before, b, lane, p);
      const V tx = hn::MulAdd(a, p.x, hn::Add(crossPart(ry, rz, p.y, p.z), dx));
      const V ty = hn::MulAdd(a, p.y, hn::Add(crossPart(rz, rx, p.z, p.x), dy));
      const V tz = hn::MulAdd(a, p.z, hn::Add(crossPart(rx, ry, p.x, p.y), dz));
      const V ux = hn::MulAdd(a, dx, hn::NegMulAdd(e, rx, crossPart(ry, rz, ty, tz)));
      const V uy = hn::MulAdd(a, dy, hn::NegMulAdd(e, ry, crossPart(rz, rx, tz, tx)));
      const V uz = hn::MulAdd(a, dz, hn::NegMulAdd(e, rz, crossPart(rx, ry, tx, ty)));
      Triple<V> moved = {hn::MulAdd(twice, ux, p.x), hn::MulAdd(twice, uy, p.y), hn::MulAdd(twice, uz, p.z)};
      if constexpr (kAfter == After::Turn) {
        addTurned(d, turn.entries, addDeltas(after, b, lane, {hn::Zero(d), hn::Zero(d), hn::Zero(d)}), moved);
      }
      storeTriples(d, moved.x, moved.y, moved.z, s.streamed, s.positionsOut + 3 * (b * kBlockLanes + lane));
    }
  }
}

/// Single vertices: skin(vertex, moved) moves one, turn(vertex, delta, turned) turns what is added after that. Deltas
/// that are not wanted have no terms.
template <class Skin, class Turn>
HWY_INLINE void moveLone(std::size_t bones, const Stretch& s, const Deltas& deltas, const Skin& skin,
                         const Turn& turn) {
  alignas(64) float before[kSingleShorts];
  alignas(64) float after[kSingleShorts];
  forEachLone(bones, s, [&](const LoneVertex& vertex, std::size_t i) HWY_ATTR {
    const std::size_t lane = i % kBlockLanes;
    if (lane == 0) {
      deltasOfBlock(deltas.before, i / kBlockLanes, before);
      deltasOfBlock(deltas.after, i / kBlockLanes, after);
    }
    float point[3];
    float delta[3];
    for (std::size_t c = 0; c < 3; ++c) {
      point[c] = vertex.point[c] + before[c * kBlockLanes + lane];
      delta[c] = after[c * kBlockLanes + lane];
    }
    LoneVertex corrected = vertex;
    corrected.point = point;
    float moved[4];
    float turned[3];
    skin(corrected, moved);
    turn(vertex, delta, turned);
    for (std::size_t c = 0; c < 3; ++c) s.positionsOut[3 * i + c] = moved[c] + turned[c];
  });
}

}  // namespace
}  // namespace sinew::play::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
