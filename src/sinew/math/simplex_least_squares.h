// Least squares over weights that are non-negative and sum to 1: the nearest point of a convex hull. One solver serves
// skin fitting, skinning decomposition and direct manipulation.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sinew/base/types.h"

namespace sinew {

/// minimise |A w - b|^2 over w >= 0, sum w = 1. Since sum w = 1, that is w^T Q w with Q = (A - b 1^T)^T (A - b 1^T), so
/// the solver sees only Q, an n x n matrix. A prior mu |w - w0|^2 enters through the same form.
struct SimplexOptions {
  double tolerance = 1e-12;  ///< of the optimality condition, for Q scaled to a mean diagonal of 1
  int mostSteps = 0;         ///< 0: 10 n + 20
  int refinements = 2;       ///< more steps on the final support: what rounding left
};

struct SimplexReport {
  int steps = 0;
  double worst = 0;  ///< most negative g_i - nu of the scaled problem: 0 or above is optimal
  bool converged = true;
};

/// Memory of repeated calls. It grows on the first call of a size.
struct SimplexScratch {
  Eigen::MatrixXd reduced;   ///< of differences to one column of the support, factored in place
  Eigen::VectorXd step;      ///< of the reduced unknowns, then of the weights of the support
  Eigen::VectorXd gradient;  ///< Q w + c, scaled
  std::vector<int> support;  ///< unknowns that are not 0
  std::vector<char> refused;
  std::vector<int> kept;  ///< of a capped solution
  Eigen::MatrixXd keptQ;
  Eigen::VectorXd keptC;
  Eigen::VectorXd keptW;
};

/// minimise w^T Q w + 2 c^T w over w >= 0, sum w = total (total >= 0; c may be empty for zero). Q is symmetric and
/// positive semi-definite. `w` is overwritten; `warm` true starts from the w given (made feasible): directions without
/// a gradient then stay unchanged. No allocation once the scratch has grown. Values that are not finite throw BadInput;
/// not converging is reported in the report.
SimplexReport solveSimplex(const Eigen::Ref<const Eigen::MatrixXd>& Q, const Eigen::Ref<const Eigen::VectorXd>& c,
                           double total, const SimplexOptions& options, SimplexScratch& scratch,
                           Eigen::Ref<Eigen::VectorXd> w, bool warm = false);

/// The same with at most `most` non-zero weights: the largest of the full solution, solved again on those.
SimplexReport solveSimplexCapped(const Eigen::Ref<const Eigen::MatrixXd>& Q, const Eigen::Ref<const Eigen::VectorXd>& c,
                                 double total, int most, const SimplexOptions& options, SimplexScratch& scratch,
                                 Eigen::Ref<Eigen::VectorXd> w);

/// Weights that sum to 1 but may be negative (affine), by a truncated SVD of the differences to column `base` with an
/// ABSOLUTE cut-off on singular values: coincident columns are ignored instead of getting huge weights. A: rows x n.
Eigen::VectorXd affineLeastSquares(const Eigen::Ref<const Eigen::MatrixXd>& A,
                                   const Eigen::Ref<const Eigen::VectorXd>& b, double cutOff, int base = 0);

}  // namespace sinew
