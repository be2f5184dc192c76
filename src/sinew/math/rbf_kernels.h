// Kernels of radial basis functions: a kernel is one function and one row.
#pragma once

#include <span>
#include <string_view>

namespace sinew {

/// Two points within one block of coordinates, both measured from the anchor.
struct BlockPair {
  double dot = 0;       ///< x . y
  double xx = 0;        ///< |x|^2
  double yy = 0;        ///< |y|^2
  double distance = 0;  ///< |x - y|
};

struct RbfKernelRow {
  std::string_view name;  ///< as the command spells it
  double (*value)(double distance, double radius) = nullptr;
  double (*block)(const BlockPair& pair) = nullptr;  ///< additive kernels: of one block; `value` is null then
  bool usesRadius = false;
  int neededDegree = -1;    ///< the least polynomial without which the system is ill-posed; -1: none
  int defaultDegree = -1;   ///< the default polynomial: 1 linear, 0 constant, -1 none
  double ridgeSign = 1;     ///< of what a ridge adds to the diagonal, so that it makes the system better posed
  double defaultRadii = 1;  ///< automatic radius in mean nearest-neighbour distances
};

/// Of the distance alone: cubic, thin-plate, linear, gaussian, multiquadric, inverse-multiquadric.
std::span<const RbfKernelRow> rbfKernels();
/// Sums over blocks of coordinates, 0 if either point is at the anchor:
///   joint-even       (x . y)^2 + |x|^2 |y|^2          even polynomials of degree 2
///   joint-quadratic  4 x . y + the same               all of degree 1 and 2
///   joint-linear     |x| + |y| - |x - y|              as rough as the data
///   joint-chord      joint-quadratic of 2 sin(|x| / 2) x / |x|, as corrections of rotations grow
///   joint-smooth     |x - y|^3 - |x|^3 - |y|^3 + 3 x . y (|x| + |y|) + joint-even, smooth and flat at the anchor
///   none             0: only what RbfOptions::local adds
std::span<const RbfKernelRow> additiveKernels();
/// Of either kind. Throws NotFound with the nearest name and all names.
const RbfKernelRow& rbfKernel(std::string_view name);

}  // namespace sinew
