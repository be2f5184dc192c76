#include "sinew/deform/posing.h"

#include "sinew/deform/linear_blend.h"

namespace sinew {
namespace {

// The poser keeps a reference to the character, so its blend may borrow the weights instead of copying them.
DeformerPtr blendOf(const Character& character) {
  if (!character.hasSkin()) return nullptr;
  return std::make_shared<LinearBlend>(
      std::shared_ptr<const SkinWeights>(std::shared_ptr<void>(), &character.skin.weights));
}

}  // namespace

CharacterPoser::CharacterPoser(const Character& character, DeformerPtr deformer, Learned learned)
    : character_(character), deformer_(std::move(deformer)), learned_(std::move(learned)) {
  if (learned_.poseSpace) {
    poseSpace_ = std::make_unique<PoseSpaceDeformer>(character, learned_.poseSpace, deformer_);
  } else if (!deformer_) {
    deformer_ = blendOf(character);
  }
}

const Points& CharacterPoser::pose(const Pose& pose) {
  poseJoints(character_, pose, joints_);
  morphWeights_ = pose.morphWeights;
  for (const int morph : learned_.imitations) morphWeights_.at(toSize(morph)) = 0;
  applyMorphs(character_, morphWeights_, morphed_);
  if (!poseSpace_ && !deformer_) return morphed_;
  posed_.resize(3, morphed_.cols());
  if (poseSpace_) {
    poseSpace_->deform(morphed_, pose, joints_, scratch_, memory_, posed_);
  } else {
    deformer_->deform(morphed_, joints_, scratch_, posed_);
  }
  return posed_;
}

Points posePoints(const Character& character, const Pose& pose, const DeformerPtr& deformer, const Learned& learned) {
  return CharacterPoser(character, deformer, learned).pose(pose);
}

}  // namespace sinew
