// Corrected runs: deltas are summed on the way through the blend,
//   x' = M (x + before) + T after,
// with M the blend of linear.cpp or dual_quaternion.cpp, and T either one rotation for the run or that
// of the vertex: of the quaternion q = (r, a) blended as a dual quaternion is,
//   T v = v + 2 / |q|^2 r x (r x v + a v).
// In a run of one joint that is one rotation too.
#include "sinew/play/kernels/kernels.h"
#include "sinew/play/kernels/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sinew/play/kernels/corrected.cpp"
#include <hwy/foreach_target.h>
//
#include "sinew/play/kernels/corrected_blend_inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew::play::kernels::HWY_NAMESPACE {
namespace {

enum class Operator : std::uint8_t { Linear, DualQuaternion };

template <Operator kOperator>
class CorrectedSkinner {
 public:
  explicit CorrectedSkinner(const CorrectionJob& job) : job_(job) {}

  void prepare(const PackedRun& run) {
    if (!framed() && job_.after != nullptr) {
      std::memcpy(constants_.turn, job_.turns + kTurnFloats * (run.vertexClass - 1), sizeof(constants_.turn));
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
    std::size_t before = 0;  // blocks left in the current segments
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
}  // namespace sinew::play::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinew::play::kernels {

SINEW_KERNEL_TABLE(correctedLinear);
SINEW_KERNEL_TABLE(correctedDualQuaternion);

void correctedLinearBlocks(const CorrectionJob& job, std::uint32_t first, std::uint32_t end) {
  SINEW_KERNEL(correctedLinear, job)(job, first, end);
}

void correctedDualQuaternionBlocks(const CorrectionJob& job, std::uint32_t first, std::uint32_t end) {
  SINEW_KERNEL(correctedDualQuaternion, job)(job, first, end);
}

}  // namespace sinew::play::kernels
#endif
