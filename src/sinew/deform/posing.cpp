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

CharacterPoser::CharacterPoser(const Character& character, DeformerPtr deformer)
    : character_(character), deformer_(deformer ? std::move(deformer) : blendOf(character)) {}

const Points& CharacterPoser::pose(const Pose& pose) {
  poseJoints(character_.skeleton, character_.skin.bindings, pose, joints_);
  applyMorphs(character_, pose.morphWeights, morphed_);
  if (!deformer_) return morphed_;
  posed_.resize(3, morphed_.cols());
  deformer_->deform(morphed_, joints_, scratch_, posed_);
  return posed_;
}

Points posePoints(const Character& character, const Pose& pose, const DeformerPtr& deformer) {
  return CharacterPoser(character, deformer).pose(pose);
}

}  // namespace sinew
