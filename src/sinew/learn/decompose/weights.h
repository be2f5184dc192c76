// The half-step of a skinning decomposition that chooses bones and weights of every vertex.
#pragma once

#include "sinew/learn/decompose/problem.h"

namespace sinew::decompose {

/// What a blend of bones may be.
struct BlendRule {
  int most = 4;         ///< bones per vertex, 16 at most
  double cohesion = 0;  ///< mu: each bone of a vertex is also pulled to move it alone, by its weight
};

struct WeightStep {
  BoneWeights weights;
  Eigen::VectorXd errors;  ///< per vertex: squared distance over all examples, with the pull
  double total = 0;        ///< their sum
};

/// What the vertices of one set of bones share: computed once where several searches use the same bones.
struct BoneProducts {
  Eigen::MatrixXd inBasis;  ///< 4 B x k: T^T basis
  Eigen::MatrixXd packed;   ///< 10 x B B, column b + B c: x^T (T_b^T T_c) x as a product with the monomials of x
  Index bones = 0;

  BoneProducts(const DecomposeProblem& problem, const Bones& T);
};

/// The best blend of bones per vertex. The search starts from `start` where it is given (the sets of the
/// last round), else from the single best bone, and exchanges bones while that lowers the error. `banned` is a bone
/// that must not be used, or -1. Cost: (4 k + 200) B per vertex, about.
WeightStep solveBoneWeights(const BoneProducts& products, const Trajectories& points, const BlendRule& rule,
                            const BoneWeights* start = nullptr, int banned = -1);
WeightStep solveBoneWeights(const DecomposeProblem& problem, const Trajectories& points, const Bones& bones,
                            const BlendRule& rule, const BoneWeights* start = nullptr, int banned = -1);

/// Squared distance of every vertex under every bone alone: bones x vertices.
Eigen::MatrixXd singleBoneErrors(const DecomposeProblem& problem, const Trajectories& points, const Bones& bones);

}  // namespace sinew::decompose
