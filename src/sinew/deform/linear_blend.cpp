// Skeleton-subspace deformation, Magnenat-Thalmann, Laperriere and Thalmann 1988; Lewis, Cordner and Fong 2000:
//   p'_v = sum_j w_vj T_j p_v,  T_j = worldFromRest of binding j.
// The 3 x 4 matrices are blended first and applied once: 12 multiplications per influence and 9 per vertex, and the
// blended 3 x 3 is the derivative.
#include "sinew/deform/linear_blend.h"

#include <fmt/format.h>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"

namespace sinew {
namespace {

constexpr Index kLinearBlendGrain = 2048;

using Matrix34 = Eigen::Matrix<double, 3, 4>;

inline Matrix34 blend(std::span<const Influence> influences, const std::vector<Affine>& worldFromRest) {
  Matrix34 sum = influences[0].weight * worldFromRest[influences[0].binding].matrix();
  for (const Influence& influence : influences.subspan(1)) {
    sum += influence.weight * worldFromRest[influence.binding].matrix();
  }
  return sum;
}

}  // namespace

LinearBlend::LinearBlend(SkinWeights weights) : weights_(std::make_shared<SkinWeights>(std::move(weights))) {}

LinearBlend::LinearBlend(std::shared_ptr<const SkinWeights> weights) : weights_(std::move(weights)) {
  SINEW_CHECK(weights_ != nullptr, "linear-blend", "it needs skin weights, but got none");
}

void LinearBlend::apply(const ConstPointsRef& points, const PosedJoints& joints, DeformScratch& /*scratch*/,
                        PointsRef moved) const {
  parallelFor(points.cols(), kLinearBlendGrain, [&](Index v) {
    const Matrix34 worldFromRest = blend((*weights_)[v], joints.worldFromRest);
    moved.col(v) = worldFromRest.col(0) * points(0, v) + worldFromRest.col(1) * points(1, v) +
                   worldFromRest.col(2) * points(2, v) + worldFromRest.col(3);
  });
}

void LinearBlend::jacobians(const PosedJoints& joints, std::span<Mat3> jacobians) const {
  SINEW_CHECK(static_cast<Index>(joints.worldFromRest.size()) == bindingCount(), "linear-blend",
              fmt::format("it expects {} joints, but got {}", bindingCount(), joints.worldFromRest.size()));
  SINEW_CHECK(
      static_cast<Index>(jacobians.size()) == vertexCount(), "linear-blend",
      fmt::format("there is space for {} derivatives, but there are {} vertices", jacobians.size(), vertexCount()));
  parallelFor(vertexCount(), kLinearBlendGrain,
              [&](Index v) { jacobians[toSize(v)] = blend((*weights_)[v], joints.worldFromRest).leftCols<3>(); });
}

}  // namespace sinew
