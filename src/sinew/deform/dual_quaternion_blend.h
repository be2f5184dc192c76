// Dual quaternion skinning: blends rigid motions as motions, so twists keep their volume.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sinew/character/skin.h"
#include "sinew/deform/deformer.h"

namespace sinew {

/// Each vertex moves by the normalised sum of its joints' dual quaternions, taken in the hemisphere of its largest
/// weight. Scale and shear are blended linearly first, each about its joint. See docs/methods/skinning_operators.md.
class DualQuaternionBlend final : public Deformer {
 public:
  /// Scale acts about the joints' rest positions.
  explicit DualQuaternionBlend(const Skin& skin);
  /// Without bindings: scale acts about the origin of the rest space. The same for rigid poses. Throws on null.
  explicit DualQuaternionBlend(SkinWeights weights);
  explicit DualQuaternionBlend(std::shared_ptr<const SkinWeights> weights);

  [[nodiscard]] std::string_view name() const override { return "dual-quaternion"; }
  [[nodiscard]] Index vertexCount() const override { return weights_->vertexCount(); }
  [[nodiscard]] Index bindingCount() const override { return static_cast<Index>(weights_->bindingCount()); }
  [[nodiscard]] const SkinWeights& weights() const { return *weights_; }

  /// The rotation of each vertex: the matrix of normalise(sum_j w_j q_j), q_j the rotation of binding j in the
  /// hemisphere of the largest weight. It rotates with the root and is the frame of pose-space corrections. `rotations`
  /// must have vertexCount() entries; no allocation once the scratch has grown.
  void vertexRotations(const PosedJoints& joints, DeformScratch& scratch, std::span<Mat3> rotations) const;

 protected:
  void apply(const ConstPointsRef& points, const PosedJoints& joints, DeformScratch& scratch,
             PointsRef moved) const override;

 private:
  std::shared_ptr<const SkinWeights> weights_;
  std::vector<Vec3> centres_;  // per binding: the fixed point of its stretch
};

}  // namespace sinew
