// Where the bones of a skinning decomposition come from: grown one at a time, and moved where they serve little.
#pragma once

#include <vector>

#include "sinew/base/progress.h"
#include "sinew/learn/decompose/weights.h"

namespace sinew::decompose {

struct BoneSearch {
  const DecomposeProblem& frames;  ///< 3 rows per example, in which rigid bones are fitted
  bool rigid = true;               ///< false: bones are written in the columns of the basis of `frames`, k x 4 B
  BlendRule rule;
};

/// Bones, and the best weights for them.
struct Decomposition {
  Bones bones;
  WeightStep step;
};

/// `count` rigid bones: each new one starts where the error is largest, then all settle (Lloyd), every vertex on its
/// best bone. Fewer if another bone would not improve anything.
Bones growBones(const DecomposeProblem& problem, const Trajectories& points, Index count,
                const Progress& progress = {});

/// Transforms for the weights, then weights for the transforms, `rounds` times or until the error falls by less than
/// 0.05 % in a round.
void alternate(const DecomposeProblem& problem, const Trajectories& points, const BoneSearch& search, int rounds,
               Decomposition& state);

/// The bone that serves least starts again where the error is largest, kept where that lowers the error; `tries` times.
/// Returns how many were kept.
int exchangeBones(const DecomposeProblem& problem, const Trajectories& points, const BoneSearch& search, int tries,
                  Decomposition& state, const Progress& progress = {});

/// Bones that blends of others have made superfluous start again where the error is largest.
void reviveBones(const DecomposeProblem& problem, const Trajectories& points, const BoneSearch& search,
                 Decomposition& state, const Progress& progress = {});

}  // namespace sinew::decompose
