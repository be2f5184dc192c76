// Errors of interpolations in groups of vertices, pooled over groups that follow the same joints.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace sinew::pose_space {

/// `errors`: per group a matrix (candidates x candidates), zero where it was not measured. `directions`: unit vectors,
/// a column per group. The result has a column per group: the sum of all measured matrices, each by the eighth power of
/// the cosine between the directions.
Eigen::MatrixXd pooledErrors(const std::vector<Eigen::MatrixXd>& errors, const Eigen::MatrixXd& directions);

}  // namespace sinew::pose_space
