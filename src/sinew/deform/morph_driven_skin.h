// Learned corrections that morph targets hold alone: targets whose weights follow the pose, then linear blend.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "sinew/character/character.h"
#include "sinew/deform/deformer.h"
#include "sinew/deform/pose_space_morphs.h"
#include "sinew/deform/posing.h"

namespace sinew {

/// The model without corrections of its own: drivers and poses, from which PoseSpaceMorphWeights computes the weights
/// that it computes from the model. For files whose morph targets are all that plays (PoseSpaceModel::inMorphs).
PoseSpaceModel driversOf(const PoseSpaceModel& model);

/// Takes rest points, without the driven morph targets (Playback::silentMorphs), to posed ones. Follows
/// PosedJoints::pose. The character need not outlive it.
class MorphDrivenSkin final : public Deformer {
 public:
  /// Throws BadInput as PoseSpaceMorphWeights does, and for a character without a skin.
  MorphDrivenSkin(const Character& character, const PoseSpaceModel& model, const PoseSpaceMorphs& morphs);

  [[nodiscard]] std::string_view name() const override { return "pose-space"; }
  [[nodiscard]] Index vertexCount() const override { return base_->vertexCount(); }
  [[nodiscard]] Index bindingCount() const override { return base_->bindingCount(); }

 protected:
  void apply(const ConstPointsRef& points, const PosedJoints& joints, DeformScratch& scratch,
             PointsRef moved) const override;

 private:
  Skeleton skeleton_;
  PoseSpace space_;
  PoseSpaceMorphWeights weights_;
  std::vector<MorphTarget> targets_;  // in the order of PoseSpaceMorphs::morphs
  std::size_t morphCount_ = 0;        // that the drivers read
  DeformerPtr base_;
};

/// What players show that know morph targets and linear blend, with the weights of the pose: not the model.
Playback playedByMorphs(const CorrectedCharacter& character);

}  // namespace sinew
