// Normals for drawing: smooth within a crease angle, and over seams where a file has split its vertices.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/base/types.h"

namespace sinew::picture {

/// Corner k of triangle t has normals[triangles[t][k]] and sits at point vertex[triangles[t][k]]. The first V normals
/// belong to the V points; more follow where a crease gives a point several.
struct CornerNormals {
  std::vector<Eigen::Vector3f> normals;
  std::vector<std::uint32_t> vertex;
  std::vector<Triangle> triangles;
};

/// Means of face normals weighted by the corner's angle; points with exactly the same coordinates count as one. Zero
/// for points without triangles of any area. Indices must be in range.
CornerNormals smoothNormals(const Points& points, std::span<const Triangle> triangles, double creaseDegrees);

}  // namespace sinew::picture
