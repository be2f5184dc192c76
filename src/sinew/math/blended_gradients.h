// Deformation gradients of examples, blended as poses are: rotations by their logarithms, stretches linearly.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sinew/base/types.h"

namespace sinew {

/// A row per gradient row, columns side by side: the form in which sparse products and sums of squares are quick.
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// matrix = rotation * stretch with a proper rotation. Unlike polarDecomposition() a mirroring matrix keeps the
/// rotation of its unmirrored neighbours and gets one negative stretch, so that blends pass through a collapse without
/// a jump.
struct SignedPolar {
  Mat3 rotation = Mat3::Identity();
  Mat3 stretch = Mat3::Identity();
};
SignedPolar signedPolar(const Mat3& matrix);

/// m_j(b) = exp(sum_p b_p w_jp) (I + sum_p b_p (S_jp - I)), for items j (proxies, vertices, triangles) and examples p;
/// b = 0 is the rest, b = e_p gives example p back exactly. Row 3 j + k, coordinate r of the outputs is m_j(r, k).
class BlendedGradients {
 public:
  BlendedGradients(Index items, Index examples);

  [[nodiscard]] Index itemCount() const { return items_; }
  [[nodiscard]] Index exampleCount() const { return examples_; }
  /// W, columns per coordinate, with derivatives next to values: E + 1, rounded up to whole registers.
  [[nodiscard]] Index width() const { return width_; }

  /// The gradient of item j in example p; items may be set by several threads.
  void set(Index item, Index example, const Mat3& gradient);

  /// `blend` (3 J x 3): the gradients, and nothing else.
  void evaluate(const Eigen::VectorXd& weights, RowMatrix& blend) const;
  /// `blend` (3 J x 3 W): column r W + p is the derivative by b_p, column r W + E the gradient itself; those beyond are
  /// zero.
  void evaluateWithDerivatives(const Eigen::VectorXd& weights, RowMatrix& blend) const;

  /// Over all items and examples: how many rotate by more than `angle` radians. Near pi the direction of rotation is
  /// ambiguous.
  [[nodiscard]] Index turnsBeyond(double angle) const;
  /// sum |dm/db(0)|^2.
  [[nodiscard]] double squaredSlope() const;

 private:
  void blendItemWithDerivatives(Index item, const Eigen::VectorXd& weights, double* rows) const;

  Index items_ = 0;
  Index examples_ = 0;
  Index width_ = 4;
  std::vector<double> data_;  ///< per item: w x, y, z, then S - I at xx, xy, xz, yy, yz, zz, each W numbers
};

}  // namespace sinew
