// Examples as the steps of reduced models see them: checked, repaired, at rest and aligned.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sinew/character/mesh.h"

namespace sinew::reduced_model {

/// Faces without those that use a vertex twice, and the data that depends on them.
struct ReducedSurface {
  std::vector<Triangle> triangles;
  std::vector<std::uint32_t> source;  ///< per triangle: its number in triangulate(topology)
  std::size_t sourceCount = 0;        ///< triangles of the topology
  std::vector<std::uint8_t> used;     ///< per vertex: 1 if a triangle names it
  Index usedCount = 0;

  [[nodiscard]] Index triangleCount() const { return static_cast<Index>(triangles.size()); }
};

/// Triangles that share an edge, also across seams whose vertices coincide in every example.
struct TriangleGraph {
  std::vector<std::uint32_t> start;  ///< per triangle, and the end: into neighbours
  std::vector<std::uint32_t> neighbours;

  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t triangle) const {
    return {neighbours.data() + start[triangle], neighbours.data() + start[triangle + 1]};
  }
};

inline Vec3 centroid(const Triangle& t, const Points& points) {
  return (points.col(t[0]) + points.col(t[1]) + points.col(t[2])) / 3;
}

/// Throws if an example has another number of vertices or a value that is not finite: the message names it.
void checkReducedExamples(const Mesh& topology, std::span<const Points> examples, std::span<const std::string> names,
                          const std::optional<Points>& rest);

ReducedSurface reducedSurface(const Mesh& topology);

TriangleGraph triangleGraph(const ReducedSurface& surface, const Points& rest, std::span<const Points> examples);

/// Throws with a sentence that names the first example that is a mirror image of the rest: there the rotations of
/// neighbouring triangles differ far more than those of the example reflected.
void checkNotMirrored(const ReducedSurface& surface, const TriangleGraph& graph, const Points& rest,
                      std::span<const Points> examples, std::span<const std::string> names);

/// Twice the area of a triangle, and the square of its longest edge.
std::pair<double, double> triangleSize(const Points& points, const Triangle& triangle);

}  // namespace sinew::reduced_model
