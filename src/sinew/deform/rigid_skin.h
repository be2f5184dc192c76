// Rigid skinning: each vertex follows the joint of its largest weight, as a robot's parts do.
#pragma once

#include <cstdint>
#include <vector>

#include "sinew/character/skin.h"
#include "sinew/deform/deformer.h"

namespace sinew {

/// moved_v = worldFromRest_j p_v, j the binding of the largest weight (the lower index of equal ones).
class RigidSkin final : public Deformer {
 public:
  explicit RigidSkin(const SkinWeights& weights);

  [[nodiscard]] std::string_view name() const override { return "rigid"; }
  [[nodiscard]] Index vertexCount() const override { return static_cast<Index>(binding_.size()); }
  [[nodiscard]] Index bindingCount() const override { return bindingCount_; }
  /// Per vertex: the binding that it follows.
  [[nodiscard]] const std::vector<std::uint32_t>& binding() const { return binding_; }

 protected:
  void apply(const ConstPointsRef& points, const PosedJoints& joints, DeformScratch& scratch,
             PointsRef moved) const override;

 private:
  Index bindingCount_ = 0;
  std::vector<std::uint32_t> binding_;
};

}  // namespace sinew
