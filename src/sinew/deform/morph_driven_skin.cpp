#include "sinew/deform/morph_driven_skin.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/base/check.h"
#include "sinew/deform/linear_blend.h"

namespace sinew {
namespace {

constexpr const char* kDrivenWhere = "driven morph targets";

}  // namespace

PoseSpaceModel driversOf(const PoseSpaceModel& model) {
  PoseSpaceModel drivers = withoutDeltas(model);
  drivers.space = DeltaSpace::Inverse;
  drivers.inMorphs = true;
  // Fading is measured as for the first group, so one of its vertices stays.
  if (model.weighted()) {
    const auto first = std::find(model.groupOf.begin(), model.groupOf.end(), 0u);
    SINEW_CHECK(first != model.groupOf.end(), kDrivenWhere, "no vertex belongs to the first group of the model");
    drivers.vertices = {model.vertices[toSize(first - model.groupOf.begin())]};
    drivers.groupOf = {0};
    drivers.groupWeights = model.groupWeights.leftCols(1);
  }
  drivers.deltas.assign(drivers.exampleCount(), Points::Zero(3, static_cast<Index>(drivers.vertices.size())));
  return drivers;
}

MorphDrivenSkin::MorphDrivenSkin(const Character& character, const PoseSpaceModel& model, const PoseSpaceMorphs& morphs)
    : skeleton_(character.skeleton), space_(model.poseSpace), weights_(model, morphs) {
  SINEW_CHECK(character.hasSkin(), kDrivenWhere, "the character has no skin; bind it first (sinew bind)");
  for (const int morph : morphs.morphs) {
    SINEW_CHECK(morph >= 0 && toSize(morph) < character.morphs.size(), kDrivenWhere,
                fmt::format("morph target {} is driven, but the character has {}", morph, character.morphs.size()));
    const MorphTarget& target = character.morphs[toSize(morph)];
    targets_.push_back({.name = {}, .firstVertex = target.firstVertex, .deltas = target.deltas});
  }
  for (const PoseDriver& driver : space_.drivers) {
    if (driver.kind == DriverKind::Channel) morphCount_ = std::max(morphCount_, toSize(driver.source) + 1);
  }
  base_ = std::make_shared<LinearBlend>(character.skin.weights);
}

void MorphDrivenSkin::apply(const ConstPointsRef& points, const PosedJoints& joints, DeformScratch& scratch,
                            PointsRef moved) const {
  SINEW_CHECK(
      joints.pose.local.size() == toSize(skeleton_.size()) && joints.pose.morphWeights.size() >= morphCount_,
      kDrivenWhere,
      fmt::format("the drivers follow {} joints and {} morph targets, but the joints came with a pose of {} and {}",
                  skeleton_.size(), morphCount_, joints.pose.local.size(), joints.pose.morphWeights.size()));
  // Linear blend takes no memory of this kind, so the next free one is enough.
  if (scratch.corrections.size() <= scratch.correctionDepth) scratch.corrections.resize(scratch.correctionDepth + 1);
  CorrectionScratch& memory = scratch.corrections[scratch.correctionDepth];
  memory.coordinates.resize(space_.dimensions());
  space_.coordinates(skeleton_, joints.pose, memory.coordinates);
  memory.weights.resize(weights_.morphs().weightCount(), 1);
  weights_.evaluate(memory.coordinates, memory.weights.col(0));
  memory.corrected = points;
  for (std::size_t m = 0; m < targets_.size(); ++m) {
    const double weight = memory.weights(weights_.morphs().knotOf[m], 0);
    const MorphTarget& target = targets_[m];
    if (weight != 0) memory.corrected.middleCols(target.firstVertex, target.deltas.cols()) += weight * target.deltas;
  }
  base_->deform(memory.corrected, joints, scratch, moved);
}

Playback playedByMorphs(const CorrectedCharacter& character) {
  if (!character.poseSpace || character.morphs.empty()) return {};
  return {std::make_shared<MorphDrivenSkin>(character.character, *character.poseSpace, character.morphs),
          character.morphs.morphs};
}

}  // namespace sinew
