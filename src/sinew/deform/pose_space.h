// Pose-space deformation: sculpted corrections that follow the pose.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "sinew/deform/deformer.h"
#include "sinew/deform/dual_quaternion_blend.h"
#include "sinew/deform/pose_space_model.h"
#include "sinew/deform/pose_space_weights.h"

namespace sinew {

/// Plays a model on a character: takes rest points (morph targets applied) to posed and corrected ones. It follows
/// PosedJoints::pose, which poseJoints sets. Shares the model; the character need not outlive it.
class PoseSpaceDeformer final : public Deformer {
 public:
  /// `base` replaces the operator that the model names; null: that operator.
  PoseSpaceDeformer(const Character& character, std::shared_ptr<const PoseSpaceModel> model,
                    DeformerPtr base = nullptr);

  [[nodiscard]] std::string_view name() const override { return "pose-space"; }
  [[nodiscard]] Index vertexCount() const override { return vertexCount_; }
  [[nodiscard]] Index bindingCount() const override { return bindingCount_; }
  [[nodiscard]] const PoseSpaceModel& model() const { return *model_; }
  [[nodiscard]] const PoseSpaceWeights& weights() const { return weights_; }
  [[nodiscard]] const Deformer& base() const { return *base_; }

 protected:
  void apply(const ConstPointsRef& points, const PosedJoints& joints, DeformScratch& scratch,
             PointsRef moved) const override;

 private:
  /// The rotations of the corrections: per affected vertex (Frame), or per joint, used for roots.
  void turnFrames(const PosedJoints& joints, DeformScratch& scratch, std::vector<Mat3>& rotations) const;
  void correct(const std::vector<Points>& deltas, CorrectionScratch& memory) const;

  Skeleton skeleton_;
  Index vertexCount_ = 0;
  Index bindingCount_ = 0;
  std::size_t morphCount_ = 0;  // those that drive, and all before them
  std::shared_ptr<const PoseSpaceModel> model_;
  DeformerPtr base_;
  std::unique_ptr<DualQuaternionBlend> frames_;  // of the affected vertices, Frame only
  std::vector<int> rootOf_;                      // per vertex, Forward and layers
  PoseSpaceWeights weights_;
};

}  // namespace sinew
