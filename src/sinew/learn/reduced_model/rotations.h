// Rotation sequences of triangles: the features that separate parts of a body.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sinew/learn/reduced_model/checks.h"

namespace sinew::reduced_model {

/// False for slivers: 2 area <= 1e-6 of the longest edge squared.
bool hasRotation(const Triangle& triangle, const Points& rest);

/// The rotation of a triangle and its normal from one shape to another. Triangles without area give the identity.
Mat3 triangleRotation(const Triangle& triangle, const Points& rest, const Points& posed);

/// Columns of `points` are the triangles' rotations in all examples, as coordinates in which distance is the root mean
/// square of the rotation angle in radians (for small ones), reduced to the directions of 99 % of their variance.
struct RotationFeatures {
  Eigen::MatrixXf points;             ///< dimensions x triangles
  Eigen::MatrixXf kernel;             ///< dimensions x kernel points
  std::vector<double> kernelWeights;  ///< empty: all 1
  Eigen::MatrixXf seeds;              ///< dimensions x seeds
  Eigen::VectorXd areas;              ///< per triangle at rest, sum 1
  Index slivers = 0;
  double spread = 0;  ///< radians: root mean square distance to the mean, area-weighted
};

/// Examples are aligned to the rest. At most 64 of them are used, those that differ most; repeated ones count once.
RotationFeatures rotationFeatures(const ReducedSurface& surface, const TriangleGraph& graph, const Points& rest,
                                  const std::vector<Points>& aligned, int kernelPoints, int seeds, int seed);

}  // namespace sinew::reduced_model
