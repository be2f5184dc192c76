// Vertices with the same skin weights, and the system that they share.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <vector>

#include "sinew/character/skin.h"
#include "sinew/learn/pose_space_morphs/normals.h"

namespace sinew::pose_space_morphs {

/// sum_b w_b B_b of a vertex.
Mat3 blendedMatrix(const std::vector<Mat3>& bones, std::span<const Influence> influences);

/// Places in `vertices`, those with the same weights one after the other.
std::vector<std::size_t> byWeights(const SkinWeights& weights, std::span<const std::uint32_t> vertices);

/// Consecutive vertices with the same skin weights, not so many that threads would be without work.
struct VertexBlock {
  Index begin = 0;
  Index end = 0;
};
std::vector<VertexBlock> blocksOf(const SkinWeights& weights, std::span<const std::uint32_t> ordered);

/// Solves for vertices with the same skin weights, one after the other.
class BlockSolver {
 public:
  explicit BlockSolver(const NormalTables& tables) : tables_(tables) {}

  void factorise(std::span<const Influence> influences);
  /// Displacements from sum_s weight_s M_s^T r_s c_s^T; both 3 x targets.
  [[nodiscard]] Eigen::Matrix3Xd solve(const Eigen::Matrix3Xd& right) const;

 private:
  const NormalTables& tables_;
  Eigen::MatrixXd normal_;
  Eigen::LLT<Eigen::MatrixXd> factorised_;
};

}  // namespace sinew::pose_space_morphs
