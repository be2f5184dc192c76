// What posing a reduced model needs before any handle is placed: the sparse gradients at the proxies, their
// triangular factor, and the blend of the examples. Built once per model, then only read.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <vector>

#include "sinew/base/types.h"
#include "sinew/deform/reduced_model.h"
#include "sinew/math/blended_gradients.h"
#include "sinew/math/row_kernels.h"

namespace sinew::reduced_ik {

/// Unknowns T (n = 4 B rows, a column per coordinate): rows 4 i .. 4 i + 3 hold [F_i | d_i] transposed, in a space
/// where the rest is centred at the origin with a diagonal of 2, so that no result depends on units.
class ReducedIkSystem {
 public:
  /// What is known at blend weights b: with m(b) on top of prior T_lin(b) as target, and G on top of prior I as G_a.
  struct Evaluation {
    RowMatrix blend;       ///< 3 J x 3 W: derivatives and values of m
    RowMatrix projected;   ///< n x 3 W: the same of the target, times R^-T G_a^T (= Q^T of G_a = Q R)
    RowMatrix normal;      ///< W x W, upper triangle: [J r]^T [J r] of the target's part outside the range of G_a
    double unreached = 0;  ///< |r|^2: the objective without constraints on T
  };

  /// Throws if the model has no proxies or its values are not sound. `prior` is the pull towards T_lin.
  ReducedIkSystem(const ReducedModel& model, double prior);

  [[nodiscard]] Index unknowns() const { return factor_.rows(); }
  [[nodiscard]] Index exampleCount() const { return gradients_.exampleCount(); }
  /// W, columns per coordinate: of the examples, then of the values or the rest, then zeros (BlendedGradients::width).
  [[nodiscard]] Index width() const { return gradients_.width(); }
  /// Indices of the model's examples that are blended: all but the rest.
  [[nodiscard]] const std::vector<Index>& examples() const { return examples_; }
  [[nodiscard]] const BlendedGradients& gradients() const { return gradients_; }
  [[nodiscard]] const Eigen::SparseMatrix<double, Eigen::RowMajor>& gradientRows() const { return transposed_; }
  [[nodiscard]] const Eigen::MatrixXd& factor() const { return factor_; }  ///< R, upper triangular
  [[nodiscard]] double prior() const { return prior_; }
  /// n x 3 W, column r W + p: T_p - T_rest, and T_rest for p = E.
  [[nodiscard]] const RowMatrix& shapes() const { return shapes_; }
  /// The same, R T_p and R T_rest.
  [[nodiscard]] const RowMatrix& reducedShapes() const { return reducedShapes_; }
  [[nodiscard]] double scale() const { return scale_; }
  [[nodiscard]] const Vec3& centre() const { return centre_; }

  /// What a Gauss-Newton step needs. No allocation after the first call.
  void evaluate(const Eigen::VectorXd& weights, Evaluation& evaluation) const;

  /// misfit = m - G T (3 J x 3) instead of m, and projected = R^-T G^T misfit (n x 3).
  void projectedMisfit(const Eigen::MatrixXd& unknowns, RowMatrix& misfit, Eigen::MatrixXd& projected) const;

  /// T_lin(b) = T_rest + sum_p b_p (T_p - T_rest), n x 3.
  void linearBlend(const Eigen::VectorXd& weights, Eigen::MatrixXd& unknowns) const;

  /// The transforms of the model's own space.
  void controlsOf(const Eigen::MatrixXd& unknowns, std::vector<Affine>& controls) const;

 private:
  void setGradients(const ReducedModel& model);
  void setShapes(const ReducedModel& model);
  void factorise();

  double prior_ = 0;
  double scale_ = 1;
  Vec3 centre_ = Vec3::Zero();
  std::vector<Index> examples_;
  BlendedGradients gradients_;
  Eigen::SparseMatrix<double, Eigen::RowMajor> transposed_;  ///< G^T, n x 3 J
  GradientTerms terms_;                                      ///< the same, as the kernels want it
  Eigen::MatrixXd factor_;                                   ///< G_a = Q R
  RowMatrix shapes_;
  RowMatrix reducedShapes_;
  RowMatrix shapeProducts_;  ///< W x W: sums of products of columns of shapes_ over rows and coordinates
};

}  // namespace sinew::reduced_ik
