// Key poses of a reduced model as a clip that any engine plays.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sinew/character/mesh.h"
#include "sinew/deform/reduced_model.h"
#include "sinew/learn/reduced_skeleton.h"

namespace sinew {

/// Control transforms at a time, in the space of the model's rest.
struct KeyPose {
  double seconds = 0;
  std::vector<Affine> controls;
};

/// As reducedCharacter, with a clip of the keys instead of the examples. Keys must be in the order of their times,
/// which must differ. Posed controls are affine also where the model is rigid, so joints are those of an affine model.
ReducedCharacter keyedCharacter(const Mesh& topology, const ReducedModel& model, std::span<const KeyPose> keys,
                                const std::string& clipName, const SkeletonOptions& options = {});

/// Per example: sums of squares of a model against its training meshes, in their own space. `used` selects the vertices
/// that count; empty: all.
std::vector<ExampleFit> exampleFits(const ReducedModel& model, std::span<const Points> examples,
                                    const std::vector<bool>& used = {});

}  // namespace sinew
