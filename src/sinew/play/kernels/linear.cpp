// Linear blend of packed runs. Inside a run the matrices are constants, so a loop over 16 vertices at a time reads
// positions and weights and no joint indices:
//   x' = M_0 x + sum_{j=1}^{K-1} w_j (D_j x),  D_j = M_j - M_0,
// 9 + 12 (K - 1) multiply-adds per vertex. With normals the matrix is blended first and serves both. Vertices outside
// runs blend the four columns of their matrices.
#include "sinew/play/kernels/instruction_set.h"
#include "sinew/play/kernels/kernels.h"
#include "sinew/play/kernels/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sinew/play/kernels/linear.cpp"
#include <hwy/foreach_target.h>
//
#include "sinew/play/kernels/matrix_inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew::play::kernels::HWY_NAMESPACE {
namespace {

/// One vertex after the other, by columns of 4 floats.
template <std::size_t kBones, bool kNormals>
HWY_INLINE void moveOneByOne(const float* palette, std::size_t bones, const Stretch& s) {
  const hn::CappedTag<float, 4> d;
  forEachLone(bones, s, [&](const LoneVertex& vertex, std::size_t i) HWY_ATTR {
    float normal[3];
    float moved[4];
    float turned[4];
    if constexpr (kNormals) {
      for (std::size_t c = 0; c < 3; ++c) normal[c] = s.normals[3 * i + c];
    }
    for (std::size_t part = 0; part < 4; part += hn::Lanes(d)) {
      moveRows<kBones>(d, palette + part, vertex, kNormals ? normal : nullptr, moved + part, turned + part);
    }
    std::memcpy(s.positionsOut + 3 * i, moved, 3 * sizeof(float));
    if constexpr (kNormals) {
      const float squared = turned[0] * turned[0] + turned[1] * turned[1] + turned[2] * turned[2] + kLeastSquare;
      const float scale = hn::GetLane(reciprocalRoot<true>(d, hn::Set(d, squared)));
      for (std::size_t c = 0; c < 3; ++c) turned[c] *= scale;
      storeNormal(turned, s.normalsOut, i);
    }
  });
}

class LinearSkinner {
 public:
  explicit LinearSkinner(const SkinJob& job) : job_(job) {}

  void prepare(const PackedRun& run) {
    if (run.kind != RunKind::Shared) return;
    const std::uint16_t* bones = job_.layout->bones.data() + run.firstBone;
    prepareMatrices(job_.palette, bones, run.bones, constants_);
    if (job_.wantsNormals()) constants_.turnsOnly = turnsOnly(job_.palette, bones, run.bones);
  }

  void skin(const PackedRun& run, const Stretch& stretch) const {
    if (run.kind == RunKind::Shared) {
      switch (run.bones) {
        case 1:
          return moveOne(run, stretch);
        case 2:
          return move<2>(run, stretch);
        case 3:
          return move<3>(run, stretch);
        case 4:
          return move<4>(run, stretch);
        default:
          return move<0>(run, stretch);
      }
    }
    if (stretch.normals != nullptr) return moveOneByOne<0, true>(job_.palette, run.bones, stretch);
    if (run.bones == 4) return moveOneByOne<4, false>(job_.palette, run.bones, stretch);
    moveOneByOne<0, false>(job_.palette, run.bones, stretch);
  }

 private:
  [[nodiscard]] bool wantsTurns(const Stretch& s) const {
    return s.normalsOut.packed != nullptr && constants_.turnsOnly;
  }

  /// One joint moves as fast as memory gives, so narrow vectors, which store in fewer steps, are enough for it.
  HWY_INLINE void moveOne(const PackedRun& run, const Stretch& s) const {
    if (s.normals == nullptr) return movePoints<1>(Narrow(), constants_, 1, s);
    if (!constants_.turnsOnly) return move<1>(run, s);
    if (s.normalsOut.packed != nullptr) return turnPointsAndNormals<1>(Narrow(), constants_, s);
    movePointsAndNormals<1, Normals::Floats, true>(Narrow(), constants_, 1, s);
  }

  template <std::size_t kBones>
  HWY_INLINE void move(const PackedRun& run, const Stretch& s) const {
    if constexpr (kBones > 0) {
      if (wantsTurns(s)) return turnPointsAndNormals<kBones>(Wide(), constants_, s);
    }
    if (s.normalsOut.floats != nullptr) {
      movePointsAndNormals<kBones, Normals::Floats, false>(Wide(), constants_, run.bones, s);
    } else if (s.normalsOut.packed != nullptr) {
      movePointsAndNormals<kBones, Normals::Packed, false>(Wide(), constants_, run.bones, s);
    } else if constexpr (kBones == 0) {
      movePointsByMany(Wide(), constants_, run.bones, s);
    } else {
      movePoints<kBones>(Wide(), constants_, kBones, s);
    }
  }

  const SkinJob& job_;
  MatrixConstants constants_;
};

void linear(const SkinJob& job, std::uint32_t first, std::uint32_t end) {
  LinearSkinner skinner(job);
  skinBlocks(job, first, end, skinner);
}

std::int64_t target() {
  return HWY_TARGET;
}

}  // namespace
}  // namespace sinew::play::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinew::play::kernels {

SINEW_KERNEL_TABLE(linear);
SINEW_KERNEL_TABLE(target);

void linearBlocks(const SkinJob& job, std::uint32_t first, std::uint32_t end) {
  SINEW_KERNEL(linear, job)(job, first, end);
}

const char* instructionSetName(std::size_t set) {
  const auto known = SINEW_TABLE_OF(target)[set];
  return known == nullptr ? nullptr : hwy::TargetName(known());
}

}  // namespace sinew::play::kernels
#endif
