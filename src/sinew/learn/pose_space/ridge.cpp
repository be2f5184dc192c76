// Kernel ridge regression at the examples alone: with G a Gaussian of the distances between their poses, G_ii = 1,
//   A = G (G + rho I)^-1,
// whose eigenvalues g / (g + rho) are below 1, fall with rho, and are 1 / (1 + rho) for an example without neighbours.
// The smoothed corrections are then interpolated exactly. A ridge inside the interpolation has no say over a
// polynomial, which fits few examples by itself, nor over narrow local kernels, and with conditionally definite kernels
// a large one is no contraction.
//
// With fewer examples than coordinates every pose is far from every other and neighbours tell nothing: G = I.
#include "sinew/learn/pose_space/ridge.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace sinew::pose_space {
namespace {

/// Radius of the Gaussian, in mean distances of the examples to their nearest ones.
constexpr double kRadii = 0.8;

Eigen::MatrixXd likenessOf(const PoseSpaceModel& model, const std::vector<Index>& examples) {
  const auto count = static_cast<Index>(examples.size());
  Eigen::MatrixXd likeness = Eigen::MatrixXd::Identity(count, count);
  if (count < model.poses.rows() + 2) return likeness;
  const Eigen::MatrixXd places = model.poseSpace.scales().asDiagonal() * model.poses(Eigen::all, examples);
  Eigen::MatrixXd distances(count, count);
  for (Index i = 0; i < count; ++i) distances.col(i) = (places.colwise() - places.col(i)).colwise().norm().transpose();
  double mean = 0;
  for (Index i = 0; i < count; ++i) {
    double nearest = std::numeric_limits<double>::infinity();
    for (Index j = 0; j < count; ++j) nearest = j == i ? nearest : std::min(nearest, distances(i, j));
    mean += nearest / static_cast<double>(count);
  }
  if (!(mean > 0)) return likeness;
  return (-(distances / (kRadii * mean)).array().square()).exp().matrix();
}

}  // namespace

Eigen::MatrixXd productsOf(const PoseSpaceModel& model) {
  const auto count = static_cast<Index>(model.deltas.size());
  Eigen::MatrixXd products = Eigen::MatrixXd::Zero(count, count);
  for (const std::vector<Points>* part : {&model.deltas, &model.layer}) {
    if (part->empty()) continue;
    for (Index i = 0; i < count; ++i) {
      for (Index j = 0; j <= i; ++j) {
        const double sum = (*part)[toSize(i)].cwiseProduct((*part)[toSize(j)]).sum();
        products(i, j) += sum;
        if (i != j) products(j, i) += sum;
      }
    }
  }
  if (!model.lowRank()) return products;
  return model.coefficients.transpose() * products * model.coefficients;
}

Eigen::MatrixXd ridgeInverse(const PoseSpaceModel& model, double rho) {
  std::vector<Index> all(model.exampleCount() - 1);
  std::iota(all.begin(), all.end(), Index{1});
  Eigen::MatrixXd ridged = likenessOf(model, all);
  ridged.diagonal().array() += rho;
  return ridged.ldlt().solve(Eigen::MatrixXd::Identity(ridged.rows(), ridged.cols()));
}

Eigen::MatrixXd ridgeSmoother(const PoseSpaceModel& model, const std::vector<Index>& examples,
                              const Eigen::MatrixXd& products, double rho) {
  const auto count = static_cast<Index>(examples.size());
  const Eigen::MatrixXd likeness = likenessOf(model, examples);
  Eigen::MatrixXd ridged = likeness;
  ridged.diagonal().array() += rho;
  // Both are functions of one matrix, so they commute.
  Eigen::MatrixXd smoother = ridged.ldlt().solve(likeness);
  const Eigen::MatrixXd own = products(examples, examples);
  for (Index i = 0; i < count; ++i) {
    // Row i in shares of the scaled one, 1 / (1 + rho): as much of it as keeps |(A - I) d|^2 <= |d_i|^2.
    const Eigen::RowVectorXd unit = Eigen::RowVectorXd::Unit(count, i);
    const auto squares = [&](const Eigen::RowVectorXd& row) { return ((row - unit) * own).dot(row - unit); };
    if (squares(smoother.row(i)) <= own(i, i)) continue;
    double low = 0;
    double high = 1;  // share of the scaled row
    for (int step = 0; step < 30; ++step) {
      const double middle = 0.5 * (low + high);
      const Eigen::RowVectorXd row = (1 - middle) * smoother.row(i) + middle / (1 + rho) * unit;
      (squares(row) <= own(i, i) ? high : low) = middle;
    }
    smoother.row(i) = ((1 - high) * smoother.row(i) + high / (1 + rho) * unit).eval();
  }
  return smoother;
}

}  // namespace sinew::pose_space
