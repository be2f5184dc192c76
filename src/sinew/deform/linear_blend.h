// Linear blend skinning (SSD): each vertex moves by the weighted mean of its joints' transforms.
#pragma once

#include <memory>
#include <span>

#include "sinew/character/skin.h"
#include "sinew/deform/deformer.h"

namespace sinew {

/// moved_v = (sum_j w_vj worldFromRest_j) p_v
class LinearBlend final : public Deformer {
 public:
  explicit LinearBlend(SkinWeights weights);
  /// Shares the weights: for several operators on one skin. Throws on null.
  explicit LinearBlend(std::shared_ptr<const SkinWeights> weights);

  [[nodiscard]] std::string_view name() const override { return "linear-blend"; }
  [[nodiscard]] Index vertexCount() const override { return weights_->vertexCount(); }
  [[nodiscard]] Index bindingCount() const override { return static_cast<Index>(weights_->bindingCount()); }
  [[nodiscard]] const SkinWeights& weights() const { return *weights_; }

  /// The exact derivative of the moved vertex by the given one: the blended 3 x 3, one per vertex. It does not depend
  /// on the points. `jacobians` must have vertexCount() entries.
  void jacobians(const PosedJoints& joints, std::span<Mat3> jacobians) const;

 protected:
  void apply(const ConstPointsRef& points, const PosedJoints& joints, DeformScratch& scratch,
             PointsRef moved) const override;

 private:
  std::shared_ptr<const SkinWeights> weights_;
};

}  // namespace sinew
