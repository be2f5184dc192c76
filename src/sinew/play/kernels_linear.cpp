// Linear blend of packed runs. Inside a run the matrices are constants, so a loop over 16 vertices at a time reads
// positions and weights and no joint indices:
//   x' = M_0 x + sum_{j=1}^{K-1} w_j (D_j x),  D_j = M_j - M_0,
// 9 + 12 (K - 1) multiply-adds per vertex. With normals the matrix is blended first and serves both. Vertices outside
// runs blend the four columns of their matrices.
#include "sinew/play/kernels.h"

#include "sinew/play/kernels_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sinew/play/kernels_linear.cpp"
#include <hwy/foreach_target.h>
//
#include "sinew/play/kernels_inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew::detail::HWY_NAMESPACE {
namespace {

constexpr std::size_t kEntries = 12;  ///< of a matrix, by rows, in the constants of a run

/// Positions only: each joint moves the point, and the results are blended. kBones 0: any number, given by `bones`.
template <std::size_t kBones, class D>
HWY_INLINE void movePoints(D d, const float* constants, std::size_t bones, const Stretch& s) {
  using V = hn::Vec<D>;
  constexpr std::size_t kVectors = vectorsAtOnce(d);
  const std::size_t lanes = hn::Lanes(d);
  if constexpr (kBones > 0) bones = kBones;
  const float* rest = s.rest;
  float* out = s.positionsOut;
  for (std::size_t b = 0; b < s.blocks; ++b, rest += (2 + bones) * kBlockLanes, out += 3 * kBlockLanes) {
    for (std::size_t lane = 0; lane < kBlockLanes; lane += kVectors * lanes) {
      V x[kVectors], y[kVectors], z[kVectors], moved[3][kVectors];
      SINEW_UNROLL
      for (std::size_t u = 0; u < kVectors; ++u) {
        x[u] = hn::Load(d, rest + lane + u * lanes);
        y[u] = hn::Load(d, rest + kBlockLanes + lane + u * lanes);
        z[u] = hn::Load(d, rest + 2 * kBlockLanes + lane + u * lanes);
      }
      const auto times = [&](const float* row, std::size_t u) HWY_ATTR {
        return hn::MulAdd(
            hn::Set(d, row[0]), x[u],
            hn::MulAdd(hn::Set(d, row[1]), y[u], hn::MulAdd(hn::Set(d, row[2]), z[u], hn::Set(d, row[3]))));
      };
      SINEW_UNROLL
      for (std::size_t row = 0; row < 3; ++row) {
        SINEW_UNROLL
        for (std::size_t u = 0; u < kVectors; ++u) moved[row][u] = times(constants + 4 * row, u);
      }
      SINEW_UNROLL
      for (std::size_t j = 1; j < bones; ++j) {
        V w[kVectors];
        SINEW_UNROLL
        for (std::size_t u = 0; u < kVectors; ++u) w[u] = hn::Load(d, rest + (2 + j) * kBlockLanes + lane + u * lanes);
        SINEW_UNROLL
        for (std::size_t row = 0; row < 3; ++row) {
          SINEW_UNROLL
          for (std::size_t u = 0; u < kVectors; ++u) {
            moved[row][u] = hn::MulAdd(w[u], times(constants + kEntries * j + 4 * row, u), moved[row][u]);
          }
        }
      }
      SINEW_UNROLL
      for (std::size_t u = 0; u < kVectors; ++u) {
        storeTriples(d, moved[0][u], moved[1][u], moved[2][u], out + 3 * (lane + u * lanes));
      }
    }
  }
}

/// 1 / sqrt(v) by the machine's estimate and a Newton step: unit length to about 1e-6. Zero stays finite.
template <class D, class V>
HWY_INLINE V reciprocalRoot(D d, V v) {
  v = hn::Max(v, hn::Set(d, 1e-30f));
  const V guess = hn::ApproximateReciprocalSqrt(v);
  const V error = hn::NegMulAdd(hn::Mul(v, guess), guess, hn::Set(d, 1.0f));
  return hn::MulAdd(hn::Mul(guess, hn::Set(d, 0.5f)), error, guess);
}

/// Positions and normals: the matrix is blended row by row and serves both.
template <std::size_t kBones, class D>
HWY_INLINE void movePointsAndNormals(D d, const float* constants, std::size_t bones, const Stretch& s) {
  using V = hn::Vec<D>;
  constexpr std::size_t kVectors = vectorsAtOnce(d);
  const std::size_t lanes = hn::Lanes(d);
  if constexpr (kBones > 0) bones = kBones;
  const float* rest = s.rest;
  const float* normals = s.normals;
  for (std::size_t b = 0; b < s.blocks; ++b, rest += (2 + bones) * kBlockLanes, normals += 3 * kBlockLanes) {
    for (std::size_t lane = 0; lane < kBlockLanes; lane += kVectors * lanes) {
      const auto at = [&](const float* rows, std::size_t row, std::size_t u)
                          HWY_ATTR { return hn::Load(d, rows + row * kBlockLanes + lane + u * lanes); };
      V moved[3][kVectors], turned[3][kVectors];
      SINEW_UNROLL
      for (std::size_t row = 0; row < 3; ++row) {
        V m[4][kVectors];
        SINEW_UNROLL
        for (std::size_t c = 0; c < 4; ++c) {
          SINEW_UNROLL
          for (std::size_t u = 0; u < kVectors; ++u) m[c][u] = hn::Set(d, constants[4 * row + c]);
        }
        SINEW_UNROLL
        for (std::size_t j = 1; j < bones; ++j) {
          SINEW_UNROLL
          for (std::size_t c = 0; c < 4; ++c) {
            const V entry = hn::Set(d, constants[kEntries * j + 4 * row + c]);
            SINEW_UNROLL
            for (std::size_t u = 0; u < kVectors; ++u) m[c][u] = hn::MulAdd(at(rest, 2 + j, u), entry, m[c][u]);
          }
        }
        SINEW_UNROLL
        for (std::size_t u = 0; u < kVectors; ++u) {
          moved[row][u] = hn::MulAdd(m[0][u], at(rest, 0, u),
                                     hn::MulAdd(m[1][u], at(rest, 1, u), hn::MulAdd(m[2][u], at(rest, 2, u), m[3][u])));
          turned[row][u] = hn::MulAdd(m[0][u], at(normals, 0, u),
                                      hn::MulAdd(m[1][u], at(normals, 1, u), hn::Mul(m[2][u], at(normals, 2, u))));
        }
      }
      SINEW_UNROLL
      for (std::size_t u = 0; u < kVectors; ++u) {
        const std::size_t place = 3 * (b * kBlockLanes + lane + u * lanes);
        storeTriples(d, moved[0][u], moved[1][u], moved[2][u], s.positionsOut + place);
        const V squared = hn::MulAdd(turned[0][u], turned[0][u],
                                     hn::MulAdd(turned[1][u], turned[1][u], hn::Mul(turned[2][u], turned[2][u])));
        const V scale = reciprocalRoot(d, squared);
        storeTriples(d, hn::Mul(turned[0][u], scale), hn::Mul(turned[1][u], scale), hn::Mul(turned[2][u], scale),
                     s.normalsOut + place);
      }
    }
  }
}

/// Rows [part, part + lanes) of the blended matrix of one vertex, times (v, 1) and (n, 0). Row 3 has no meaning.
template <class D>
HWY_INLINE void moveRows(D d, const float* palette, const float* weights, const float* joints, std::size_t bones,
                         const float* point, const float* normal, float* moved, float* turned) {
  using V = hn::Vec<D>;
  V column[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  for (std::size_t j = 0; j < bones; ++j) {
    const float* matrix = palette + std::size_t{16} * boneAt(joints, j);
    const V w = hn::Set(d, weights[j]);
    SINEW_UNROLL
    for (std::size_t c = 0; c < 4; ++c) column[c] = hn::MulAdd(w, hn::LoadU(d, matrix + 4 * c), column[c]);
  }
  const auto times = [&](const float* v, V last) HWY_ATTR {
    return hn::MulAdd(column[0], hn::Set(d, v[0]),
                      hn::MulAdd(column[1], hn::Set(d, v[1]), hn::MulAdd(column[2], hn::Set(d, v[2]), last)));
  };
  hn::Store(times(point, column[3]), d, moved);
  if (normal != nullptr) hn::Store(times(normal, hn::Zero(d)), d, turned);
}

/// One vertex after the other, by columns of 4 floats.
HWY_INLINE void moveOneByOne(const float* palette, std::size_t bones, const Stretch& s) {
  const hn::CappedTag<float, 4> d;
  const std::size_t floatsPerBlock = (3 + bones + bones / 2) * kBlockLanes;
  for (std::size_t i = 0; i < s.blocks * kBlockLanes; ++i) {
    const std::size_t lane = i % kBlockLanes;
    const float* block = s.rest + i / kBlockLanes * floatsPerBlock;
    const float* weights = block + 3 * kBlockLanes + lane * bones;
    const float* joints = block + (3 + bones) * kBlockLanes + lane * bones / 2;
    const float* normal = s.normals == nullptr ? nullptr : s.normals + 3 * i;
    alignas(16) float moved[4];
    alignas(16) float turned[4];
    for (std::size_t part = 0; part < 4; part += hn::Lanes(d)) {
      moveRows(d, palette + part, weights, joints, bones, block + 3 * lane, normal, moved + part, turned + part);
    }
    std::memcpy(s.positionsOut + 3 * i, moved, 3 * sizeof(float));
    if (normal == nullptr) continue;
    const float squared = turned[0] * turned[0] + turned[1] * turned[1] + turned[2] * turned[2];
    const float scale = hn::GetLane(reciprocalRoot(d, hn::Set(d, squared)));
    for (std::size_t c = 0; c < 3; ++c) s.normalsOut[3 * i + c] = turned[c] * scale;
  }
}

class LinearSkinner {
 public:
  explicit LinearSkinner(const SkinJob& job) : job_(job) {}

  /// Row r, column c of M_0 and of the differences D_j.
  void prepare(const PackedRun& run) {
    if (run.kind != RunKind::Shared) return;
    const std::uint16_t* bones = job_.layout->bones.data() + run.firstBone;
    const float* base = job_.palette + std::size_t{16} * bones[0];
    for (std::size_t j = 0; j < run.bones; ++j) {
      const float* matrix = job_.palette + std::size_t{16} * bones[j];
      for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t c = 0; c < 4; ++c) {
          const float entry = matrix[4 * c + row];
          constants_[kEntries * j + 4 * row + c] = j == 0 ? entry : entry - base[4 * c + row];
        }
      }
    }
  }

  void skin(const PackedRun& run, const Stretch& stretch) const {
    if (run.kind == RunKind::PerVertex) {
      moveOneByOne(job_.palette, run.bones, stretch);
      return;
    }
    switch (run.bones) {
      case 1:
        return move<1>(run, stretch);
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

 private:
  template <std::size_t kBones>
  HWY_INLINE void move(const PackedRun& run, const Stretch& stretch) const {
    if (stretch.normals != nullptr) {
      movePointsAndNormals<kBones>(Lanes(), constants_, run.bones, stretch);
    } else {
      movePoints<kBones>(Lanes(), constants_, run.bones, stretch);
    }
  }

  const SkinJob& job_;
  alignas(64) float constants_[kEntries * kMostRunBones];
};

void linear(const SkinJob& job, std::uint32_t first, std::uint32_t end) {
  LinearSkinner skinner(job);
  skinBlocks(job, first, end, skinner);
}

std::int64_t target() {
  return HWY_TARGET;
}

}  // namespace
}  // namespace sinew::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinew::detail {

HWY_EXPORT(linear);
HWY_EXPORT(target);

void linearBlocks(const SkinJob& job, std::uint32_t first, std::uint32_t end) {
  HWY_DYNAMIC_DISPATCH(linear)(job, first, end);
}

const char* dispatchedTarget() {
  return hwy::TargetName(HWY_DYNAMIC_DISPATCH(target)());
}

}  // namespace sinew::detail
#endif
