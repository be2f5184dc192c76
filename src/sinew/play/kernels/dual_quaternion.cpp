// Dual quaternion blending (Kavan, Collins, Zara, O'Sullivan 2007) of packed runs. With b = sum_j s_j w_j q_j, its real
// part (r, a) and its dual part (d, e) (vector, scalar), the rigid motion of b / |real(b)| is
//   x' = x + 2 / |real(b)|^2 * ( r x (r x x + a x + d) + a d - e r ),
// so no root is taken. The sign s_j puts q_j into the hemisphere of q_p, p the joint of the vertex's largest weight.
// Where all quaternions of a run lie in one hemisphere after turning them to that of joint 0, the signs do not depend
// on p and the run's constants are q_0 and q_j - q_0, as in the linear blend. Else the signed weights of each vertex
// are written out first and the same loop runs with a zero base and one joint more.
#include "sinew/play/kernels/kernels.h"

#include "sinew/play/kernels/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sinew/play/kernels/dual_quaternion.cpp"
#include <hwy/foreach_target.h>
//
#include "sinew/play/kernels/matrix_inl.h"
#include "sinew/play/kernels/quaternion_constants_inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew::play::kernels::HWY_NAMESPACE {
namespace {

template <std::size_t kBones, Normals kNormals, class D>
HWY_INLINE void moveRigidly(D d, const float* constants, std::size_t bones, std::size_t restStride, WeightRows weights,
                            const Stretch& s) {
  using V = hn::Vec<D>;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t b = 0; b < s.blocks; ++b) {
    for (std::size_t lane = 0; lane < kBlockLanes; lane += lanes) {
      const float* w = weights.first + b * weights.stride + lane;
      V q[kDualParts];
      SINEW_UNROLL
      for (std::size_t c = 0; c < kDualParts; ++c) q[c] = hn::Set(d, constants[c]);
      forEachFurther<kBones>(bones, [&](std::size_t j) HWY_ATTR {
        const V wj = hn::Load(d, w + (j - 1) * kBlockLanes);
        SINEW_UNROLL
        for (std::size_t c = 0; c < kDualParts; ++c)
          q[c] = hn::MulAdd(wj, hn::Set(d, constants[kDualParts * j + c]), q[c]);
      });
      const V rx = q[0], ry = q[1], rz = q[2], a = q[3], dx = q[4], dy = q[5], dz = q[6], e = q[7];
      const V squared = hn::MulAdd(rx, rx, hn::MulAdd(ry, ry, hn::MulAdd(rz, rz, hn::Mul(a, a))));
      const V twice = hn::Div(hn::Set(d, 2.0f), squared);
      const float* rest = s.rest + b * restStride + lane;
      const V x = hn::Load(d, rest), y = hn::Load(d, rest + kBlockLanes), z = hn::Load(d, rest + 2 * kBlockLanes);
      // t = r x x + a x + d
      const V tx = hn::MulAdd(a, x, hn::Add(crossPart(ry, rz, y, z), dx));
      const V ty = hn::MulAdd(a, y, hn::Add(crossPart(rz, rx, z, x), dy));
      const V tz = hn::MulAdd(a, z, hn::Add(crossPart(rx, ry, x, y), dz));
      // r x t + a d - e r
      const V ux = hn::MulAdd(a, dx, hn::NegMulAdd(e, rx, crossPart(ry, rz, ty, tz)));
      const V uy = hn::MulAdd(a, dy, hn::NegMulAdd(e, ry, crossPart(rz, rx, tz, tx)));
      const V uz = hn::MulAdd(a, dz, hn::NegMulAdd(e, rz, crossPart(rx, ry, tx, ty)));
      const std::size_t place = b * kBlockLanes + lane;
      storeTriples(d, hn::MulAdd(twice, ux, x), hn::MulAdd(twice, uy, y), hn::MulAdd(twice, uz, z), s.streamed,
                   s.positionsOut + 3 * place);
      if constexpr (kNormals != Normals::None) {
        const std::int16_t* normals = s.normals + b * kNormalShorts + lane;
        const V nx = loadNormals(d, normals);
        const V ny = loadNormals(d, normals + kBlockLanes);
        const V nz = loadNormals(d, normals + 2 * kBlockLanes);
        const V px = hn::MulAdd(a, nx, crossPart(ry, rz, ny, nz));
        const V py = hn::MulAdd(a, ny, crossPart(rz, rx, nz, nx));
        const V pz = hn::MulAdd(a, nz, crossPart(rx, ry, nx, ny));
        const V scale = hn::Set(d, (kNormals == Normals::Floats ? 1.0f : kPackedScale) / kNormalScale);
        storeNormals<kNormals>(d, hn::MulAdd(twice, crossPart(ry, rz, py, pz), nx),
                               hn::MulAdd(twice, crossPart(rz, rx, pz, px), ny),
                               hn::MulAdd(twice, crossPart(rx, ry, px, py), nz), scale, s.normalsOut, place);
      }
    }
  }
}

/// Vertices one after the other; the first of their joints has the largest weight.
HWY_INLINE void moveOneByOne(const float* palette, std::size_t bones, const Stretch& s) {
  forEachLone(bones, s, [&](const LoneVertex& vertex, std::size_t i) HWY_ATTR {
    float blended[kDualParts];
    blendLone<kDualParts>(palette, vertex, blended);
    moveOne(blended, false, vertex.point, s.positionsOut + 3 * i);
    if (s.normals == nullptr) return;
    float normal[3];
    for (std::size_t c = 0; c < 3; ++c) normal[c] = static_cast<float>(s.normals[3 * i + c]) / kNormalScale;
    float turned[3];
    moveOne(blended, true, normal, turned);
    storeNormal(turned, s.normalsOut, i);
  });
}

class DualQuaternionSkinner {
 public:
  explicit DualQuaternionSkinner(const SkinJob& job) : job_(job) {}

  void prepare(const PackedRun& run) {
    if (run.kind != RunKind::Shared) return;
    const std::uint16_t* bones = job_.layout->bones.data() + run.firstBone;
    if (run.bones == 1) return prepareMatrix(job_.palette + kDualParts * bones[0]);
    constants_.prepare(job_.palette, bones, run.bones);
  }

  void skin(const PackedRun& run, const Stretch& stretch) const {
    if (run.kind == RunKind::PerVertex) {
      moveOneByOne(job_.palette, run.bones, stretch);
      return;
    }
    if (run.bones > 1 && !constants_.oneHemisphere) return skinSigned(run, stretch);
    const std::size_t stride = run.floatsPerBlock();
    const WeightRows weights{stretch.rest + 3 * kBlockLanes, stride};
    switch (run.bones) {
      case 1:
        return moveByMatrix(stretch);
      case 2:
        return move<2>(run.bones, stride, weights, stretch);
      case 3:
        return move<3>(run.bones, stride, weights, stretch);
      case 4:
        return move<4>(run.bones, stride, weights, stretch);
      default:
        return move<0>(run.bones, stride, weights, stretch);
    }
  }

 private:
  /// The matrix of one dual quaternion: its columns are where the axes go.
  void prepareMatrix(const float* q) {
    const float axes[4][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
    for (std::size_t c = 0; c < 4; ++c) moveOne(q, c < 3, axes[c], matrix_.entries + 4 * c);
  }

  HWY_INLINE void moveByMatrix(const Stretch& s) const {
    if (s.normalsOut.floats != nullptr) {
      return movePointsAndNormals<1, Normals::Floats, true>(Narrow(), matrix_, 1, s);
    }
    if (s.normalsOut.packed != nullptr) return turnPointsAndNormals<1>(Narrow(), matrix_, s);
    movePoints<1>(Narrow(), matrix_, 1, s);
  }

  template <std::size_t kBones>
  HWY_INLINE void move(std::size_t bones, std::size_t stride, const WeightRows& weights, const Stretch& s) const {
    if (s.normalsOut.packed != nullptr) {
      moveRigidly<kBones, Normals::Packed>(Wide(), constants_.entries, bones, stride, weights, s);
    } else if (s.normalsOut.floats != nullptr) {
      moveRigidly<kBones, Normals::Floats>(Wide(), constants_.entries, bones, stride, weights, s);
    } else {
      moveRigidly<kBones, Normals::None>(Wide(), constants_.entries, bones, stride, weights, s);
    }
  }

  /// Block by block, with all weights written out under the signs of each vertex's pivot.
  void skinSigned(const PackedRun& run, Stretch s) const {
    alignas(64) float weights[kMostRunBones * kBlockLanes];
    const std::size_t stride = run.floatsPerBlock();
    const std::size_t blocks = s.blocks;
    s.blocks = 1;
    for (std::size_t b = 0; b < blocks; ++b) {
      constants_.signWeights(run.bones, s.rest, s.pivots, weights);
      move<0>(run.bones + std::size_t{1}, stride, {weights, 0}, s);
      s.rest += stride;
      s.pivots += kBlockLanes;
      s.positionsOut += 3 * kBlockLanes;
      s.skipNormals(1);
      if (s.normalsOut.floats != nullptr) s.normalsOut.floats += 3 * kBlockLanes;
      if (s.normalsOut.packed != nullptr) s.normalsOut.packed += kBlockLanes;
    }
  }

  const SkinJob& job_;
  MatrixConstants matrix_;  ///< of a run of one joint
  QuaternionConstants<kDualParts> constants_;
};

void dualQuaternion(const SkinJob& job, std::uint32_t first, std::uint32_t end) {
  DualQuaternionSkinner skinner(job);
  skinBlocks(job, first, end, skinner);
}

}  // namespace
}  // namespace sinew::play::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinew::play::kernels {

SINEW_KERNEL_TABLE(dualQuaternion);

void dualQuaternionBlocks(const SkinJob& job, std::uint32_t first, std::uint32_t end) {
  SINEW_KERNEL(dualQuaternion, job)(job, first, end);
}

}  // namespace sinew::play::kernels
#endif
