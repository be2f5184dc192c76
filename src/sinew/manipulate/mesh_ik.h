// Mesh-based inverse kinematics, triangle by triangle: the method that reduced models are measured against. Its cost
// grows with the mesh; nothing is lost to controls.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

#include "sinew/base/types.h"
#include "sinew/math/blended_gradients.h"

namespace sinew {

struct MeshIkOptions {
  int mostIterations = 20;  ///< Gauss-Newton steps
  double stop = 0.01;       ///< done where a step lowers the objective by no more than this part of it
  double restPull = 1e-3;   ///< towards the rest, relative to the size of the examples
};

struct MeshIkResult {
  Points points;            ///< scene units
  Eigen::VectorXd weights;  ///< per example
  int iterations = 0;
  double objective = 0;
  double residualMax = 0;  ///< largest distance of a handle from its target, scene units
  bool converged = true;
  double seconds = 0;
  double secondsPerIteration = 0;
};

/// Built once per mesh and examples; a sparse Cholesky factor is kept per set of handles.
class MeshIk {
 public:
  /// `examples` are aligned to the rest and do not contain it. Throws if sizes differ or a value is not finite.
  MeshIk(const ConstPointsRef& rest, std::span<const Triangle> triangles, std::span<const Points> examples,
         const MeshIkOptions& options = {});
  ~MeshIk();
  MeshIk(MeshIk&&) noexcept;
  MeshIk& operator=(MeshIk&&) noexcept;

  /// Factors the mesh without these vertices. Handles are matched exactly; a vertex named twice takes the mean target.
  void setHandles(std::span<const Index> vertices);

  /// From the rest, or from given example weights. `targets` has a column per handle.
  MeshIkResult solve(const ConstPointsRef& targets, const Eigen::VectorXd* start = nullptr);

  /// The shape of given example weights with no handles.
  MeshIkResult blend(const Eigen::VectorXd& weights);

  /// Entries of the present factor.
  [[nodiscard]] Index factorEntries() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Deformation gradients of triangles against the rest, by the frame of two edges and the normal (scaled by the root of
/// its length). A triangle without area in the rest has the identity.
std::vector<Mat3> triangleGradients(const ConstPointsRef& rest, const ConstPointsRef& moved,
                                    std::span<const Triangle> triangles);

}  // namespace sinew
