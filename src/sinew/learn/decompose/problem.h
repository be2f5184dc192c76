// The numbers of a skinning decomposition: points, trajectories, bones, weights, and the moments between them.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/base/types.h"

namespace sinew::decompose {

/// Trajectories of some vertices. Lengths are scaled so that the rest's diagonal is 2, about its centre.
struct Trajectories {
  Eigen::Matrix<double, 4, Eigen::Dynamic> rest;  ///< 4 x n: x, y, z, 1
  Eigen::MatrixXd coordinates;                    ///< k x n: in the columns of `basis`
  Eigen::VectorXd squares;                        ///< per vertex: |coordinates|^2

  [[nodiscard]] Index count() const { return rest.cols(); }
};

/// All trajectories in a basis of the directions that they use: repeated examples cost nothing.
struct DecomposeProblem {
  Eigen::MatrixXd basis;  ///< 3 P x k, orthonormal columns
  Trajectories all;
  double scale = 1;
  Vec3 centre = Vec3::Zero();

  [[nodiscard]] Index examples() const { return basis.rows() / 3; }
};

/// Only vertices that are used.
DecomposeProblem makeDecomposeProblem(const Points& rest, std::span<const Points> aligned,
                                      std::span<const std::uint8_t> used);

/// Every vertex of `pick`.
Trajectories subset(const Trajectories& all, std::span<const Index> pick);

/// 3 P x 4 B: columns 4 b .. 4 b + 3 stack [R | t] of bone b over the examples.
using Bones = Eigen::MatrixXd;

/// At most `most` bones per vertex, columns of bones and weights; unused entries have weight 0.
struct BoneWeights {
  Eigen::MatrixXi bones;    ///< most x n
  Eigen::MatrixXd weights;  ///< most x n
};

/// What transforms are solved from: N_bc = sum_v w_b w_c x x^T (4 B x 4 B) and A = sum_v w_b y x^T (3 P x 4 B), with
/// mu sum_v w_b x x^T and mu A added for the cohesion mu (each bone also carries its vertices alone).
struct BoneMoments {
  Eigen::MatrixXd restRest;
  Eigen::MatrixXd posedRest;
};
BoneMoments boneMoments(const DecomposeProblem& problem, const Trajectories& points, const BoneWeights& weights,
                        Index bones, double cohesion = 0);

}  // namespace sinew::decompose
