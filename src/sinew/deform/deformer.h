// The contract of everything that moves a skin.
#pragma once

#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "sinew/base/types.h"
#include "sinew/character/pose.h"
#include "sinew/math/rbf.h"

namespace sinew {

/// Memory of learned corrections.
struct CorrectionScratch {
  Eigen::VectorXd coordinates;  ///< of the pose, in pose space
  RbfTables tables;
  Eigen::MatrixXd weights;      ///< shapes x groups
  Points correction;            ///< per touched vertex
  Points corrected;             ///< rest points with the correction, if it comes before skinning
  std::vector<Mat3> rotations;  ///< of the corrections after skinning
};

/// Memory that calls reuse, one per thread of callers. It grows on the first call; later calls of the same size do not
/// allocate.
struct DeformScratch {
  std::vector<Eigen::Matrix<double, 8, 1>> dualQuaternions;  ///< per binding: real x y z w, dual x y z w
  std::vector<Affine> stretches;              ///< per binding: its scale and shear before the rotation, minus 1
  std::vector<Eigen::Vector4d> anchors;       ///< per binding: dual part of the joint's position
  std::vector<double> scales;                 ///< per binding: of volumes, the cube root
  std::vector<Points> stages;                 ///< between the operators of a stack, one per depth
  std::size_t depth = 0;                      ///< stages in use: stacks inside stacks take the next
  std::deque<CorrectionScratch> corrections;  ///< one per depth: a learned model may be under another
  std::size_t correctionDepth = 0;            ///< corrections in use
  Points controls;                            ///< control points of lattices and wires

  /// Space for `count` columns of controls. It never shrinks; operators of one stack share it.
  auto controlColumns(Index count) {
    if (controls.cols() < count) controls.resize(3, count);
    return controls.leftCols(count);
  }
};

/// Takes points and a pose, writes moved points. One call moves the WHOLE mesh: that is how production packages work,
/// and it is what makes the black-box inverse batched.
///
/// Contract, tested for every row of deformers():
/// - in the rest pose the points come back unchanged (to rounding);
/// - a rigid motion of all root joints moves the result by that motion;
/// - bit-identical on 1 and N threads; no allocation once the scratch has grown;
/// - sizes that do not fit and values that are not finite throw Error(BadInput) and name the number.
class Deformer {
 public:
  virtual ~Deformer() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  /// The number of vertices it was made for, or -1 if any number will do.
  [[nodiscard]] virtual Index vertexCount() const { return -1; }
  /// The number of bindings it reads, or -1 if it needs none.
  [[nodiscard]] virtual Index bindingCount() const { return -1; }

  /// How many of the points it could move in this pose: those inside its box or within its radius. Operators without
  /// bounds reach all. None is a sign that it was made in another space or for another body.
  [[nodiscard]] virtual Index reached(const ConstPointsRef& points, const PosedJoints& /*joints*/) const {
    return points.cols();
  }

  /// `moved` must have as many columns as `points` and not overlap it.
  void deform(const ConstPointsRef& points, const PosedJoints& joints, DeformScratch& scratch, PointsRef moved) const;
  /// The same with its own memory, for single calls.
  [[nodiscard]] Points deform(const ConstPointsRef& points, const PosedJoints& joints) const;

 protected:
  Deformer() = default;
  Deformer(const Deformer&) = default;
  Deformer& operator=(const Deformer&) = default;

  /// Called with checked arguments.
  virtual void apply(const ConstPointsRef& points, const PosedJoints& joints, DeformScratch& scratch,
                     PointsRef moved) const = 0;

  friend class DeformerStack;
  friend class PoseSpaceDeformer;
};

using DeformerPtr = std::shared_ptr<const Deformer>;

}  // namespace sinew
