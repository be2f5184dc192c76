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

void Playback::morph(const Character& character, const Pose& pose, std::vector<double>& weights, Points& points) const {
  weights = pose.morphWeights;
  for (const int morph : silentMorphs) weights.at(toSize(morph)) = 0;
  applyMorphs(character, weights, points);
}

CharacterPoser::CharacterPoser(const Character& character, Playback playback)
    : character_(character), playback_(std::move(playback)) {
  if (!playback_.deformer) playback_.deformer = blendOf(character);
}

const Points& CharacterPoser::pose(const Pose& pose) {
  poseJoints(character_, pose, joints_);
  playback_.morph(character_, pose, morphWeights_, morphed_);
  if (!playback_.deformer) return morphed_;
  posed_.resize(3, morphed_.cols());
  playback_.deformer->deform(morphed_, joints_, scratch_, posed_);
  return posed_;
}

Points posePoints(const Character& character, const Pose& pose, const Playback& playback) {
  return CharacterPoser(character, playback).pose(pose);
}

}  // namespace sinew
