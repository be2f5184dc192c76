// Which points of a surface are neighbours, and which of them a displacement tears out of their neighbourhood. Not for
// use outside the check of sculpts.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/character/mesh.h"
#include "sinew/character/weld.h"

namespace sinew::sculpt_check {

using Edge = std::array<std::uint32_t, 2>;

/// Pairs of points that share a face; in large polygons only those that follow each other.
std::vector<Edge> facePairs(const Mesh& mesh, const WeldMap& weld);

/// Without faces: points that follow each other on a space-filling curve are mostly neighbours.
std::vector<Edge> curvePairs(const Points& points);

/// Lists of neighbours: those of point p are entry[start[p]] to entry[start[p + 1]], ascending.
struct Neighbours {
  std::vector<std::uint32_t> start;
  std::vector<std::uint32_t> entry;

  Neighbours() = default;
  Neighbours(std::span<const Edge> pairs, std::size_t points);

  [[nodiscard]] std::span<const std::uint32_t> operator[](std::uint32_t point) const {
    return {entry.data() + start[point], entry.data() + start[point + 1]};
  }
  [[nodiscard]] bool joins(std::uint32_t a, std::uint32_t b) const {
    const auto list = (*this)[a];
    return std::binary_search(list.begin(), list.end(), b);
  }
  [[nodiscard]] bool near(std::uint32_t a, std::uint32_t b) const {
    if (a == b || joins(a, b)) return true;
    const auto list = (*this)[a];
    return std::any_of(list.begin(), list.end(), [&](std::uint32_t c) { return joins(c, b); });
  }
};

/// How far each point is torn out of its neighbourhood, in local edge lengths: |d_p - mean d_n| / edge, d the
/// displacement, n the neighbours, edge the mean length of the edges at p in `from`, at least the median of all. A
/// bulge or a bend changes d from point to point, but hardly its second difference; an exchanged vertex changes nothing
/// else. Points that are not `known`, or have no known neighbour, have 0. Lengths below `least` count as 0.
std::vector<double> tearing(const Neighbours& neighbours, const Points& from, const Points& to,
                            const std::vector<bool>& known, double least);

}  // namespace sinew::sculpt_check
