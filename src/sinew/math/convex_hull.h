// The convex hull of a few points in space, of any dimension: what a vertex can reach, ready for drawing.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sinew/base/types.h"

namespace sinew {

/// Indices are columns of the given points. For coincident points the lowest index is used.
struct ConvexHull {
  int dimension = -1;                               ///< 0 point, 1 segment, 2 planar polygon, 3 solid; -1: no points
  std::vector<std::uint32_t> corners;               ///< ascending; points inside faces and edges are none
  std::vector<Triangle> triangles;                  ///< outward and counter-clockwise; of a polygon one side only
  std::vector<std::array<std::uint32_t, 2>> edges;  ///< between faces that meet at an angle, lower index first
  double diameter = 0;                              ///< largest distance between two points
  double area = 0;                                  ///< of the surface; of a polygon, of its one side
  double volume = 0;
};

struct HullOptions {
  double flat = 1e-6;  ///< thinner than this, in diameters, counts as flat
};

/// By insertion of one point after the other, O(n^2). Throws BadInput on values that are not finite.
ConvexHull convexHull(const ConstPointsRef& points, const HullOptions& options = {});

/// The largest distance between two of the points; 0 for fewer than two.
double pointDiameter(const ConstPointsRef& points);

}  // namespace sinew
