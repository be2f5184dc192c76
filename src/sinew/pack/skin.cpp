#include "sinew/pack/skin.h"

#include <fmt/format.h>

#include <vector>

#include "sinew/base/check.h"
#include "sinew/pack/plain_skin.h"

namespace sinew {
namespace {

/// Largest departure of R^T R from the identity that still counts as rigid.
constexpr double kRigidTolerance = 2e-3;

void checkPalette(std::size_t joints, std::size_t floats, std::size_t floatsPerJoint, const char* where) {
  SINEW_CHECK(
      floats == joints * floatsPerJoint, where,
      fmt::format("the palette has room for {} floats, {} joints need {}", floats, joints, joints * floatsPerJoint));
}

}  // namespace

play::PackedSkin packSkin(const ConstPointsRef& rest, const ConstPointsRef& normals, const SkinWeights& weights,
                          const play::PackOptions& options) {
  const PlainSkin source(rest, normals, weights);
  return refusedAsError([&] { return play::PackedSkin(source.arrays(), options); });
}

play::PackedSkin packSkin(const Character& character, const play::PackOptions& options) {
  return packSkin(character.mesh.points, character.mesh.normals, character.skin.weights, options);
}

void packMatrices(std::span<const Affine> worldFromRest, std::span<float> matrices) {
  checkPalette(worldFromRest.size(), matrices.size(), play::kMatrixFloats, "packMatrices");
  for (std::size_t b = 0; b < worldFromRest.size(); ++b) {
    Eigen::Map<Eigen::Matrix4f> matrix(matrices.data() + b * play::kMatrixFloats);
    matrix.topRows<3>() = worldFromRest[b].matrix().cast<float>();
    matrix.row(3) << 0, 0, 0, 1;
  }
}

void packDualQuaternions(std::span<const Affine> worldFromRest, std::span<float> dualQuaternions) {
  constexpr const char* where = "packDualQuaternions";
  checkPalette(worldFromRest.size(), dualQuaternions.size(), play::kDualQuaternionFloats, where);
  for (std::size_t b = 0; b < worldFromRest.size(); ++b) {
    const Mat3 linear = worldFromRest[b].linear();
    const double departure = (linear.transpose() * linear - Mat3::Identity()).cwiseAbs().maxCoeff();
    SINEW_CHECK(departure <= kRigidTolerance && linear.determinant() > 0, where,
                fmt::format("the transform of joint {} scales, shears or mirrors; dual quaternions carry rotation and "
                            "translation only: take the scale out of the pose or use skinLinear",
                            b));
    const Quat real = Quat(linear).normalized();
    const Vec3 half = 0.5 * worldFromRest[b].translation();
    const Quat dual = Quat(0, half.x(), half.y(), half.z()) * real;
    Eigen::Map<Eigen::Vector4f> realOut(dualQuaternions.data() + b * play::kDualQuaternionFloats);
    Eigen::Map<Eigen::Vector4f> dualOut(dualQuaternions.data() + b * play::kDualQuaternionFloats + 4);
    realOut = real.coeffs().cast<float>();
    dualOut = dual.coeffs().cast<float>();
  }
}

}  // namespace sinew
