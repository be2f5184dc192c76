// The quaternions of a run, made ready to be blended. Included once per instruction set, so the guard toggles.
#if defined(SINEW_PLAY_QUATERNION_CONSTANTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SINEW_PLAY_QUATERNION_CONSTANTS_INL_H
#undef SINEW_PLAY_QUATERNION_CONSTANTS_INL_H
#else
#define SINEW_PLAY_QUATERNION_CONSTANTS_INL_H
#endif

#include <array>

#include "sinew/play/kernels/blocks_inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinew::play::kernels::HWY_NAMESPACE {
namespace {

constexpr std::size_t kRealParts = 4;  ///< of a quaternion: x y z w
constexpr std::size_t kDualParts = 8;  ///< of a dual quaternion: real x y z w, dual x y z w

HWY_INLINE float dotReal(const float* p, const float* q) {
  return p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
}

/// Weights of a block: row j - 1 holds joint j, `stride` floats from block to block.
struct WeightRows {
  const float* first = nullptr;
  std::size_t stride = 0;
};

/// Quaternions of a run, turned to the hemisphere of joint 0. If no two of them then have a negative product, the
/// signs of a blend do not depend on the vertex, and the entries are q_0 and q_j - q_0. Else they are 0 and all q_j, to
/// be taken with the weights that signWeights writes.
template <std::size_t kParts>
struct QuaternionConstants {
  alignas(64) float entries[kParts * (kMostRunBones + 1)];
  std::array<float, std::size_t{kMostRunBones} * kMostRunBones> signs;  ///< of joint j for pivot p
  bool oneHemisphere = true;

  void prepare(const float* palette, const std::uint16_t* bones, std::size_t count) {
    float q[kParts * kMostRunBones];
    for (std::size_t j = 0; j < count; ++j) {
      const float* from = palette + kParts * bones[j];
      const float sign = dotReal(palette + kParts * bones[0], from) < 0 ? -1.0f : 1.0f;
      for (std::size_t c = 0; c < kParts; ++c) q[kParts * j + c] = sign * from[c];
    }
    signs.fill(1);
    oneHemisphere = true;
    for (std::size_t p = 0; p < count; ++p) {
      for (std::size_t j = 0; j < count; ++j) {
        if (dotReal(q + kParts * p, q + kParts * j) >= 0) continue;
        signs[p * kMostRunBones + j] = -1;
        oneHemisphere = false;
      }
    }
    const std::size_t shift = oneHemisphere ? 0 : kParts;
    for (std::size_t c = 0; c < kParts; ++c) entries[c] = 0;
    for (std::size_t i = 0; i < kParts * count; ++i) {
      entries[shift + i] = oneHemisphere && i >= kParts ? q[i] - q[i % kParts] : q[i];
    }
  }

  /// All weights of a block, that of joint 0 too, under the signs of each vertex's pivot. `rest` is the block,
  /// `weights` has room for a row per joint.
  void signWeights(std::size_t bones, const float* rest, const std::uint8_t* pivots, float* weights) const {
    for (std::size_t lane = 0; lane < kBlockLanes; ++lane) {
      const float* sign = signs.data() + std::size_t{pivots[lane]} * kMostRunBones;
      float first = 1;
      for (std::size_t j = 1; j < bones; ++j) {
        const float w = rest[(2 + j) * kBlockLanes + lane];
        weights[j * kBlockLanes + lane] = sign[j] * w;
        first -= w;
      }
      weights[lane] = sign[0] * first;
    }
  }
};

template <class V>
HWY_INLINE V crossPart(V ay, V az, V by, V bz) {
  return hn::NegMulAdd(az, by, hn::Mul(ay, bz));
}

/// The motion of one unnormalised dual quaternion; its dual part is left out for directions.
HWY_INLINE void moveOne(const float* q, bool direction, const float* p, float* moved) {
  const float x = p[0], y = p[1], z = p[2];
  const float rx = q[0], ry = q[1], rz = q[2], a = q[3];
  float dx = 0, dy = 0, dz = 0, e = 0;
  if (!direction) {
    dx = q[4];
    dy = q[5];
    dz = q[6];
    e = q[7];
  }
  const float twice = 2 / dotReal(q, q);
  const float tx = ry * z - rz * y + a * x + dx;
  const float ty = rz * x - rx * z + a * y + dy;
  const float tz = rx * y - ry * x + a * z + dz;
  moved[0] = x + twice * (ry * tz - rz * ty + a * dx - e * rx);
  moved[1] = y + twice * (rz * tx - rx * tz + a * dy - e * ry);
  moved[2] = z + twice * (rx * ty - ry * tx + a * dz - e * rz);
}

/// Blends the quaternions of one vertex of a PerVertex block; the first of its joints has the largest weight.
template <std::size_t kParts>
HWY_INLINE void blendLone(const float* palette, const LoneVertex& vertex, float* blended) {
  const hn::CappedTag<float, 4> d;
  constexpr std::size_t kVectors = kParts / hn::MaxLanes(d);
  const float* pivot = palette + kParts * boneAt(vertex.joints, 0);
  hn::Vec<decltype(d)> sum[kVectors];
  for (auto& part : sum) part = hn::Zero(d);
  for (std::size_t j = 0; j < vertex.bones; ++j) {
    const float* q = palette + kParts * boneAt(vertex.joints, j);
    const auto w = hn::Set(d, dotReal(pivot, q) < 0 ? -vertex.weights[j] : vertex.weights[j]);
    SINEW_UNROLL
    for (std::size_t u = 0; u < kVectors; ++u) sum[u] = hn::MulAdd(w, hn::LoadU(d, q + u * hn::MaxLanes(d)), sum[u]);
  }
  for (std::size_t u = 0; u < kVectors; ++u) hn::StoreU(sum[u], d, blended + u * hn::MaxLanes(d));
}

}  // namespace
}  // namespace sinew::play::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
