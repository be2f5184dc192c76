#include "sinew/learn/decompose/problem.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "sinew/base/parallel.h"
#include "sinew/character/mesh.h"
#include "sinew/math/decompositions.h"

namespace sinew::decompose {
namespace {

constexpr Index kProblemBlock = 512;  // vertices whose sums are taken together
constexpr Index kMostRows = 400;      // up to here a basis comes from all vertices at once
constexpr Index kSampled = 300;       // beyond, from as many of them at a time
constexpr double kDropped = 1e-10;    // of the variance: 0.001 % of distortion

/// Trajectories of a stretch of vertices, scaled: 3 P x count.
Eigen::MatrixXd stacked(const DecomposeProblem& problem, std::span<const Points> aligned,
                        std::span<const Index> vertices) {
  Eigen::MatrixXd block(3 * static_cast<Index>(aligned.size()), static_cast<Index>(vertices.size()));
  for (std::size_t p = 0; p < aligned.size(); ++p) {
    for (std::size_t i = 0; i < vertices.size(); ++i)
      block.col(static_cast<Index>(i)).segment<3>(3 * static_cast<Index>(p)) =
          problem.scale * (aligned[p].col(vertices[i]) - problem.centre);
  }
  return block;
}

/// Orthonormal columns that span those of `tall` (fewer columns than rows), but for what is below `dropped` in square.
Eigen::MatrixXd spanOf(const Eigen::MatrixXd& tall, double dropped) {
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(tall.cols(), tall.cols());
  gram.selfadjointView<Eigen::Lower>().rankUpdate(tall.transpose());
  const SymmetricEigen eigen = symmetricEigen(gram);
  Index first = 0;
  double sum = 0;
  const double least = 1e-13 * std::max(0.0, eigen.values[eigen.values.size() - 1]);
  while (first < eigen.values.size() && (sum + eigen.values[first] <= dropped || eigen.values[first] <= least))
    sum += std::max(0.0, eigen.values[first++]);
  return tall * eigen.vectors.rightCols(eigen.values.size() - first);
}

/// The same as basisOf for many examples: motions of some vertices, then of those that are matched worst, until little
/// is left of any. A few hundred directions span any sequence of a character, however long it is.
Eigen::MatrixXd sampledBasis(const DecomposeProblem& problem, std::span<const Points> aligned,
                             std::span<const Index> vertices) {
  const Index rows = 3 * static_cast<Index>(aligned.size());
  const auto count = static_cast<Index>(vertices.size());
  Eigen::VectorXd left = Eigen::VectorXd::Ones(count);  // squares of the vertices' motions outside the basis
  double total = -1;
  Eigen::MatrixXd basis(rows, 0);
  while (basis.cols() + kSampled < rows) {
    std::vector<Index> picked;
    if (basis.cols() == 0) {
      for (Index i = 0; i < std::min(kSampled, count); ++i)
        picked.push_back(vertices[toSize(i * count / std::min(kSampled, count))]);
    } else {
      std::vector<Index> order(toSize(count));
      std::iota(order.begin(), order.end(), Index{0});
      std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return left[a] > left[b]; });
      order.resize(toSize(std::min(kSampled, count)));
      for (const Index i : order) picked.push_back(vertices[toSize(i)]);
    }
    Eigen::MatrixXd motions = stacked(problem, aligned, picked);
    // Twice: once would leave what rounding makes of large parts within the basis.
    for (int pass = 0; pass < 2 && basis.cols() > 0; ++pass) motions -= basis * (basis.transpose() * motions);
    const double dropped = total < 0 ? 0.1 * kDropped * motions.squaredNorm() : 0.1 * kDropped * total;
    const Eigen::MatrixXd more = spanOf(motions, dropped);
    if (more.cols() == 0) return basis;
    Eigen::MatrixXd both(rows, basis.cols() + more.cols());
    both << basis, more;
    basis = thinQr(both).q;

    Eigen::VectorXd squares(count);
    parallelFor((count + kProblemBlock - 1) / kProblemBlock, 1, [&](Index block) {
      const Index first = block * kProblemBlock;
      const Index size = std::min<Index>(kProblemBlock, count - first);
      const Eigen::MatrixXd some = stacked(problem, aligned, vertices.subspan(toSize(first), toSize(size)));
      squares.segment(first, size) = some.colwise().squaredNorm().transpose();
      left.segment(first, size) =
          (squares.segment(first, size) - (basis.transpose() * some).colwise().squaredNorm().transpose()).cwiseMax(0);
    });
    total = squares.sum();
    if (left.sum() <= kDropped * total) return basis;
  }
  return Eigen::MatrixXd::Identity(rows, rows);
}

/// Columns that span nearly all of the trajectories; the identity where these need nearly all directions.
Eigen::MatrixXd basisOf(const DecomposeProblem& problem, std::span<const Points> aligned,
                        std::span<const Index> vertices) {
  const Index rows = 3 * static_cast<Index>(aligned.size());
  if (rows > kMostRows) return sampledBasis(problem, aligned, vertices);
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(rows, rows);
  for (std::size_t first = 0; first < vertices.size(); first += kProblemBlock) {
    const std::size_t count = std::min<std::size_t>(kProblemBlock, vertices.size() - first);
    gram.selfadjointView<Eigen::Lower>().rankUpdate(stacked(problem, aligned, vertices.subspan(first, count)));
  }
  const SymmetricEigen eigen = symmetricEigen(gram);
  const Eigen::VectorXd values = eigen.values.cwiseMax(0);
  double dropped = 0;
  Index first = 0;
  while (first + 1 < rows && dropped + values[first] <= kDropped * values.sum()) dropped += values[first++];
  return eigen.vectors.rightCols(rows - first);
}

}  // namespace

DecomposeProblem makeDecomposeProblem(const Points& rest, std::span<const Points> aligned,
                                      std::span<const std::uint8_t> used) {
  DecomposeProblem problem;
  std::vector<Index> vertices;
  for (Index v = 0; v < rest.cols(); ++v)
    if (used[toSize(v)] != 0) vertices.push_back(v);
  const auto count = static_cast<Index>(vertices.size());
  Points points(3, count);
  for (Index i = 0; i < count; ++i) points.col(i) = rest.col(vertices[toSize(i)]);
  problem.centre = boundingBox(points).centre();
  problem.scale = 2 / boundingBox(points).diagonal();
  problem.all.rest.resize(4, count);
  problem.all.rest.topRows<3>() = problem.scale * (points.colwise() - problem.centre);
  problem.all.rest.row(3).setOnes();
  problem.basis = basisOf(problem, aligned, vertices);
  problem.all.coordinates.resize(problem.basis.cols(), count);
  parallelFor((count + kProblemBlock - 1) / kProblemBlock, 1, [&](Index block) {
    const Index first = block * kProblemBlock;
    const Index size = std::min<Index>(kProblemBlock, count - first);
    const auto stretch = std::span<const Index>(vertices).subspan(toSize(first), toSize(size));
    problem.all.coordinates.middleCols(first, size).noalias() =
        problem.basis.transpose() * stacked(problem, aligned, stretch);
  });
  problem.all.squares = problem.all.coordinates.colwise().squaredNorm().transpose();
  return problem;
}

Trajectories subset(const Trajectories& all, std::span<const Index> pick) {
  const auto count = static_cast<Index>(pick.size());
  Trajectories some{Eigen::Matrix<double, 4, Eigen::Dynamic>(4, count), Eigen::MatrixXd(all.coordinates.rows(), count),
                    Eigen::VectorXd(count)};
  for (Index i = 0; i < count; ++i) {
    const Index from = pick[toSize(i)];
    some.rest.col(i) = all.rest.col(from);
    some.coordinates.col(i) = all.coordinates.col(from);
    some.squares[i] = all.squares[from];
  }
  return some;
}

BoneMoments boneMoments(const DecomposeProblem& problem, const Trajectories& points, const BoneWeights& weights,
                        Index bones, double cohesion) {
  const Index k = points.coordinates.rows();
  const Index blocks = std::max<Index>(1, (points.count() + kProblemBlock - 1) / kProblemBlock);
  // Fixed ranges are summed separately and added in order: bit-identical on any number of threads.
  const Index stretches = std::min<Index>(blocks, 8);
  std::vector<Eigen::MatrixXd> restRest(toSize(stretches));
  std::vector<Eigen::MatrixXd> posedRest(toSize(stretches));
  parallelFor(stretches, 1, [&](Index s) {
    Eigen::MatrixXd& n = restRest[toSize(s)];
    Eigen::MatrixXd& a = posedRest[toSize(s)];
    n.setZero(4 * bones, 4 * bones);
    a.setZero(k, 4 * bones);
    for (Index v = s * points.count() / stretches; v < (s + 1) * points.count() / stretches; ++v) {
      const Eigen::Vector4d x = points.rest.col(v);
      const Eigen::Matrix4d xx = x * x.transpose();
      for (Index i = 0; i < weights.bones.rows(); ++i) {
        const double wi = weights.weights(i, v);
        if (wi == 0) continue;
        const Index bi = 4 * weights.bones(i, v);
        for (Index c = 0; c < 4; ++c) a.col(bi + c) += (wi * x[c]) * points.coordinates.col(v);
        n.block<4, 4>(bi, bi) += (cohesion * wi) * xx;
        for (Index j = 0; j < weights.bones.rows(); ++j) {
          const double wj = weights.weights(j, v);
          if (wj != 0) n.block<4, 4>(bi, 4 * weights.bones(j, v)) += (wi * wj) * xx;
        }
      }
    }
  });
  BoneMoments moments;
  Eigen::MatrixXd inBasis = posedRest[0];
  moments.restRest = restRest[0];
  for (std::size_t s = 1; s < restRest.size(); ++s) {
    moments.restRest += restRest[s];
    inBasis += posedRest[s];
  }
  moments.posedRest = (1 + cohesion) * problem.basis * inBasis;
  return moments;
}

}  // namespace sinew::decompose
