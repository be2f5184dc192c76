// The two sources of a point's Gram matrix.
#pragma once

#include "sinew/learn/fit/weights_moments.h"
#include "sinew/learn/fit/weights_solve.h"

namespace sinew::fit {

/// From the moments of the joints.
class MomentGram : public PointGram {
 public:
  MomentGram(const JointMoments& moments, const JointMoments::Block& block, Index column)
      : moments_(moments), block_(block), column_(column) {}
  void diagonal(Eigen::Ref<Eigen::VectorXd> out) const override { moments_.diagonal(block_, column_, out); }
  void row(Index place, Eigen::Ref<Eigen::VectorXd> out) const override { moments_.row(block_, column_, place, out); }
  [[nodiscard]] double noise(double largestDiagonal) const override {
    return 4e-15 * (block_.squared[column_] + largestDiagonal);
  }

 private:
  const JointMoments& moments_;
  const JointMoments::Block& block_;
  Index column_;
};

/// From exact displacements, a column per joint.
class ExactGram : public PointGram {
 public:
  explicit ExactGram(const Eigen::MatrixXd& columns) : columns_(columns) {}
  void diagonal(Eigen::Ref<Eigen::VectorXd> out) const override { out = columns_.colwise().squaredNorm().transpose(); }
  void row(Index place, Eigen::Ref<Eigen::VectorXd> out) const override {
    out.noalias() = columns_.transpose() * columns_.col(place);
  }
  [[nodiscard]] double noise(double largestDiagonal) const override { return 1e-15 * largestDiagonal; }

 private:
  const Eigen::MatrixXd& columns_;
};

}  // namespace sinew::fit
