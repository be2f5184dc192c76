// Interpolation of scattered data by radial basis functions.
#pragma once

#include <Eigen/Core>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/base/choice.h"
#include "sinew/base/types.h"
#include "sinew/math/rbf_kernels.h"

namespace sinew {

/// What is added to the kernels, so that it is matched exactly.
enum class RbfPolynomial { Auto, None, Constant, Linear };  ///< Auto: the default of the kernel
constexpr auto choiceRows(RbfPolynomial) {
  return choiceTable<RbfPolynomial>({{RbfPolynomial::Auto, "auto"},
                                     {RbfPolynomial::None, "none"},
                                     {RbfPolynomial::Constant, "constant"},
                                     {RbfPolynomial::Linear, "linear"}});
}

struct RbfOptions {
  std::string kernel = "cubic";
  double radius = 0;  ///< in the units of the points; 0: from the mean nearest-neighbour distance
  double ridge = 0;   ///< added to the diagonal, relative to the largest entry; 0 is exact
  RbfPolynomial polynomial = RbfPolynomial::Auto;
  double mergeDistance = 1e-6;  ///< points closer than this, relative to the size of the cloud, are one
  std::vector<double> confidence =
      {};  ///< per point, above 0: below 1 it is approximated, not interpolated; empty: all 1
  /// How much a narrow Gaussian around each point adds to the kernel, relative to its mean diagonal. Away from the
  /// points it acts as a ridge of this size, and still every point is matched. Additive kernels need it.
  double local = 0;

  friend bool operator==(const RbfOptions&, const RbfOptions&) = default;
};

/// Additive kernels between all points, which interpolators that differ in the weights of blocks share.
struct RbfPairs {
  std::vector<Eigen::MatrixXd> kernels;  ///< per row of additiveKernels(): (points x points) x blocks, or 0 x 0
};

/// The blocks of coordinates that additive kernels sum over.
struct RbfBlocks {
  std::vector<int> sizes;   ///< of consecutive coordinates; empty: one block of all
  Eigen::VectorXd weights;  ///< per block, 0 or more; empty: all 1
};

/// Values at a position x that interpolators over the same points and blocks share.
struct RbfTables {
  Eigen::MatrixXd squares;               ///< points x blocks: |x_b - p_b|^2
  std::vector<Eigen::MatrixXd> kernels;  ///< per row of additiveKernels(): k(x_b, p_b), 0 x 0 if it is not requested
  Eigen::MatrixXd sums;                  ///< weights that several mixtures share, a column per interpolator
};

/// Distances at a position that interpolators of the same points and scales share, and their narrow Gaussians. Where
/// points are merged, or there are many, each computes its own.
struct RbfNear {
  static constexpr Index kMost = 64;  ///< points
  bool known = false;
  double nearest = 0;
  std::array<double, kMost> distances;
  std::array<double, kMost> gaussians;  ///< below 0: not computed yet
};

/// Fills tables at x. `asked` has a flag per additive kernel. Does not allocate once the tables have grown.
void fillTables(const Eigen::MatrixXd& points, std::span<const int> blockSizes, std::span<const char> asked,
                const Eigen::Ref<const Eigen::VectorXd>& x, RbfTables& tables);
RbfPairs pairsOf(const Eigen::MatrixXd& points, std::span<const int> blockSizes, std::span<const char> asked);

/// Equal numbers for points (columns) that interpolators merge: closer than `distance`, relative to the size of the
/// cloud. Numbers ascend in order of appearance.
std::vector<int> mergedPoints(const Eigen::Ref<const Eigen::MatrixXd>& points, double distance);

/// What interpolators without one point each give at that point.
struct RbfLeftOut {
  Eigen::MatrixXd weights;          ///< row k: of all points at point k, without k; NaN where it is not determined
  std::vector<Index> undetermined;  ///< points without which some direction of the polynomial is lost, ascending
};

/// s(x) = sum_k c_k(x) data_k, where the cardinal functions c_k depend on the points alone: with ridge 0, c_k is 1 at
/// point k and 0 at the others. One factorisation serves all data.
///
///   [ K + rho S  P ] [lambda]   [data]
///   [ P^T        0 ] [  c   ] = [ 0  ],  K_ij = phi(|x_i - x_j|), P = [1, x]
///
/// Points that are merged share their data's mean. Linearly dependent polynomial columns are dropped.
class RbfInterpolator {
 public:
  RbfInterpolator() = default;
  /// `points` has a column per point; distances are taken after each coordinate is multiplied by its entry of `scales`
  /// (empty: all 1). Throws BadInput for a thin plate without polynomial and other ill-posed choices, for values that
  /// are not finite and numbers out of range.
  /// Additive kernels are anchored at the first point, whose data must be 0.
  /// `mixing` (rows x points): weights are those of its rows, mixing * c(x), for a solution per row instead of an
  /// inverse. With columns but no row only distances are known. Without columns: the weights of the points.
  RbfInterpolator(const Eigen::Ref<const Eigen::MatrixXd>& points, const RbfOptions& options,
                  const Eigen::Ref<const Eigen::VectorXd>& scales = Eigen::VectorXd(), const RbfBlocks& blocks = {},
                  const Eigen::Ref<const Eigen::MatrixXd>& mixing = Eigen::MatrixXd());
  /// The same with tables of these points and blocks, or null.
  RbfInterpolator(const Eigen::Ref<const Eigen::MatrixXd>& points, const RbfOptions& options,
                  const Eigen::Ref<const Eigen::VectorXd>& scales, const RbfBlocks& blocks,
                  const Eigen::Ref<const Eigen::MatrixXd>& mixing, const RbfPairs* pairs);

  [[nodiscard]] Index pointCount() const { return static_cast<Index>(groupOf_.size()); }
  /// Rows of the mixing, or the points.
  [[nodiscard]] Index weightCount() const { return cardinal_.rows(); }
  [[nodiscard]] Index dimensions() const { return centres_.rows(); }
  [[nodiscard]] double radius() const { return radius_; }
  /// Of the kernel matrix K (2-norm), before the ridge. Computed at each call.
  [[nodiscard]] double condition() const;
  /// Which points were merged: equal numbers mean one centre.
  [[nodiscard]] std::span<const int> groups() const { return groupOf_; }
  /// The largest distance of a centre to its nearest one; 0 for a single centre. `first`: of the first one as well.
  [[nodiscard]] double largestGap(bool first = true) const { return first ? largestGap_ : largestGapOfOthers_; }

  /// The weight of each point's data at x. `weights` has weightCount() entries, `x` dimensions(), unscaled. Does not
  /// allocate.
  void weights(const Eigen::Ref<const Eigen::VectorXd>& x, Eigen::Ref<Eigen::VectorXd> weights) const;
  [[nodiscard]] Eigen::VectorXd weights(const Eigen::Ref<const Eigen::VectorXd>& x) const;
  /// The same, times a factor, added to `weights`, from tables of its points and blocks at x. Needs blocks, within
  /// which scales are equal. Returns nearest(tables), which costs nothing here.
  /// `near` is filled by the first of several calls at x, which then share it; null: by none.
  double addWeights(const Eigen::Ref<const Eigen::VectorXd>& x, const RbfTables& tables, double factor,
                    Eigen::Ref<Eigen::VectorXd> weights, RbfNear* near = nullptr) const {
    return addWeights(cardinal_, x, tables, factor, weights, near);
  }
  /// With `matrix` in place of cardinal(): its columns are those, it has a row for each of `weights`.
  double addWeights(const Eigen::MatrixXd& matrix, const Eigen::Ref<const Eigen::VectorXd>& x, const RbfTables& tables,
                    double factor, Eigen::Ref<Eigen::VectorXd> weights, RbfNear* near = nullptr) const;
  /// At each point the weights of all others by the interpolator without it (Rippa 1999: one inverse serves all).
  /// Points of one centre are omitted together. Not for mixed weights.
  [[nodiscard]] RbfLeftOut weightsWithoutEach() const;
  /// Column k: the distance of point k to its nearest other centre, and largestGap(first) as it is without the centre
  /// of k.
  [[nodiscard]] Eigen::Matrix2Xd gapsWithoutEach(bool first = true) const;
  /// The distance of x to its nearest centre.
  [[nodiscard]] double nearest(const Eigen::Ref<const Eigen::VectorXd>& x) const;
  [[nodiscard]] double nearest(const RbfTables& tables) const;

  /// For runtimes elsewhere: weights = cardinal() * [phi(|s (x - centre_i)|) ..., 1, basis^T (x - origin)], s =
  /// scales() coordinate by coordinate, the polynomial part by its degree.
  [[nodiscard]] const Eigen::MatrixXd& centres() const { return centres_; }
  [[nodiscard]] const Eigen::VectorXd& scales() const { return scales_; }
  [[nodiscard]] const Eigen::MatrixXd& cardinal() const { return cardinal_; }
  [[nodiscard]] const Eigen::VectorXd& origin() const { return origin_; }
  [[nodiscard]] const Eigen::MatrixXd& basis() const { return basis_; }
  [[nodiscard]] int degree() const { return degree_; }

 private:
  struct Block {
    Index number;
    Index first;
    Index size;
    double weight;
  };

  void setBlocks(const RbfBlocks& blocks);
  /// Of x to the centres at these points. Returns the least.
  double distancesTo(std::span<const Index> rows, const RbfTables& tables, std::span<double> distances) const;
  /// `nearest`: per centre, the distance to its nearest other one.
  void setLocal(const RbfOptions& options, const Eigen::VectorXd& nearest);
  /// Of the kernel alone, without its local part, between x and centre g.
  [[nodiscard]] double kernelAt(const Eigen::Ref<const Eigen::VectorXd>& x, Index g, double distance) const;
  /// A kernel with the local part of centre g. `gaussian` is computed where it is below 0 and matters.
  [[nodiscard]] double withLocal(double kernel, Index g, double distance, double& gaussian) const;
  [[nodiscard]] double withLocal(double kernel, Index g, double distance) const;
  [[nodiscard]] Eigen::MatrixXd kernelMatrix(const RbfPairs* pairs) const;
  void addShared(const Eigen::MatrixXd& table, Eigen::MatrixXd& matrix) const;
  void solve(const Eigen::MatrixXd& kernel, const RbfOptions& options, const Eigen::Ref<const Eigen::MatrixXd>& mixing);

  const RbfKernelRow* kernel_ = nullptr;
  std::size_t additive_ = 0;      // its row of additiveKernels(), if it is one
  std::vector<Block> blocks_;     // of positive weight, additive kernels only
  Eigen::VectorXd blockWeights_;  // of all blocks
  Eigen::VectorXd blockSquares_;  // of all blocks: the square of their scale; empty if scales differ within one
  std::vector<Index> firsts_;     // per centre: its first point
  double local_ = 0;              // amplitude of the narrow Gaussians
  Eigen::VectorXd localRadii_;    // per centre
  double radius_ = 0;
  double largestGap_ = 0;
  double largestGapOfOthers_ = 0;  // than the first centre
  std::vector<char> determined_;   // per centre: whether the polynomial is without it; empty with a mixing
  int degree_ = -1;
  std::vector<int> groupOf_;
  Eigen::MatrixXd centres_;
  Eigen::VectorXd scales_;
  Eigen::VectorXd origin_;
  Eigen::MatrixXd basis_;
  Eigen::MatrixXd cardinal_;
};

}  // namespace sinew
