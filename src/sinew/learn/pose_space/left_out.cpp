#include "sinew/learn/pose_space/left_out.h"

#include <algorithm>

#include "sinew/base/parallel.h"
#include "sinew/learn/pose_space/ridge.h"

namespace sinew::pose_space {
namespace {

/// Beyond this many examples the smoother without one of them is a rank-one update of the smoother of all.
constexpr Index kRefitRidge = 64;

}  // namespace

LeftOutWeights::LeftOutWeights(const PoseSpaceModel& model, const PoseSpaceWeights& weights)
    : model_(model), groups_(toSize(weights.groupCount())), refit_(model.exampleCount(), 0) {
  std::vector<std::vector<Index>> undetermined(groups_.size());
  parallelFor(weights.groupCount(), 1, [&](Index g) {
    RbfLeftOut without = weights.weightsWithoutEach(g);
    groups_[toSize(g)] = std::move(without.weights);
    undetermined[toSize(g)] = std::move(without.undetermined);
  });
  for (const std::vector<Index>& group : undetermined) {
    for (const Index k : group) refit_[toSize(k)] = 1;
  }
}

Eigen::MatrixXd LeftOutWeights::at(std::size_t k) const {
  if (refit_[k] != 0) return refitted(k);
  Eigen::MatrixXd weights(static_cast<Index>(model_.exampleCount()), static_cast<Index>(groups_.size()));
  for (std::size_t g = 0; g < groups_.size(); ++g)
    weights.col(static_cast<Index>(g)) = groups_[g].row(static_cast<Index>(k));
  return weights;
}

Eigen::MatrixXd LeftOutWeights::refitted(std::size_t k) const {
  const auto row = static_cast<Index>(k);
  const PoseSpaceWeights weights(withoutExample(withoutShapes(model_), k));
  Eigen::MatrixXd others(weights.exampleCount(), weights.groupCount());
  weights.evaluate(model_.poses.col(row), others);
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(others.rows() + 1, others.cols());
  result.topRows(row) = others.topRows(row);
  result.bottomRows(others.rows() - row) = others.bottomRows(others.rows() - row);
  return result;
}

LeftOutRidge::LeftOutRidge(const PoseSpaceModel& model, const Eigen::MatrixXd& products, double rho)
    : model_(model), products_(products), rho_(rho) {
  const auto count = static_cast<Index>(model.exampleCount()) - 1;
  if (count > kRefitRidge) inverse_ = ridgeInverse(model, rho);
}

Eigen::MatrixXd LeftOutRidge::ofSculpted(std::size_t k, Eigen::MatrixXd weights) const {
  std::vector<Index> others;
  for (Index j = 1; j < weights.rows(); ++j) {
    if (j != static_cast<Index>(k)) others.push_back(j);
  }
  if (others.empty()) return weights;
  Eigen::MatrixXd smooth;
  const Eigen::MatrixXd kept = weights(others, Eigen::all);
  if (inverse_.size() == 0) {
    smooth = ridgeSmoother(model_, others, products_, rho_).transpose() * kept;
  } else {
    // A = G (G + rho I)^-1 = I - rho H, and H without row and column k is H_oo - H_ok H_ko / H_kk.
    std::vector<Index> rows;
    for (const Index j : others) rows.push_back(j - 1);
    const auto left = static_cast<Index>(k) - 1;
    const Eigen::VectorXd column = inverse_.col(left)(rows);
    const Eigen::MatrixXd inner =
        inverse_(rows, rows) * kept - column * (column.transpose() * kept) / inverse_(left, left);
    smooth = kept - rho_ * inner;
  }
  weights(others, Eigen::all) = smooth;
  weights.row(static_cast<Index>(k)).setZero();
  return weights;
}

}  // namespace sinew::pose_space
