// A reduced model as a character: joints, a skin and a clip that any engine plays.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sinew/base/choice.h"
#include "sinew/character/character.h"
#include "sinew/character/compare.h"
#include "sinew/deform/reduced_model.h"

namespace sinew {

/// Parents of controls: a tree over those that share most vertices, rooted at the control nearest to the middle of the
/// body. Controls that share no vertex are children of the nearest one. -1 for the root.
std::vector<int> controlHierarchy(const Points& rest, const SkinWeights& weights);

/// How affine controls become joints, which have only translation, rotation and scale.
enum class ControlJoints {
  Nested,  ///< two joints per control, F = R1 S R2: the first has R1 and the scale, the second R2; nothing is lost
  Nearest  ///< one joint: the nearest rotation and scale along the rest's axes, with the error as a number
};
constexpr auto choiceRows(ControlJoints) {
  return choiceTable<ControlJoints>({{ControlJoints::Nested, "nested"}, {ControlJoints::Nearest, "nearest"}});
}

struct SkeletonOptions {
  ControlJoints joints = ControlJoints::Nested;  ///< of affine models; rigid ones need one joint per control
  double framesPerSecond = 24;
  std::string prefix = "control";
};

struct ReducedCharacter {
  Character character;  ///< the topology at the model's rest, joints, weights, and the clip `sequence`
  SequenceError error;  ///< of the clip at its keys against the model itself, input space
};

/// The clip `sequence` has one key per example, in order; it plays in the space of the input meshes. Joints of rigid
/// models are a tree by the model's parents, each at the place that it shares with its parent; those of affine ones
/// hang on a joint `root`, since a parent's scale would shear its children. Every joint of the skin is binding b of
/// control b. Throws BadInput if the topology and the model do not fit.
ReducedCharacter reducedCharacter(const Mesh& topology, const ReducedModel& model, const SkeletonOptions& options = {});

}  // namespace sinew
