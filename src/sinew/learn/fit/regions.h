// Points that listen to the same joints: what is decided by examples is decided for all of them together.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "sinew/learn/fit/problem.h"

namespace sinew::fit {

struct PointRegions {
  std::vector<int> ofPoint;                ///< per point: its region
  std::vector<std::array<int, 2>> joints;  ///< per region: the two joints that most of its points share; -1: only one
  std::vector<Index> points;               ///< per region: how many
  std::vector<std::vector<int>> movers;    ///< per region: the fewest joints that have most of its weight, heaviest
                                           ///< first

  [[nodiscard]] std::size_t count() const { return joints.size(); }
  /// "between 'hip' and 'spine'", "around 'head'"; of regions that were joined, the joints that move most of them.
  [[nodiscard]] std::string name(const Character& character, std::size_t region) const;
};

/// By the two heaviest joints of each point's own weights (a helper joint counts as its source). Regions of fewer than
/// `leastPoints` join the largest one that shares a joint with them. `partners`: per joint its mirror image or -1, so
/// that left and right are one region; empty: separate.
PointRegions pointRegions(const Character& character, const FitProblem& problem, Index leastPoints,
                          const std::vector<int>& partners);

}  // namespace sinew::fit
