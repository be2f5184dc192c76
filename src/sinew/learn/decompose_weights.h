// The half-step of a skinning decomposition that chooses bones and weights of every vertex.
#pragma once

#include "sinew/learn/decompose_problem.h"

namespace sinew {

/// What a blend of bones may be.
struct BlendRule {
  int most = 4;         ///< bones per vertex, 16 at most
  double cohesion = 0;  ///< mu: each bone of a vertex is pulled to carry it alone too, by its weight
};

struct WeightStep {
  BoneWeights weights;
  Eigen::VectorXd errors;  ///< per vertex: squared distance over all examples, with the pull
  double total = 0;        ///< their sum
};

/// The best blend of bones per vertex. The search starts from `start` where it is given (the sets of the
/// last round), else from the single best bone, and exchanges bones while that lowers the error. `banned` is a bone
/// that must not be used, or -1.
WeightStep solveBoneWeights(const DecomposeProblem& problem, const Trajectories& points, const Bones& bones,
                            const BlendRule& rule, const BoneWeights* start = nullptr, int banned = -1);

/// Squared distance of every vertex under every bone alone: bones x vertices.
Eigen::MatrixXd singleBoneErrors(const DecomposeProblem& problem, const Trajectories& points, const Bones& bones);

}  // namespace sinew
