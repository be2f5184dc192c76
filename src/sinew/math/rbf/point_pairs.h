// Distances between the points of an interpolation, and values of its kernel that many interpolations share.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sinew/base/types.h"
#include "sinew/math/rbf_kernels.h"

namespace sinew::rbf {

/// Of x and column k, both measured from column 0, in rows first to end - 1. The distance is still squared.
BlockPair squaredPair(const Eigen::Ref<const Eigen::VectorXd>& x, const Eigen::MatrixXd& points, Index k, Index first,
                      Index end);

/// Distances of all columns from each other; the diagonal is 0.
Eigen::MatrixXd distancesBetween(const Eigen::MatrixXd& places);

/// Numbers of the centres that the points belong to, and the first point of each centre. Points within `tolerance` of
/// the first of a centre belong to it.
std::vector<int> groupPoints(const Eigen::Ref<const Eigen::MatrixXd>& points, double tolerance,
                             std::vector<Index>& firsts);

/// Distances of centres to their nearest other ones.
struct Gaps {
  double mean = 1;
  double largest = 0;
  double largestOfOthers = 0;  ///< than the first
};
/// `nearest`: per centre.
Gaps gapsOf(const Eigen::VectorXd& nearest);

/// The distance of each to its nearest other one, from all distances; 1 for a single one.
Eigen::VectorXd nearestOthers(const Eigen::MatrixXd& distances);

}  // namespace sinew::rbf
