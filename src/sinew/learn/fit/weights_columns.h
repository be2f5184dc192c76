// The displacements of one point, pose by pose: slower than moments, but exact, and with masks and normals.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "sinew/learn/fit/problem.h"

namespace sinew::fit {

/// Unit normals of points, for those who want them in the objective.
struct NormalRows {
  double length = 0;            ///< weight of a normal deviation, in scene units
  Points rest;                  ///< 3 x points, in the rest space of each point
  std::vector<Points> targets;  ///< per example: 3 x points, world space
};

/// Normals of the rest shape and of the targets over the mesh's faces.
NormalRows makeNormalRows(const Character& character, const FitProblem& problem, double length);

/// Sum of the factors of all examples at a point.
double factorSum(const FitProblem& problem, Index point);

/// Whether masks make the point's factors differ from the examples' confidences.
bool hasMask(const FitProblem& problem, Index point);

/// A column per binding: sqrt(factor) (T v - t) for every example, then the same for normals where there are any.
/// `columns` is resized.
void displacements(const FitProblem& problem, Index point, std::span<const std::uint32_t> bindings,
                   const NormalRows* normals, Eigen::MatrixXd& columns);

}  // namespace sinew::fit
