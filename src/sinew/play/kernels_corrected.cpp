// Corrected runs: deltas are summed on the way through the blend,
//   x' = M (x + before) + T after,
// with M the blend of kernels_linear.cpp or kernels_dual_quaternion.cpp, and T either one rotation for the run or that
// of the vertex: of the quaternion q = (r, a) blended as a dual quaternion is,
//   T v = v + 2 / |q|^2 r x (r x v + a v).
// In a run of one joint that is one rotation too.
#include "sinew/play/kernels.h"
#include "sinew/play/kernels_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sinew/play/kernels_corrected.cpp"
#include <hwy/foreach_target.h>
//
#include "sinew/play/delta_kernels_inl.h"
#include "sinew/play/matrix_kernels_inl.h"
#include "sinew/play/quaternion_constants_inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew::detail::HWY_NAMESPACE {
namespace {

/// What becomes of the delta after the blend.
enum class After : std::uint8_t { None, Turn, Frame };

constexpr std::size_t kTurnFloats = 12;  ///< 3 x 3 by columns of 4

/// Deltas of the blocks at hand: those of one segment of each kind.
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

enum class Operator : std::uint8_t { Linear, DualQuaternion };

template <Operator kOperator>
class CorrectedSkinner {
 public:
  explicit CorrectedSkinner(const CorrectionJob& job) : job_(job) {}

  void prepare(const PackedRun& run) {
    if (!framed() && job_.after != nullptr) {
      std::memcpy(constants_.turn, job_.turns + kTurnFloats * run.vertexClass, sizeof(constants_.turn));
    }
    if (run.kind != RunKind::Shared) return;
    const std::uint16_t* bones = job_.layout->bones.data() + run.firstBone;
    if constexpr (kOperator == Operator::Linear) {
      prepareMatrices(job_.palette, bones, run.bones, constants_.matrices);
      if (!framed()) return;
      if (run.bones == 1) return axes(job_.quaternions + kRealParts * bones[0], constants_.turn);
      constants_.quaternions.prepare(job_.quaternions, bones, run.bones);
    } else {
      const float* first = job_.palette + kDualParts * bones[0];
      if (run.bones > 1) return constants_.duals.prepare(job_.palette, bones, run.bones);
      const float origin[3] = {0, 0, 0};
      axes(first, constants_.matrices.entries);
      moveOne(first, false, origin, constants_.matrices.entries + 12);
    }
  }

  void skin(const PackedRun& run, Stretch s) const {
    DeltaSetup beforeSetup;
    DeltaSetup afterSetup;
    Deltas deltas;
    std::size_t before = 0;  // blocks that are left of the segments at hand
    std::size_t after = 0;
    for (std::size_t left = s.blocks; left > 0; left -= s.blocks) {
      s.blocks = left;
      if (job_.before != nullptr) {
        if (before == 0) before = beforeSetup.find(job_, *job_.before, s.firstBlock, deltas.before);
        s.blocks = std::min(s.blocks, before);
      }
      if (job_.after != nullptr) {
        if (after == 0) after = afterSetup.find(job_, *job_.after, s.firstBlock, deltas.after);
        s.blocks = std::min(s.blocks, after);
      }
      move(run, s, deltas);
      before -= std::min(before, s.blocks);
      after -= std::min(after, s.blocks);
      deltas.skip(s.blocks);
      s.rest += s.blocks * run.floatsPerBlock();
      s.pivots += s.blocks * kBlockLanes;
      s.firstBlock += s.blocks;
      s.positionsOut += s.blocks * 3 * kBlockLanes;
    }
  }

 private:
  /// Where a quaternion turns the three axes, by columns of 4.
  static void axes(const float* q, float* columns) {
    const float unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (std::size_t c = 0; c < 3; ++c) moveOne(q, true, unit[c], columns + 4 * c);
  }

  [[nodiscard]] bool framed() const { return job_.quaternions != nullptr; }

  HWY_INLINE void move(const PackedRun& run, const Stretch& s, const Deltas& deltas) const {
    if (run.kind == RunKind::PerVertex) return moveOneByOne(run.bones, s, deltas);
    if (job_.after == nullptr) return moveBy<true, After::None>(run, s, deltas);
    if (job_.before != nullptr) return moveBy<true, After::Turn>(run, s, deltas);
    if constexpr (kOperator == Operator::Linear) {
      if (framed() && run.bones > 1) return moveBy<false, After::Frame>(run, s, deltas);
    }
    moveBy<false, After::Turn>(run, s, deltas);
  }

  template <bool kBefore, After kAfter>
  HWY_INLINE void moveBy(const PackedRun& run, const Stretch& s, const Deltas& deltas) const {
    constexpr bool kBlends = kOperator == Operator::DualQuaternion || kAfter == After::Frame;
    if (kBlends && run.bones > 1 && !oneHemisphere()) return moveSigned<kBefore, kAfter>(run, s, deltas);
    const WeightRows weights{s.rest + 3 * kBlockLanes, run.floatsPerBlock()};
    switch (run.bones) {
      case 1:
        return moveLinearly < 1, kBefore,
               kAfter == After::Frame ? After::Turn : kAfter > (constants_, 1, s, deltas, weights, 1);
      case 2:
        return blend<2, kBefore, kAfter>(2, s, deltas, weights, 2);
      case 3:
        return blend<3, kBefore, kAfter>(3, s, deltas, weights, 3);
      case 4:
        return blend<4, kBefore, kAfter>(4, s, deltas, weights, 4);
      default:
        return blend<0, kBefore, kAfter>(run.bones, s, deltas, weights, run.bones);
    }
  }

  template <std::size_t kBones, bool kBefore, After kAfter>
  HWY_INLINE void blend(std::size_t bones, const Stretch& s, const Deltas& deltas, const WeightRows& weights,
                        std::size_t joints) const {
    if constexpr (kOperator == Operator::Linear) {
      moveLinearly<kBones, kBefore, kAfter>(constants_, bones, s, deltas, weights, joints);
    } else {
      moveRigidly<kBones, kBefore, kAfter>(constants_, bones, s, deltas, weights, joints);
    }
  }

  [[nodiscard]] bool oneHemisphere() const {
    return kOperator == Operator::Linear ? constants_.quaternions.oneHemisphere : constants_.duals.oneHemisphere;
  }

  /// Block by block, with all weights of the quaternions written out under the signs of each vertex's pivot.
  template <bool kBefore, After kAfter>
  HWY_INLINE void moveSigned(const PackedRun& run, Stretch s, Deltas deltas) const {
    alignas(64) float weights[kMostRunBones * kBlockLanes];
    const std::size_t blocks = s.blocks;
    s.blocks = 1;
    for (std::size_t b = 0; b < blocks; ++b) {
      if constexpr (kOperator == Operator::Linear) {
        constants_.quaternions.signWeights(run.bones, s.rest, s.pivots, weights);
      } else {
        constants_.duals.signWeights(run.bones, s.rest, s.pivots, weights);
      }
      blend<0, kBefore, kAfter>(run.bones, s, deltas, {weights, 0}, run.bones + std::size_t{1});
      s.rest += run.floatsPerBlock();
      s.pivots += kBlockLanes;
      s.positionsOut += 3 * kBlockLanes;
      deltas.skip(1);
    }
  }

  HWY_INLINE void moveOneByOne(std::size_t bones, const Stretch& s, const Deltas& deltas) const {
    moveLone(
        bones, s, deltas, [&](const LoneVertex& vertex, float* moved) HWY_ATTR { skinLone(vertex, moved); },
        [&](const LoneVertex& vertex, const float* delta, float* turned) HWY_ATTR {
          if (job_.after == nullptr) {
            std::fill_n(turned, 3, 0.0f);
            return;
          }
          if (framed()) {
            float q[kRealParts];
            blendLone<kRealParts>(job_.quaternions, vertex, q);
            return moveOne(q, true, delta, turned);
          }
          const float* m = constants_.turn;
          for (std::size_t r = 0; r < 3; ++r) turned[r] = m[r] * delta[0] + m[4 + r] * delta[1] + m[8 + r] * delta[2];
        });
  }

  HWY_INLINE void skinLone(const LoneVertex& vertex, float* moved) const {
    if constexpr (kOperator == Operator::Linear) {
      const hn::CappedTag<float, 4> d;
      for (std::size_t part = 0; part < 4; part += hn::Lanes(d)) {
        moveRows<0>(d, job_.palette + part, vertex, nullptr, moved + part, nullptr);
      }
    } else {
      float q[kDualParts];
      blendLone<kDualParts>(job_.palette, vertex, q);
      moveOne(q, false, vertex.point, moved);
    }
  }

  const CorrectionJob& job_;
  RunConstants constants_;
};

void correctedLinear(const CorrectionJob& job, std::uint32_t first, std::uint32_t end) {
  CorrectedSkinner<Operator::Linear> skinner(job);
  skinBlocks(job, first, end, skinner);
}

void correctedDualQuaternion(const CorrectionJob& job, std::uint32_t first, std::uint32_t end) {
  CorrectedSkinner<Operator::DualQuaternion> skinner(job);
  skinBlocks(job, first, end, skinner);
}

}  // namespace
}  // namespace sinew::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinew::detail {

HWY_EXPORT(correctedLinear);
HWY_EXPORT(correctedDualQuaternion);

void correctedLinearBlocks(const CorrectionJob& job, std::uint32_t first, std::uint32_t end) {
  HWY_DYNAMIC_DISPATCH(correctedLinear)(job, first, end);
}

void correctedDualQuaternionBlocks(const CorrectionJob& job, std::uint32_t first, std::uint32_t end) {
  HWY_DYNAMIC_DISPATCH(correctedDualQuaternion)(job, first, end);
}

}  // namespace sinew::detail
#endif
