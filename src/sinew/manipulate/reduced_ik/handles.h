// Handles as linear conditions on the unknowns of a reduced model, prepared once per set of handles.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "sinew/base/types.h"
#include "sinew/deform/reduced_model.h"
#include "sinew/manipulate/reduced_ik.h"
#include "sinew/manipulate/reduced_ik/system.h"

namespace sinew::reduced_ik {

/// With R the factor of the system and u = R T, every set of handles is |D^T u - H b|^2 -> 0: exactly for exact handles
/// (D has orthonormal columns then), in the sense of least squares for springs. b are the targets, k x 3, scaled.
class IkHandles {
 public:
  /// Throws if a vertex does not exist or a strength is negative. `rankTolerance` is relative to the largest singular
  /// value of the exact rows.
  void place(const ReducedModel& model, const ReducedIkSystem& system, std::span<const IkHandle> handles,
             double rankTolerance);

  [[nodiscard]] Index count() const { return rows_.rows(); }
  [[nodiscard]] const std::vector<IkHandle>& handles() const { return handles_; }
  [[nodiscard]] const RowMatrix& rows() const { return rows_; }                    ///< C, k x n
  [[nodiscard]] const Eigen::MatrixXd& directions() const { return directions_; }  ///< D, n x d
  [[nodiscard]] const Eigen::MatrixXd& targetMap() const { return targetMap_; }    ///< H, d x k
  /// Handle positions of the examples and the rest (C shapes), k x 3 W, and D^T R of the same.
  [[nodiscard]] const RowMatrix& shapeHandles() const { return shapeHandles_; }
  [[nodiscard]] const RowMatrix& shapeDirections() const { return shapeDirections_; }
  [[nodiscard]] Index rank() const { return exactMap_.rows(); }  ///< of the exact handles, within the tolerance
  [[nodiscard]] double condition() const { return condition_; }  ///< of the exact handles; infinite for duplicates
  /// Four or more handles that do not lie in a plane: then the targets determine the rotation of the whole shape.
  [[nodiscard]] bool solid() const { return solid_; }

  /// Moves T by the least change that satisfies the exact handles to the last digit.
  void polish(const Eigen::MatrixXd& targets, Eigen::MatrixXd& unknowns, Eigen::MatrixXd& scratch) const;

 private:
  void setRows(const ReducedModel& model, const ReducedIkSystem& system);
  void addExact(const ReducedIkSystem& system, const std::vector<Index>& which, double rankTolerance);
  void addSprings(const ReducedIkSystem& system, const std::vector<Index>& which);

  std::vector<IkHandle> handles_;
  RowMatrix rows_;
  Eigen::MatrixXd directions_;
  Eigen::MatrixXd targetMap_;
  RowMatrix shapeHandles_;
  RowMatrix shapeDirections_;
  Eigen::MatrixXd exactRows_;  ///< r x n: U^T C of the kept singular directions
  Eigen::MatrixXd exactMap_;   ///< r x k: U^T
  Eigen::VectorXd squares_;    ///< r: squared singular values
  double condition_ = 1;
  bool solid_ = false;
};

}  // namespace sinew::reduced_ik
