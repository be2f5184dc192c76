// Runs moved by matrices. Included once per instruction set, so the guard toggles.
#if defined(SINEW_PLAY_MATRIX_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SINEW_PLAY_MATRIX_INL_H
#undef SINEW_PLAY_MATRIX_INL_H
#else
#define SINEW_PLAY_MATRIX_INL_H
#endif

#include "sinew/play/kernels/blocks_inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew::play::kernels::HWY_NAMESPACE {
namespace {

constexpr float kLeastSquare = 1e-20f;
constexpr std::size_t kEntries = 16;  ///< of a matrix, by columns of 4; the last row has no effect

/// M_0 and M_j - M_0 of a run.
struct MatrixConstants {
  alignas(64) float entries[kEntries * kMostRunBones];
  /// At most 4 joints that turn without scale, by at most 90 degrees against each other: blended normals then keep at
  /// least half their length (|sum w_j R_j n|^2 >= sum w_j^2 >= 1/4), and packed ones are stored as they come.
  bool turnsOnly = false;
};

/// Fills the entries for a run.
HWY_INLINE void prepareMatrices(const float* palette, const std::uint16_t* bones, std::size_t count,
                                MatrixConstants& constants) {
  const float* base = palette + kEntries * bones[0];
  std::memcpy(constants.entries, base, kEntries * sizeof(float));
  for (std::size_t j = 1; j < count; ++j) {
    const float* matrix = palette + kEntries * bones[j];
    const hn::CappedTag<float, kEntries> d;
    for (std::size_t i = 0; i < kEntries; i += hn::Lanes(d)) {
      hn::Store(hn::Sub(hn::LoadU(d, matrix + i), hn::LoadU(d, base + i)), d, constants.entries + kEntries * j + i);
    }
  }
}

/// Finds turnsOnly for a run.
HWY_INLINE bool turnsOnly(const float* palette, const std::uint16_t* bones, std::size_t count) {
  constexpr float kMost = 4e-4f;  // of a squared length: 511 steps must not become 512
  const auto dot = [](const float* a, const float* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; };
  const auto nearly = [](float a, float b) { return a - b <= kMost && b - a <= kMost; };
  bool turns = count <= 4;
  for (std::size_t j = 0; j < count && turns; ++j) {
    const float* m = palette + kEntries * bones[j];
    for (std::size_t c = 0; c < 3; ++c) {
      const float* column = m + 4 * c;
      turns = turns && nearly(dot(column, column), 1) && nearly(dot(column, m + 4 * ((c + 1) % 3)), 0);
    }
    for (std::size_t k = 0; k < j && turns; ++k) {
      const float* other = palette + kEntries * bones[k];
      const float trace = dot(m, other) + dot(m + 4, other + 4) + dot(m + 8, other + 8);  // 1 + 2 cos(angle)
      turns = trace >= 1;
    }
  }
  return turns;
}

/// row . (x, y, z) + (the fourth entry or `last`)
template <class D, class V>
HWY_INLINE V rowTimes(D d, const float* matrix, std::size_t row, V x, V y, V z) {
  return hn::MulAdd(hn::Set(d, matrix[row]), x,
                    hn::MulAdd(hn::Set(d, matrix[4 + row]), y,
                               hn::MulAdd(hn::Set(d, matrix[8 + row]), z, hn::Set(d, matrix[12 + row]))));
}

/// Rows [0, lanes) of the blended matrix of one vertex, times (v, 1) and, where given, (n, 0). Row 3 has no meaning.
template <std::size_t kBones, class D>
HWY_INLINE void moveRows(D d, const float* palette, const LoneVertex& vertex, const float* normal, float* moved,
                         float* turned) {
  using V = hn::Vec<D>;
  V column[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  const auto add = [&](std::size_t j) HWY_ATTR {
    const float* matrix = palette + kEntries * boneAt(vertex.joints, j);
    const V w = hn::Set(d, vertex.weights[j]);
    SINEW_UNROLL
    for (std::size_t c = 0; c < 4; ++c) column[c] = hn::MulAdd(w, hn::LoadU(d, matrix + 4 * c), column[c]);
  };
  add(0);
  forEachFurther<kBones>(vertex.bones, add);
  const auto times = [&](const float* v, V last) HWY_ATTR {
    return hn::MulAdd(column[0], hn::Set(d, v[0]),
                      hn::MulAdd(column[1], hn::Set(d, v[1]), hn::MulAdd(column[2], hn::Set(d, v[2]), last)));
  };
  hn::StoreU(times(vertex.point, column[3]), d, moved);
  if (normal != nullptr) hn::StoreU(times(normal, hn::Zero(d)), d, turned);
}

/// Positions of one block: each joint moves the point, and the results are blended. kBones 0: any number, `bones`.
template <std::size_t kBones, class D>
HWY_INLINE void moveBlock(D d, const float* entries, std::size_t bones, const float* rest, bool streamed, float* out) {
  using V = hn::Vec<D>;
  constexpr std::size_t kVectors = vectorsAtOnce(d);
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t lane = 0; lane < kBlockLanes; lane += kVectors * lanes) {
    V x[kVectors], y[kVectors], z[kVectors], moved[3][kVectors];
    SINEW_UNROLL
    for (std::size_t u = 0; u < kVectors; ++u) {
      x[u] = hn::Load(d, rest + lane + u * lanes);
      y[u] = hn::Load(d, rest + kBlockLanes + lane + u * lanes);
      z[u] = hn::Load(d, rest + 2 * kBlockLanes + lane + u * lanes);
      SINEW_UNROLL
      for (std::size_t row = 0; row < 3; ++row) moved[row][u] = rowTimes(d, entries, row, x[u], y[u], z[u]);
    }
    forEachFurther<kBones>(bones, [&](std::size_t j) HWY_ATTR {
      SINEW_UNROLL
      for (std::size_t u = 0; u < kVectors; ++u) {
        const V w = hn::Load(d, rest + (2 + j) * kBlockLanes + lane + u * lanes);
        SINEW_UNROLL
        for (std::size_t row = 0; row < 3; ++row) {
          const V by = rowTimes(d, entries + kEntries * j, row, x[u], y[u], z[u]);
          moved[row][u] = hn::MulAdd(w, by, moved[row][u]);
        }
      }
    });
    SINEW_UNROLL
    for (std::size_t u = 0; u < kVectors; ++u) {
      storeTriples(d, moved[0][u], moved[1][u], moved[2][u], streamed, out + 3 * (lane + u * lanes));
    }
  }
}

/// The matrices of a run in memory that nothing written can overlap, so that they may stay in registers.
template <std::size_t kBones>
struct LocalMatrices {
  alignas(64) float entries[kEntries * kBones];
  explicit LocalMatrices(const MatrixConstants& constants) { std::memcpy(entries, constants.entries, sizeof(entries)); }
};

/// Positions only.
template <std::size_t kBones, class D>
HWY_INLINE void movePoints(D d, const MatrixConstants& constants, std::size_t bones, const Stretch& s) {
  const LocalMatrices<kBones> matrices(constants);
  const std::size_t floats = (2 + bones) * kBlockLanes;
  const bool streamed = s.streamed;
  const float* rest = s.rest;
  float* out = s.positionsOut;
  for (std::size_t b = 0; b < s.blocks; ++b, rest += floats, out += 3 * kBlockLanes) {
    moveBlock<kBones>(d, matrices.entries, bones, rest, streamed, out);
  }
}

/// Positions only, any number of joints.
template <class D>
HWY_INLINE void movePointsByMany(D d, const MatrixConstants& constants, std::size_t bones, const Stretch& s) {
  for (std::size_t b = 0; b < s.blocks; ++b) {
    moveBlock<0>(d, constants.entries, bones, s.rest + b * (2 + bones) * kBlockLanes, s.streamed,
                 s.positionsOut + b * 3 * kBlockLanes);
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

/// Stores 32-bit numbers given by their lower and upper 16 bits.
template <class D, class V>
HWY_INLINE void storeHalves(D d, V low, V high, bool streamed, std::uint32_t* to) {
  auto* shorts = reinterpret_cast<std::uint16_t*>(to);
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
  if (streamed) {
    const V even = hn::InterleaveLower(d, low, high);
    const V odd = hn::InterleaveUpper(d, low, high);
    hn::Stream(hn::ConcatLowerLower(d, odd, even), d, shorts);
    hn::Stream(hn::ConcatUpperUpper(d, odd, even), d, shorts + hn::Lanes(d));
    return;
  }
#endif
  (void)streamed;
  hn::StoreInterleaved2(low, high, d, shorts);
}

using Shorts = hn::CappedTag<std::int16_t, kBlockLanes>;

HWY_INLINE hn::Vec<Shorts> fixedPoint(float value) {
  return hn::Set(Shorts(), static_cast<std::int16_t>(std::clamp(value * 32768.0f, -32767.0f, 32767.0f)));
}

/// The rotations of a run in 16-bit fixed point, so that nothing exceeds 1. One joint: R_0. Two: the middle of both and
/// half their difference, to be taken 2 w - 1 times. More: half of R_0 and of each R_j - R_0, which turn normals to
/// half their length.
template <std::size_t kBones>
struct ShortRotations {
  static constexpr float kScale = kBones > 2 ? 0.5f : 1.0f;
  static constexpr int kStepBits = kBones > 2 ? 5 : 6;  ///< a step of a packed normal in what comes out
  hn::Vec<Shorts> base[3][3];
  hn::Vec<Shorts> further[kBones > 1 ? kBones - 1 : 1][3][3];

  explicit HWY_INLINE ShortRotations(const float* entries) {
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t e = 4 * c + r;
        const float middle = kBones == 2 ? 0.5f * entries[kEntries + e] : 0.0f;
        base[r][c] = fixedPoint(kScale * (entries[e] + middle));
        for (std::size_t j = 1; j < kBones; ++j) further[j - 1][r][c] = fixedPoint(0.5f * entries[kEntries * j + e]);
      }
    }
  }
};

/// Packed normals of one block, in 16-bit numbers from end to end.
template <std::size_t kBones>
HWY_INLINE void turnBlock(const ShortRotations<kBones>& rotations, const std::int16_t* normals, bool streamed,
                          std::uint32_t* out) {
  const Shorts d;
  const hn::RebindToUnsigned<Shorts> du;
  using V = hn::Vec<Shorts>;
  constexpr int kStep = ShortRotations<kBones>::kStepBits;
  for (std::size_t lane = 0; lane < kBlockLanes; lane += hn::Lanes(d)) {
    const V x = hn::LoadU(d, normals + lane);
    const V y = hn::LoadU(d, normals + kBlockLanes + lane);
    constexpr int kTop = 16 - kShortNormalBits;
    const V z = selectBits(hn::Set(d, static_cast<std::int16_t>(0xffff << kTop)), hn::ShiftLeft<kTop>(x),
                           hn::ShiftLeft<kTop - kShortNormalBits>(y));
    V w[kBones > 1 ? kBones - 1 : 1];
    SINEW_UNROLL
    for (std::size_t j = 1; j < kBones; ++j) {
      w[j - 1] = hn::LoadU(d, normals + (1 + j) * kBlockLanes + lane);
    }
    const auto entry = [&](std::size_t r, std::size_t c) HWY_ATTR {
      V sum = rotations.base[r][c];
      SINEW_UNROLL
      for (std::size_t j = 1; j < kBones; ++j) {
        sum = hn::Add(sum, hn::MulFixedPoint15(w[j - 1], rotations.further[j - 1][r][c]));
      }
      return sum;
    };
    // A row of the rotation times the normal, and half a step more.
    const auto turned = [&](std::size_t r) HWY_ATTR {
      const V xy = hn::Add(hn::MulFixedPoint15(entry(r, 0), x), hn::MulFixedPoint15(entry(r, 1), y));
      const V zHalf = hn::Add(hn::MulFixedPoint15(entry(r, 2), z), hn::Set(d, 1 << (kStep - 1)));
      return hn::BitCast(du, hn::Add(xy, zHalf));
    };
    // The 10 bits from kStep on of the three go to bits 0 .. 29 of the packed normal.
    const auto ty = turned(1);
    const auto low = selectBits(hn::Set(du, 0x3ff), hn::ShiftRight<kStep>(turned(0)), hn::ShiftLeft<10 - kStep>(ty));
    auto tz = hn::ShiftRight<kStep - 4>(turned(2));
    if constexpr (kStep < 6) tz = hn::And(tz, hn::Set(du, 0x3fff));
    const auto high = selectBits(hn::Set(du, 0xf), hn::ShiftRight<kStep + 6>(ty), tz);
    storeHalves(du, low, high, streamed, out + lane);
  }
}

/// Positions and packed normals of joints that only turn. The constants of one joint fit into registers for both; more
/// joints take turns over a few blocks.
template <std::size_t kBones, class D>
HWY_INLINE void turnPointsAndNormals(D d, const MatrixConstants& constants, const Stretch& s) {
  constexpr std::size_t kBlocks = kBones == 1 ? 1 : 32;
  const LocalMatrices<kBones> matrices(constants);
  const ShortRotations<kBones> rotations(constants.entries);
  constexpr std::size_t kFloats = (2 + kBones) * kBlockLanes;
  const bool streamed = s.streamed;
  const float* rest = s.rest;
  const std::int16_t* normals = s.shortNormals;
  float* out = s.positionsOut;
  std::uint32_t* normalsOut = s.normalsOut.packed;
  for (std::size_t first = 0; first < s.blocks; first += kBlocks) {
    const std::size_t count = std::min(kBlocks, s.blocks - first);
    for (std::size_t b = 0; b < count; ++b, out += 3 * kBlockLanes) {
      moveBlock<kBones>(d, matrices.entries, kBones, rest + b * kFloats, streamed, out);
    }
    for (std::size_t b = 0; b < count; ++b, normals += shortNormalShorts(kBones), normalsOut += kBlockLanes) {
      turnBlock(rotations, normals, streamed, normalsOut);
    }
    rest += count * kFloats;
  }
}

/// Positions and normals: the matrix is blended row by row and serves both. kTurnsOnly: normals are as
/// long as they need be.
template <std::size_t kBones, Normals kNormals, bool kTurnsOnly, class D>
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
          n[c][u] = loadNormals(d, s.normals + b * kNormalShorts + c * kBlockLanes + lane + u * lanes);
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
        storeTriples(d, moved[0][u], moved[1][u], moved[2][u], s.streamed, s.positionsOut + 3 * place);
        if constexpr (kTurnsOnly) {
          storeNormals<kNormals>(d, turned[0][u], turned[1][u], turned[2][u], hn::Set(d, 1.0f / kNormalScale),
                                 s.normalsOut, place);
        } else {
          storeUnit<kNormals>(d, turned[0][u], turned[1][u], turned[2][u], s.normalsOut, place);
        }
      }
    }
  }
}

}  // namespace
}  // namespace sinew::play::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
