// Interpolation of scattered data by radial basis functions.
#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/base/types.h"

namespace sinew {

struct RbfKernelRow {
  std::string_view name;  ///< as the command spells it
  double (*value)(double distance, double radius);
  bool usesRadius = false;
  int neededDegree = -1;    ///< the least polynomial without which the system is ill-posed; -1: none
  int defaultDegree = -1;   ///< the polynomial it carries unless told: 1 linear, 0 constant, -1 none
  double ridgeSign = 1;     ///< of what a ridge adds to the diagonal, so that it makes the system better posed
  double defaultRadii = 1;  ///< automatic radius in mean nearest-neighbour distances
};

/// cubic, thin-plate, linear, gaussian, multiquadric, inverse-multiquadric.
std::span<const RbfKernelRow> rbfKernels();
/// Throws NotFound with the nearest name and all names.
const RbfKernelRow& rbfKernel(std::string_view name);

struct RbfOptions {
  std::string kernel = "cubic";
  double radius = 0;                    ///< in the units of the points; 0: from the mean nearest-neighbour distance
  double ridge = 0;                     ///< added to the diagonal, relative to the largest entry; 0 is exact
  std::string polynomial = "auto";      ///< auto: the kernel's own; none, constant, linear
  double mergeDistance = 1e-6;          ///< points closer than this, relative to the size of the cloud, are one
  std::vector<double> confidence = {};  ///< per point, above 0: below 1 it is approached, not met; empty: all 1
};

/// s(x) = sum_k c_k(x) data_k, where the cardinal functions c_k depend on the points alone: with ridge 0, c_k is 1 at
/// point k and 0 at the others. One factorisation serves all data.
///
///   [ K + rho S  P ] [lambda]   [data]
///   [ P^T        0 ] [  c   ] = [ 0  ],  K_ij = phi(|x_i - x_j|), P = [1, x]
///
/// Points that are merged share their data's mean. Polynomial columns that the points cannot tell apart are dropped.
class RbfInterpolator {
 public:
  RbfInterpolator() = default;
  /// `points` has a column per point; distances are taken after each coordinate is multiplied by its entry of `scales`
  /// (empty: all 1). Throws BadInput for a thin plate without polynomial and other ill-posed choices, for values that
  /// are not finite and numbers out of range.
  RbfInterpolator(const Eigen::Ref<const Eigen::MatrixXd>& points, const RbfOptions& options,
                  const Eigen::Ref<const Eigen::VectorXd>& scales = Eigen::VectorXd());

  [[nodiscard]] Index pointCount() const { return static_cast<Index>(groupOf_.size()); }
  [[nodiscard]] Index dimensions() const { return centres_.rows(); }
  [[nodiscard]] double radius() const { return radius_; }
  /// Of the kernel matrix K (2-norm), before the ridge. Computed at each call.
  [[nodiscard]] double condition() const;
  /// Which points were merged: equal numbers mean one centre.
  [[nodiscard]] std::span<const int> groups() const { return groupOf_; }
  /// The largest distance of a centre to its nearest one; 0 for a single centre.
  [[nodiscard]] double largestGap() const { return largestGap_; }

  /// The weight of each point's data at x. `weights` has pointCount() entries, `x` dimensions(), unscaled. Does not
  /// allocate.
  void weights(const Eigen::Ref<const Eigen::VectorXd>& x, Eigen::Ref<Eigen::VectorXd> weights) const;
  [[nodiscard]] Eigen::VectorXd weights(const Eigen::Ref<const Eigen::VectorXd>& x) const;
  /// The distance of x to its nearest centre.
  [[nodiscard]] double nearest(const Eigen::Ref<const Eigen::VectorXd>& x) const;

  /// For runtimes elsewhere: weights = cardinal() * [phi(|s (x - centre_i)|) ..., 1, basis^T (x - origin)], s =
  /// scales() coordinate by coordinate, the polynomial part by its degree.
  [[nodiscard]] const Eigen::MatrixXd& centres() const { return centres_; }
  [[nodiscard]] const Eigen::VectorXd& scales() const { return scales_; }
  [[nodiscard]] const Eigen::MatrixXd& cardinal() const { return cardinal_; }
  [[nodiscard]] const Eigen::VectorXd& origin() const { return origin_; }
  [[nodiscard]] const Eigen::MatrixXd& basis() const { return basis_; }
  [[nodiscard]] int degree() const { return degree_; }

 private:
  void solve(const Eigen::MatrixXd& kernel, const RbfOptions& options);

  const RbfKernelRow* kernel_ = nullptr;
  double radius_ = 0;
  double largestGap_ = 0;
  int degree_ = -1;
  std::vector<int> groupOf_;
  Eigen::MatrixXd centres_;
  Eigen::VectorXd scales_;
  Eigen::VectorXd origin_;
  Eigen::MatrixXd basis_;
  Eigen::MatrixXd cardinal_;
};

}  // namespace sinew
