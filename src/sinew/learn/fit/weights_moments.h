// Moments of joints over examples: what a point's least-squares problem needs, without a loop over poses.
#pragma once

#include <Eigen/Core>
#include <array>
#include <span>
#include <vector>

#include "sinew/learn/fit/problem.h"

namespace sinew::fit {

/// x^2, y^2, z^2, 1, and twice xy, xz, x, yz, y, z: a quadratic form of (x, y, z, 1) is a product with ten numbers.
inline constexpr int kMonomials = 10;
using Monomials = Eigen::Matrix<double, kMonomials, 1>;
Monomials monomialsOf(const Vec3& point);

/// The coefficients of sum over examples of factor * (A_e v).(B_e v), symmetrised.
Monomials momentOf(std::span<const Affine> a, std::span<const Affine> b, std::span<const double> factors);

/// Tables of one row of FitProblem::candidates. Masks are not in them. A joint's displacement is its T v minus the
/// target; Q is the Gram matrix of displacements over all examples, weighed by their confidence.
class JointMoments {
 public:
  JointMoments(const FitProblem& problem, std::size_t row);

  [[nodiscard]] Index jointCount() const { return joints_; }

  /// What the targets of some points add. Columns are points.
  struct Block {
    Eigen::MatrixXd centred;   ///< 3 examples x points: targets relative to the mean motion
    Eigen::MatrixXd products;  ///< 4 joints x points
    Eigen::MatrixXd crossed;   ///< joints x points: T v . target
    Eigen::VectorXd squared;   ///< per point: |target|^2
    Eigen::Matrix<double, kMonomials, Eigen::Dynamic> monomials;
  };
  void fill(const FitProblem& problem, std::span<const std::uint32_t> points, Block& block) const;

  /// Diagonal of Q at a column of a block.
  void diagonal(const Block& block, Index column, Eigen::Ref<Eigen::VectorXd> out) const;
  /// Row `joint` of Q.
  void row(const Block& block, Index column, Index joint, Eigen::Ref<Eigen::VectorXd> out) const;

 private:
  Index joints_ = 0;
  std::vector<std::size_t> examples_;  // those with some confidence
  std::vector<Affine> mean_;           // per example of the above: the mean motion of the joints
  Vec3 centre_ = Vec3::Zero();         // of the rest shape
  Eigen::MatrixXd pairs_;              // joints x 10 joints: ten coefficients for every pair
  Eigen::MatrixXd own_;                // joints x 10: those of equal pairs
  Eigen::MatrixXd targetMap_;          // 4 joints x 3 examples
};

}  // namespace sinew::fit
