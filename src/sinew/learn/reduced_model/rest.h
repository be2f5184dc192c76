// Selects the rest among the examples, and aligns the others to it.
#pragma once

#include <span>
#include <vector>

#include "sinew/learn/reduced_model/checks.h"

namespace sinew::reduced_model {

/// The example that differs least from all others by the rotations of its triangles, with global rotations removed.
std::size_t medoidExample(const ReducedSurface& surface, std::span<const Points> examples, int seed);

struct AlignedExamples {
  std::vector<Points> points;                       ///< moved onto the rest
  std::vector<Eigen::Isometry3d> inputFromAligned;  ///< undoes it
};

/// Kabsch over the used vertices. An example equal to the rest is left exactly as it is.
AlignedExamples alignExamples(const ReducedSurface& surface, const Points& rest, std::span<const Points> examples);

}  // namespace sinew::reduced_model
