// Runs moved by matrices. Included once per instruction set, so the guard toggles.
#if defined(SINEW_PLAY_MATRIX_KERNELS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SINEW_PLAY_MATRIX_KERNELS_INL_H
#undef SINEW_PLAY_MATRIX_KERNELS_INL_H
#else
#define SINEW_PLAY_MATRIX_KERNELS_INL_H
#endif

#include "sinew/play/kernels_inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew::detail::HWY_NAMESPACE {
namespace {

constexpr float kLeastSquare = 1e-20f;
constexpr std::size_t kEntries = 16;  ///< of a matrix, by columns of 4; the last row has no effect

/// M_0 and M_j - M_0 of a run.
struct MatrixConstants {
  alignas(64) float entries[kEntries * kMostRunBones];
  /// What brings a turned normal back to unit length where all joints scale alike and turn by at most 90 degrees
  /// against each other (then blending leaves it at least half its length up to 4 joints); 0 where lengths must be
  /// taken.
  float evenScale = 0;
};

/// Finds evenScale for a run.
HWY_INLINE float evenScaleOf(const float* palette, const std::uint16_t* bones, std::size_t count) {
  const auto dot = [](const float* a, const float* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; };
  const float* base = palette + kEntries * bones[0];
  const float squared = dot(base, base);
  const float most = 4e-4f * squared;  // 511 steps must not become 512
  const auto nearly = [most](float a, float b) { return a - b <= most && b - a <= most; };
  bool even = squared > 1e-30f;
  for (std::size_t j = 0; j < count && even; ++j) {
    const float* m = palette + kEntries * bones[j];
    for (std::size_t c = 0; c < 3; ++c) {
      even = even && nearly(dot(m + 4 * c, m + 4 * c), squared) && nearly(dot(m + 4 * c, m + 4 * ((c + 1) % 3)), 0);
    }
    for (std::size_t k = 0; k < j && even; ++k) {
      const float* other = palette + kEntries * bones[k];
      const float trace = dot(m, other) + dot(m + 4, other + 4) + dot(m + 8, other + 8);  // s^2 (1 + 2 cos)
      even = trace >= squared;
    }
  }
  const hn::CappedTag<float, 1> d;
  return even ? hn::GetLane(hn::Div(hn::Set(d, 1.0f), hn::Sqrt(hn::Set(d, squared)))) : 0.0f;
}

/// row . (x, y, z) + (the fourth entry or `last`)
template <class D, class V>
HWY_INLINE V rowTimes(D d, const float* matrix, std::size_t row, V x, V y, V z) {
  return hn::MulAdd(hn::Set(d, matrix[row]), x,
                    hn::MulAdd(hn::Set(d, matrix[4 + row]), y,
                               hn::MulAdd(hn::Set(d, matrix[8 + row]), z, hn::Set(d, matrix[12 + row]))));
}

/// Positions only: each joint moves the point, and the results are blended. kBones 0: any number, given by `bones`.
template <std::size_t kBones, class D>
HWY_INLINE void movePoints(D d, const MatrixConstants& constants, std::size_t bones, const Stretch& s) {
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
        SINEW_UNROLL
        for (std::size_t row = 0; row < 3; ++row) moved[row][u] = rowTimes(d, constants.entries, row, x[u], y[u], z[u]);
      }
      forEachFurther<kBones>(bones, [&](std::size_t j) HWY_ATTR {
        SINEW_UNROLL
        for (std::size_t u = 0; u < kVectors; ++u) {
          const V w = hn::Load(d, rest + (2 + j) * kBlockLanes + lane + u * lanes);
          SINEW_UNROLL
          for (std::size_t row = 0; row < 3; ++row) {
            const V by = rowTimes(d, constants.entries + kEntries * j, row, x[u], y[u], z[u]);
            moved[row][u] = hn::MulAdd(w, by, moved[row][u]);
          }
        }
      });
      SINEW_UNROLL
      for (std::size_t u = 0; u < kVectors; ++u) {
        storeTriples(d, moved[0][u], moved[1][u], moved[2][u], out + 3 * (lane + u * lanes));
      }
    }
  }
}

/// 1 / sqrt(v) by the machine's estimate, good to 4e-4; a Newton step makes that 1e-7.
template <bool kExact, class D, class V>
HWY_INLINE V reciprocalRoot(D d, V v) {
  const V guess = hn::ApproximateReciprocalSqrt(v);
  if (!kExact && HWY_TARGET != HWY_SCALAR) return guess;
  const V error = hn::NegMulAdd(hn::Mul(v, guess), guess, hn::Set(d, 1.0f));
  return hn::MulAdd(hn::Mul(guess, hn::Set(d, 0.5f)), error, guess);
}

/// Scales turned normals to unit length and stores them. The 10 bits of Packed do not see the estimate's error.
template <Normals kNormals, class D, class V>
HWY_INLINE void storeUnit(D d, V x, V y, V z, const NormalsOut& out, std::size_t place) {
  constexpr bool kFloats = kNormals == Normals::Floats;
  // The last term keeps the scale of a zero normal finite.
  const V squared = hn::MulAdd(x, x, hn::MulAdd(y, y, hn::MulAdd(z, z, hn::Set(d, kLeastSquare))));
  const V inverse = reciprocalRoot<kFloats>(d, squared);
  storeNormals<kNormals>(d, x, y, z, kFloats ? inverse : hn::Mul(inverse, hn::Set(d, kPackedScale)), out, place);
}

/// Packed normals of one joint that turns and scales evenly, in 16-bit numbers from end to end.
HWY_INLINE void turnShortNormals(const MatrixConstants& constants, const Stretch& s) {
  const hn::CappedTag<std::int16_t, kBlockLanes> d;
  using V = hn::Vec<decltype(d)>;
  V r[3][3];
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t row = 0; row < 3; ++row) {
      const float entry = constants.entries[4 * c + row] * constants.evenScale * 32768.0f;
      r[row][c] = hn::Set(d, static_cast<std::int16_t>(std::clamp(entry, -32767.0f, 32767.0f)));
    }
  }
  for (std::size_t b = 0; b < s.blocks; ++b) {
    for (std::size_t lane = 0; lane < kBlockLanes; lane += hn::Lanes(d)) {
      const std::int16_t* from = s.normals + b * 3 * kBlockLanes + lane;
      const V x = hn::LoadU(d, from);
      const V y = hn::LoadU(d, from + kBlockLanes);
      const V z = hn::LoadU(d, from + 2 * kBlockLanes);
      const auto steps = [&](std::size_t row) HWY_ATTR {
        const V sum = hn::Add(hn::Add(hn::MulFixedPoint15(r[row][0], x), hn::MulFixedPoint15(r[row][1], y)),
                              hn::MulFixedPoint15(r[row][2], z));
        return hn::ShiftRight<6>(hn::Add(sum, hn::Set(d, 32)));
      };
      const V sy = steps(1);
      const V low = hn::IfVecThenElse(hn::Set(d, 0x3ff), steps(0), hn::ShiftLeft<10>(sy));
      const V high = hn::IfVecThenElse(hn::Set(d, 0xf), hn::ShiftRight<6>(sy), hn::ShiftLeft<4>(steps(2)));
      hn::StoreInterleaved2(low, hn::And(high, hn::Set(d, 0x3fff)), d,
                            reinterpret_cast<std::int16_t*>(s.normalsOut.packed + b * kBlockLanes + lane));
    }
  }
}

/// Positions and normals: the matrix is blended row by row and serves both. kEven: normals take constants.evenScale.
template <std::size_t kBones, Normals kNormals, bool kEven, class D>
HWY_INLINE void movePointsAndNormals(D d, const MatrixConstants& constants, std::size_t bones, const Stretch& s) {
  using V = hn::Vec<D>;
  constexpr std::size_t kVectors = vectorsAtOnce(d);
  const std::size_t lanes = hn::Lanes(d);
  if constexpr (kBones > 0) bones = kBones;
  const float* rest = s.rest;
  for (std::size_t b = 0; b < s.blocks; ++b, rest += (2 + bones) * kBlockLanes) {
    for (std::size_t lane = 0; lane < kBlockLanes; lane += kVectors * lanes) {
      const auto at = [&](std::size_t row, std::size_t u)
                          HWY_ATTR { return hn::Load(d, rest + row * kBlockLanes + lane + u * lanes); };
      V n[3][kVectors], moved[3][kVectors], turned[3][kVectors];
      SINEW_UNROLL
      for (std::size_t c = 0; c < 3; ++c) {
        SINEW_UNROLL
        for (std::size_t u = 0; u < kVectors; ++u) {
          n[c][u] = loadNormals(d, s.normals + (3 * b + c) * kBlockLanes + lane + u * lanes);
        }
      }
      SINEW_UNROLL
      for (std::size_t row = 0; row < 3; ++row) {
        V m[4][kVectors];
        SINEW_UNROLL
        for (std::size_t c = 0; c < 4; ++c) {
          SINEW_UNROLL
          for (std::size_t u = 0; u < kVectors; ++u) m[c][u] = hn::Set(d, constants.entries[4 * c + row]);
        }
        forEachFurther<kBones>(bones, [&](std::size_t j) HWY_ATTR {
          SINEW_UNROLL
          for (std::size_t c = 0; c < 4; ++c) {
            const V entry = hn::Set(d, constants.entries[kEntries * j + 4 * c + row]);
            SINEW_UNROLL
            for (std::size_t u = 0; u < kVectors; ++u) m[c][u] = hn::MulAdd(at(2 + j, u), entry, m[c][u]);
          }
        });
        SINEW_UNROLL
        for (std::size_t u = 0; u < kVectors; ++u) {
          moved[row][u] =
              hn::MulAdd(m[0][u], at(0, u), hn::MulAdd(m[1][u], at(1, u), hn::MulAdd(m[2][u], at(2, u), m[3][u])));
          turned[row][u] = hn::MulAdd(m[0][u], n[0][u], hn::MulAdd(m[1][u], n[1][u], hn::Mul(m[2][u], n[2][u])));
        }
      }
      SINEW_UNROLL
      for (std::size_t u = 0; u < kVectors; ++u) {
        const std::size_t place = b * kBlockLanes + lane + u * lanes;
        storeTriples(d, moved[0][u], moved[1][u], moved[2][u], s.positionsOut + 3 * place);
        if constexpr (kEven) {
          const V scale = hn::Set(d, constants.evenScale * kPackedScale / kNormalScale);
          storeNormals<kNormals>(d, turned[0][u], turned[1][u], turned[2][u], scale, s.normalsOut, place);
        } else {
          storeUnit<kNormals>(d, turned[0][u], turned[1][u], turned[2][u], s.normalsOut, place);
        }
      }
    }
  }
}

}  // namespace
}  // namespace sinew::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
