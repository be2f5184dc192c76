// Which controls move a vertex, and by how much.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "sinew/base/types.h"
#include "sinew/character/skin.h"

namespace sinew::reduced_model {

/// minimise a^T Q a over a >= 0, sum a = 1, for 1 to 4 unknowns, exactly, by trying every support. Q is symmetric and
/// positive definite. Returns the least value.
double solveSmallSimplex(const Eigen::Ref<const Eigen::MatrixXd>& Q, Eigen::Ref<Eigen::VectorXd> weights);

/// Per vertex the `maxInfluences` controls of least error over the examples, blended to come nearest; weights below
/// `prune` are left out and the others solved again. `controls` is per example, per control.
SkinWeights controlWeights(const Points& rest, std::span<const Points> aligned,
                           const std::vector<std::vector<Affine>>& controls, int maxInfluences, double prune);

}  // namespace sinew::reduced_model
