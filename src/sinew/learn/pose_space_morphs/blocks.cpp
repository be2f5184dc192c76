#include "sinew/learn/pose_space_morphs/blocks.h"

#include <algorithm>
#include <numeric>

namespace sinew::pose_space_morphs {
namespace {

/// lambda, relative to the mean of the normal matrix's diagonal.
constexpr double kRidge = 1e-8;
/// Displacements of the rest pose that no sample can see are left at 0.
constexpr double kLeastDiagonal = 1e-300;
constexpr Index kLargestBlock = 128;

bool sameWeights(std::span<const Influence> a, std::span<const Influence> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

bool weightsLess(std::span<const Influence> a, std::span<const Influence> b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](const auto& p, const auto& q) {
    return p.binding != q.binding ? p.binding < q.binding : p.weight < q.weight;
  });
}

}  // namespace

Mat3 blendedMatrix(const std::vector<Mat3>& bones, std::span<const Influence> influences) {
  Mat3 matrix = Mat3::Zero();
  for (const Influence& influence : influences) matrix += influence.weight * bones[influence.binding];
  return matrix;
}

std::vector<std::size_t> byWeights(const SkinWeights& weights, std::span<const std::uint32_t> vertices) {
  std::vector<std::size_t> order(vertices.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return weightsLess(weights[vertices[a]], weights[vertices[b]]);
  });
  return order;
}

std::vector<VertexBlock> blocksOf(const SkinWeights& weights, std::span<const std::uint32_t> ordered) {
  std::vector<VertexBlock> blocks;
  for (Index i = 0; i < static_cast<Index>(ordered.size()); ++i) {
    const bool joins = !blocks.empty() && i - blocks.back().begin < kLargestBlock &&
                       sameWeights(weights[ordered[toSize(i - 1)]], weights[ordered[toSize(i)]]);
    if (!joins) blocks.push_back({i, i});
    blocks.back().end = i + 1;
  }
  return blocks;
}

void BlockSolver::factorise(std::span<const Influence> influences) {
  tables_.normalOf(influences, normal_);
  const double lambda = kRidge * normal_.trace() / static_cast<double>(std::max<Index>(1, normal_.rows()));
  normal_.diagonal().array() += std::max(lambda, kLeastDiagonal);
  factorised_.compute(normal_);
}

Eigen::Matrix3Xd BlockSolver::solve(const Eigen::Matrix3Xd& right) const {
  const Eigen::MatrixXd turned = right.transpose();  // targets x 3
  const Eigen::VectorXd solved = factorised_.solve(Eigen::VectorXd(turned.reshaped()));
  return solved.reshaped(right.cols(), 3).transpose();
}

}  // namespace sinew::pose_space_morphs
