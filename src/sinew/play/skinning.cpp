#include "sinew/play/skinning.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/play/skin_call.h"

namespace sinew {
namespace {

/// Outputs of more bytes than this do not stay in a core's own cache until someone reads them.
constexpr std::size_t kStreamBytes = std::size_t{4} << 20;
constexpr std::uintptr_t kLine = 64;
/// Largest departure of R^T R from the identity that still counts as rigid.
constexpr double kRigidTolerance = 2e-3;

using Kernel = void (*)(const detail::SkinJob&, std::uint32_t first, std::uint32_t end);

void checkPlay(const char* where, const PackedSkin& skin, std::span<const float> palette, int floatsPerBinding,
               const SkinOutput& output) {
  const std::size_t wanted = skin.bindingCount() * static_cast<std::size_t>(floatsPerBinding);
  SINEW_CHECK(palette.size() == wanted, where,
              fmt::format("the palette has {} floats, {} joints need {}", palette.size(), skin.bindingCount(), wanted));
  const bool packed = output.order == VertexOrder::Packed;
  const auto count = static_cast<std::size_t>(packed ? skin.placeCount() : skin.vertexCount());
  const char* what = packed ? "places in packed order" : "vertices";
  SINEW_CHECK(output.positions.size() == 3 * count, where,
              fmt::format("the positions have room for {} floats, {} {} need {}", output.positions.size(), count, what,
                          3 * count));
  SINEW_CHECK(output.normals.empty() || output.packedNormals.empty(), where,
              "normals are asked for in both forms; give one span of the two");
  SINEW_CHECK(
      output.normals.empty() || output.normals.size() == 3 * count, where,
      fmt::format("the normals have room for {} floats, {} {} need {}", output.normals.size(), count, what, 3 * count));
  SINEW_CHECK(output.packedNormals.empty() || output.packedNormals.size() == count, where,
              fmt::format("there is room for {} packed normals of {} {}", output.packedNormals.size(), count, what));
  SINEW_CHECK((output.normals.empty() && output.packedNormals.empty()) || skin.hasNormals(), where,
              "normals are asked for, but the skin was packed without; pack it with normals");
  const auto bad = std::find_if(palette.begin(), palette.end(), [](float value) { return !std::isfinite(value); });
  SINEW_CHECK(bad == palette.end(), where,
              fmt::format("the transform of joint {} has a value that is not a finite number",
                          (bad - palette.begin()) / floatsPerBinding));
}

template <class T>
bool startsALine(std::span<T> span) {
  return reinterpret_cast<std::uintptr_t>(span.data()) % kLine == 0;
}

bool streams(const char* where, const SkinOutput& output) {
  const bool possible = output.order == VertexOrder::Packed && startsALine(output.positions) &&
                        startsALine(output.normals) && startsALine(output.packedNormals);
  SINEW_CHECK(possible || output.stores != Stores::Streamed, where,
              "streamed stores need the packed order and outputs aligned to 64 bytes");
  if (output.stores != Stores::Auto) return output.stores == Stores::Streamed;
  return possible && output.positions.size_bytes() >= kStreamBytes;
}

void play(Kernel kernel, const char* where, const PackedSkin& skin, std::span<const float> palette,
          int floatsPerBinding, const SkinOutput& output) {
  const detail::SkinJob job = detail::checkedJob(where, skin, palette, floatsPerBinding, output);
  parallelRanges(static_cast<Index>(skin.layout().blockCount), detail::kBlockGrain, [&](Index first, Index end) {
    kernel(job, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end));
  });
}

void checkPalette(std::span<const Affine> worldFromRest, std::size_t floats, int floatsPerBinding, const char* where) {
  const std::size_t wanted = worldFromRest.size() * static_cast<std::size_t>(floatsPerBinding);
  SINEW_CHECK(
      floats == wanted, where,
      fmt::format("the palette has room for {} floats, {} joints need {}", floats, worldFromRest.size(), wanted));
}

}  // namespace

detail::SkinJob detail::checkedJob(const char* where, const PackedSkin& skin, std::span<const float> palette,
                                   int floatsPerBinding, const SkinOutput& output) {
  checkPlay(where, skin, palette, floatsPerBinding, output);
  SkinJob job;
  job.layout = &skin.layout();
  job.palette = palette.data();
  job.positions = output.positions.data();
  if (!output.normals.empty()) job.normals = output.normals.data();
  if (!output.packedNormals.empty()) job.packedNormals = output.packedNormals.data();
  job.originalOrder = output.order == VertexOrder::Original;
  job.streamed = streams(where, output);
  return job;
}

void skinLinear(const PackedSkin& skin, std::span<const float> matrices, const SkinOutput& output) {
  play(detail::linearBlocks, "skinLinear", skin, matrices, kMatrixFloats, output);
}

void skinDualQuaternion(const PackedSkin& skin, std::span<const float> dualQuaternions, const SkinOutput& output) {
  play(detail::dualQuaternionBlocks, "skinDualQuaternion", skin, dualQuaternions, kDualQuaternionFloats, output);
}

void packMatrices(std::span<const Affine> worldFromRest, std::span<float> matrices) {
  checkPalette(worldFromRest, matrices.size(), kMatrixFloats, "packMatrices");
  for (std::size_t b = 0; b < worldFromRest.size(); ++b) {
    Eigen::Map<Eigen::Matrix4f> matrix(matrices.data() + b * kMatrixFloats);
    matrix.topRows<3>() = worldFromRest[b].matrix().cast<float>();
    matrix.row(3) << 0, 0, 0, 1;
  }
}

void packDualQuaternions(std::span<const Affine> worldFromRest, std::span<float> dualQuaternions) {
  constexpr const char* kWhere = "packDualQuaternions";
  checkPalette(worldFromRest, dualQuaternions.size(), kDualQuaternionFloats, kWhere);
  for (std::size_t b = 0; b < worldFromRest.size(); ++b) {
    const Mat3 linear = worldFromRest[b].linear();
    const double departure = (linear.transpose() * linear - Mat3::Identity()).cwiseAbs().maxCoeff();
    SINEW_CHECK(departure <= kRigidTolerance && linear.determinant() > 0, kWhere,
                fmt::format("the transform of joint {} scales, shears or mirrors; dual quaternions carry rotation and "
                            "translation only: take the scale out of the pose or use skinLinear",
                            b));
    const Quat real = Quat(linear).normalized();
    const Vec3 half = 0.5 * worldFromRest[b].translation();
    const Quat dual = Quat(0, half.x(), half.y(), half.z()) * real;
    Eigen::Map<Eigen::Vector4f> realOut(dualQuaternions.data() + b * kDualQuaternionFloats);
    Eigen::Map<Eigen::Vector4f> dualOut(dualQuaternions.data() + b * kDualQuaternionFloats + 4);
    realOut = real.coeffs().cast<float>();
    dualOut = dual.coeffs().cast<float>();
  }
}

Eigen::Vector3f unpackNormal(std::uint32_t packed) {
  Eigen::Vector3f normal;
  for (int c = 0; c < 3; ++c) {
    const auto bits = static_cast<int>((packed >> (10 * c)) & 0x3ffu);
    normal[c] = static_cast<float>(bits >= 512 ? bits - 1024 : bits) / 511.0f;
  }
  return normal;
}

const char* skinningTarget() {
  return detail::dispatchedTarget();
}

}  // namespace sinew
