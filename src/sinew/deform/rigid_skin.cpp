#include "sinew/deform/rigid_skin.h"

#include "sinew/base/parallel.h"

namespace sinew {
namespace {

constexpr Index kRigidSkinGrain = 4096;

// Columns are sorted by weight; among equal ones the lowest binding is used, regardless of their order.
std::uint32_t largest(std::span<const Influence> influences) {
  Influence best = influences[0];
  for (const Influence& other : influences.subspan(1)) {
    if (other.weight < best.weight) break;
    if (other.binding < best.binding) best = other;
  }
  return best.binding;
}

}  // namespace

RigidSkin::RigidSkin(const SkinWeights& weights) : bindingCount_(static_cast<Index>(weights.bindingCount())) {
  binding_.reserve(toSize(weights.vertexCount()));
  for (Index v = 0; v < weights.vertexCount(); ++v) binding_.push_back(largest(weights[v]));
}

void RigidSkin::apply(const ConstPointsRef& points, const PosedJoints& joints, DeformScratch& /*scratch*/,
                      PointsRef moved) const {
  parallelFor(points.cols(), kRigidSkinGrain, [&](Index v) {
    const Affine& worldFromRest = joints.worldFromRest[binding_[toSize(v)]];
    moved.col(v) = worldFromRest * points.col(v);
  });
}

}  // namespace sinew
