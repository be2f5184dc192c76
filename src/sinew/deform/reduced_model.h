// Reduced deformable models (Der, Sumner and Popovic 2006): a few affine controls that move a whole mesh, learned from
// example meshes, and the proxies by which they are posed. Plain data: learn/reduced_model makes it,
// manipulate/reduced_ik poses it, io stores it, play packs it.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <vector>

#include "sinew/base/types.h"
#include "sinew/character/skin.h"

namespace sinew {

/// A place in the rest shape at which deformation gradients are compared: mean of a group of vertices with the same
/// controls. Row r of its gradient is sum_i [F_i | d_i](r, :) c_i, c_i = [alpha_i I + x Dalpha_i ; Dalpha_i] (4 x 3).
struct ReducedProxies {
  Points positions;           ///< 3 x J
  Eigen::MatrixXd weights;    ///< controls x J: alpha
  Eigen::MatrixXd gradients;  ///< 3 controls x J: Dalpha of control i in rows 3 i .. 3 i + 2

  [[nodiscard]] Index count() const { return positions.cols(); }
};

/// The fit of an example mesh when the model was learned, so that later comparisons need no mesh: sums of squares over
/// its vertices, without unused ones.
struct ExampleFit {
  double error = 0;   ///< distances of the skinned rest from the example
  double spread = 0;  ///< distances of the example from its own mean
};

/// Controls act in the space of `rest`, the examples aligned to it. Example `restExample` has identities, where the
/// rest is one of the examples.
struct ReducedModel {
  Points rest;                                      ///< 3 x V, in the space of the input meshes
  SkinWeights weights;                              ///< controls x vertices
  std::vector<std::string> names;                   ///< per example
  std::vector<std::vector<Affine>> controls;        ///< per example, per control
  std::vector<Eigen::Isometry3d> inputFromAligned;  ///< per example: undoes its alignment to the rest
  int restExample = -1;                             ///< the example that is the rest, or -1
  std::vector<std::uint32_t> labels;                ///< per triangle: its control
  ReducedProxies proxies;                           ///< empty if the model is not for posing
  bool rigid = false;                               ///< every control is a rotation and a translation
  std::vector<ExampleFit> fits;                     ///< per example, or empty: not known
  std::vector<int> parents;  ///< per control: the guess of a hierarchy, -1 for roots; empty: none

  [[nodiscard]] Index controlCount() const { return static_cast<Index>(weights.bindingCount()); }
  [[nodiscard]] std::size_t exampleCount() const { return controls.size(); }
};

/// Checks sizes and values; throws an Error that names the first that is wrong.
void checkReducedModel(const ReducedModel& model, const char* where);

/// Skins the rest by control transforms. `moved` must have the size of the rest. Same bits on any number of threads.
void deformReduced(const ReducedModel& model, const std::vector<Affine>& controls, PointsRef moved);

}  // namespace sinew
