// The baselines of the packed runtime, each optimised as far as possible:
// - traffic: the same bytes read and written, no skinning. The lower bound.
// - plain: a straightforward loop, left to the compiler.
// - columns: each vertex blends the columns of its matrices by SIMD (how ozz-animation works), the best of three
// widths.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "sinew/character/skin.h"
#include "sinew/play/aligned.h"
#include "sinew/play/packed_skin.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sinew::bench {

inline constexpr int kPeerInfluences = 4;

/// 48 bytes per vertex and frame: position, 4 weights, 4 joints of 16 bits in, position out. In the mesh's own order.
struct PlainSkin {
  struct Vertex {
    std::array<float, kPeerInfluences> weight{};
    std::array<std::uint16_t, kPeerInfluences> joint{};
  };
  std::vector<float> rest;  ///< x y z, with a float to spare
  std::vector<Vertex> vertices;

  PlainSkin(const Points& points, const SkinWeights& weights) : rest(3 * points.cols() + 1), vertices(points.cols()) {
    Eigen::Map<Eigen::Matrix3Xf>(rest.data(), 3, points.cols()) = points.cast<float>();
    for (Index v = 0; v < points.cols(); ++v) {
      for (std::size_t j = 0; j < weights[v].size(); ++j) {
        vertices[v].weight[j] = static_cast<float>(weights[v][j].weight);
        vertices[v].joint[j] = static_cast<std::uint16_t>(weights[v][j].binding);
      }
    }
  }
};

/// Matrices are 4 x 4 by columns, as skinLinear takes them.
inline void plainLoop(const PlainSkin& skin, const float* matrices, float* out) {
  for (std::size_t v = 0; v < skin.vertices.size(); ++v) {
    const float* p = skin.rest.data() + 3 * v;
    float x = 0;
    float y = 0;
    float z = 0;
    for (std::size_t j = 0; j < kPeerInfluences; ++j) {
      const float w = skin.vertices[v].weight[j];
      const float* m = matrices + std::size_t{16} * skin.vertices[v].joint[j];
      x += w * (m[0] * p[0] + m[4] * p[1] + m[8] * p[2] + m[12]);
      y += w * (m[1] * p[0] + m[5] * p[1] + m[9] * p[2] + m[13]);
      z += w * (m[2] * p[0] + m[6] * p[1] + m[10] * p[2] + m[14]);
    }
    out[3 * v] = x;
    out[3 * v + 1] = y;
    out[3 * v + 2] = z;
  }
}

/// The same with the matrix blended first, which some compilers like better.
inline void plainMatrixLoop(const PlainSkin& skin, const float* matrices, float* out) {
  for (std::size_t v = 0; v < skin.vertices.size(); ++v) {
    std::array<float, 16> m{};
    for (std::size_t j = 0; j < kPeerInfluences; ++j) {
      const float* from = matrices + std::size_t{16} * skin.vertices[v].joint[j];
      for (std::size_t i = 0; i < 16; ++i) m[i] += skin.vertices[v].weight[j] * from[i];
    }
    const float* p = skin.rest.data() + 3 * v;
    for (std::size_t r = 0; r < 3; ++r) out[3 * v + r] = m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r];
  }
}

#if defined(__x86_64__)

/// Columns of 4 floats, 128 bits. Each store writes a float too many, which the next vertex overwrites.
__attribute__((target("avx2,fma"))) inline void columns128(const PlainSkin& skin, const float* matrices, float* out) {
  for (std::size_t v = 0; v < skin.vertices.size(); ++v) {
    const PlainSkin::Vertex& vertex = skin.vertices[v];
    __m128 c0 = _mm_setzero_ps();
    __m128 c1 = c0;
    __m128 c2 = c0;
    __m128 c3 = c0;
#pragma GCC unroll 4
    for (std::size_t j = 0; j < kPeerInfluences; ++j) {
      const __m128 w = _mm_broadcast_ss(&vertex.weight[j]);
      const float* m = matrices + std::size_t{16} * vertex.joint[j];
      c0 = _mm_fmadd_ps(w, _mm_loadu_ps(m), c0);
      c1 = _mm_fmadd_ps(w, _mm_loadu_ps(m + 4), c1);
      c2 = _mm_fmadd_ps(w, _mm_loadu_ps(m + 8), c2);
      c3 = _mm_fmadd_ps(w, _mm_loadu_ps(m + 12), c3);
    }
    const float* p = skin.rest.data() + 3 * v;
    const __m128 xy = _mm_fmadd_ps(c0, _mm_broadcast_ss(p), _mm_mul_ps(c1, _mm_broadcast_ss(p + 1)));
    _mm_storeu_ps(out + 3 * v, _mm_add_ps(xy, _mm_fmadd_ps(c2, _mm_broadcast_ss(p + 2), c3)));
  }
}

/// Two columns at a time, 256 bits.
__attribute__((target("avx2,fma"))) inline void columns256(const PlainSkin& skin, const float* matrices, float* out) {
  for (std::size_t v = 0; v < skin.vertices.size(); ++v) {
    const PlainSkin::Vertex& vertex = skin.vertices[v];
    __m256 c01 = _mm256_setzero_ps();
    __m256 c23 = c01;
#pragma GCC unroll 4
    for (std::size_t j = 0; j < kPeerInfluences; ++j) {
      const __m256 w = _mm256_broadcast_ss(&vertex.weight[j]);
      const float* m = matrices + std::size_t{16} * vertex.joint[j];
      c01 = _mm256_fmadd_ps(w, _mm256_loadu_ps(m), c01);
      c23 = _mm256_fmadd_ps(w, _mm256_loadu_ps(m + 8), c23);
    }
    const float* p = skin.rest.data() + 3 * v;
    const __m256 xy = _mm256_set_m128(_mm_broadcast_ss(p + 1), _mm_broadcast_ss(p));
    const __m256 z1 = _mm256_set_m128(_mm_set1_ps(1), _mm_broadcast_ss(p + 2));
    const __m256 both = _mm256_fmadd_ps(c01, xy, _mm256_mul_ps(c23, z1));
    _mm_storeu_ps(out + 3 * v, _mm_add_ps(_mm256_castps256_ps128(both), _mm256_extractf128_ps(both, 1)));
  }
}

/// The whole matrix at once, 512 bits.
__attribute__((target("avx512f,avx512vl,avx512dq,avx2,fma"))) inline void columns512(const PlainSkin& skin,
                                                                                     const float* matrices,
                                                                                     float* out) {
  const __m512i spread = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
  const __m512 one = _mm512_set1_ps(1);
  for (std::size_t v = 0; v < skin.vertices.size(); ++v) {
    const PlainSkin::Vertex& vertex = skin.vertices[v];
    __m512 m = _mm512_setzero_ps();
#pragma GCC unroll 4
    for (std::size_t j = 0; j < kPeerInfluences; ++j) {
      m = _mm512_fmadd_ps(_mm512_set1_ps(vertex.weight[j]),
                          _mm512_loadu_ps(matrices + std::size_t{16} * vertex.joint[j]), m);
    }
    const __m512 p = _mm512_castps128_ps512(_mm_loadu_ps(skin.rest.data() + 3 * v));
    const __m512 xyz1 = _mm512_mask_permutexvar_ps(one, 0x0fff, spread, p);
    m = _mm512_mul_ps(m, xyz1);
    const __m256 half =
        _mm256_add_ps(_mm512_maskz_extractf32x8_ps(0xff, m, 0), _mm512_maskz_extractf32x8_ps(0xff, m, 1));
    _mm_storeu_ps(out + 3 * v, _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1)));
  }
}

/// As many bytes as a packed skin reads in a frame, in rows of a block's 16 lanes.
class Traffic {
 public:
  explicit Traffic(const play::PackedSkin& skin)
      : blocks_(skin.placeCount() / kLanes),
        rest_(floatsOf(skin.report().bytesPerVertex, skin.vertexCount(), sizeof(float)), 1.0f),
        normals_(floatsOf(skin.report().bytesPerPackedNormal, skin.vertexCount(), sizeof(std::int16_t)), 1) {}

  [[nodiscard]] std::size_t blocks() const { return blocks_; }
  /// The rows of positions and weights of block b begin here; those of the last one end at restRow(blocks()).
  [[nodiscard]] const float* restRow(std::size_t b) const {
    return rest_.data() + b * (rest_.size() / kLanes) / blocks_ * kLanes;
  }
  [[nodiscard]] const std::int16_t* normalRow(std::size_t b) const {
    return normals_.data() + b * (normals_.size() / kLanes) / blocks_ * kLanes;
  }

 private:
  static constexpr std::size_t kLanes = 16;
  static std::size_t floatsOf(double bytesPerVertex, std::size_t vertices, std::size_t bytes) {
    return static_cast<std::size_t>(std::llround(bytesPerVertex * static_cast<double>(vertices))) / bytes;
  }

  std::size_t blocks_;
  play::AlignedFloats rest_;
  play::AlignedShorts normals_;
};

/// Reads every row of a skin and writes the bytes of the positions, whole rows both. `streamed`: past the caches, as
/// the packed runtime does for large outputs.
__attribute__((target("avx2,fma"))) inline void traffic256(const Traffic& traffic, bool streamed, float* to) {
  for (std::size_t b = 0; b < traffic.blocks(); ++b, to += 48) {
    const float* end = traffic.restRow(b + 1);
    for (std::size_t half = 0; half < 16; half += 8) {
      const float* from = traffic.restRow(b) + half;
      const __m256 x = _mm256_load_ps(from);
      const __m256 y = _mm256_load_ps(from + 16);
      __m256 z = _mm256_load_ps(from + 32);
      for (const float* row = from + 48; row < end; row += 16) z = _mm256_or_ps(z, _mm256_load_ps(row));
      if (streamed) {
        _mm256_stream_ps(to + half, x);
        _mm256_stream_ps(to + 16 + half, y);
        _mm256_stream_ps(to + 32 + half, z);
      } else {
        _mm256_store_ps(to + half, x);
        _mm256_store_ps(to + 16 + half, y);
        _mm256_store_ps(to + 32 + half, z);
      }
    }
  }
  _mm_sfence();
}

/// The same for packed normals: the short normals in, 4 bytes per vertex out.
__attribute__((target("avx2,fma"))) inline void trafficNormals(const Traffic& traffic, bool streamed,
                                                               std::uint32_t* packed) {
  for (std::size_t b = 0; b < traffic.blocks(); ++b, packed += 16) {
    __m256i x = _mm256_setzero_si256();
    for (const std::int16_t* row = traffic.normalRow(b); row < traffic.normalRow(b + 1); row += 16) {
      x = _mm256_or_si256(x, _mm256_load_si256(reinterpret_cast<const __m256i*>(row)));
    }
    auto* to = reinterpret_cast<__m256i*>(packed);
    if (streamed) {
      _mm256_stream_si256(to, x);
      _mm256_stream_si256(to + 1, x);
    } else {
      _mm256_store_si256(to, x);
      _mm256_store_si256(to + 1, x);
    }
  }
  _mm_sfence();
}

__attribute__((target("avx512f,avx512dq"))) inline void traffic512(const Traffic& traffic, bool streamed, float* to) {
  for (std::size_t b = 0; b < traffic.blocks(); ++b, to += 48) {
    const float* from = traffic.restRow(b);
    const float* end = traffic.restRow(b + 1);
    const __m512 x = _mm512_load_ps(from);
    const __m512 y = _mm512_load_ps(from + 16);
    __m512 z = _mm512_load_ps(from + 32);
    for (const float* row = from + 48; row < end; row += 16) z = _mm512_or_ps(z, _mm512_load_ps(row));
    if (streamed) {
      _mm512_stream_ps(to, x);
      _mm512_stream_ps(to + 16, y);
      _mm512_stream_ps(to + 32, z);
    } else {
      _mm512_store_ps(to, x);
      _mm512_store_ps(to + 16, y);
      _mm512_store_ps(to + 32, z);
    }
  }
  _mm_sfence();
}

#endif

}  // namespace sinew::bench
