// Which vertex is which: the first thing that fails for real users. Files split vertices at seams, sculpting tools keep
// one vertex per point, reorder them, or work in other units and axes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sinew/base/types.h"

namespace sinew {

/// A map from file vertices to unique rest points. Solvers work on the points, so seams never crack.
struct WeldMap {
  std::vector<std::uint32_t> pointOfVertex;  ///< per file vertex
  std::vector<std::uint32_t> firstVertex;    ///< per point: its first file vertex, ascending

  [[nodiscard]] Index pointCount() const { return static_cast<Index>(firstVertex.size()); }
};

/// Vertices closer than `tolerance` times the bounding-box diagonal become one point (chains of such pairs too).
/// Points are numbered in the order of their first vertex. O(V) by a hash grid.
WeldMap weld(const ConstPointsRef& rest, double tolerance = 1e-6);

/// Points of the welded mesh, and back: every file vertex gets its point's column.
Points weldedPoints(const WeldMap& map, const ConstPointsRef& vertices);
Points unweldedPoints(const WeldMap& map, const ConstPointsRef& points);

enum class MatchMethod { ByIndex, ByRestPosition };

struct MatchOptions {
  double tolerance = 1e-4;     ///< largest distance of a matched point, in diagonals of the character
  bool allowTransform = true;  ///< look for other units, swapped axes and mirroring
};

/// character = scale * axes * sculpt + offset, where axes is a signed permutation; mirrored where its determinant is
/// -1.
struct MatchResult {
  MatchMethod method = MatchMethod::ByIndex;
  std::vector<std::int64_t> sculptVertex;  ///< per character vertex: the sculpt's vertex, or -1
  double scale = 1;
  Mat3 axes = Mat3::Identity();
  Vec3 offset = Vec3::Zero();
  bool mirrored = false;
  Index unmatched = 0;     ///< character vertices without a partner
  Index unusedSculpt = 0;  ///< sculpt vertices that no character vertex took
  double largestGap = 0;   ///< of the matched, in scene units
  std::string sentence;    ///< what was found, for display: "matched by rest position, scaled by 100 (cm to m), axes y
                           ///< and z swapped"

  [[nodiscard]] bool plain() const { return scale == 1 && !mirrored && axes.isIdentity() && offset.isZero(); }
};

/// Matches a sculpt to a character by their rest shapes: by index where counts and shapes agree, otherwise by position,
/// trying units, axes and mirroring. Never throws for a bad match: see `unmatched` and `sentence`.
MatchResult matchRest(const ConstPointsRef& characterRest, const ConstPointsRef& sculptRest,
                      const MatchOptions& options = {});

/// A sculpt carried over to the character's vertices; unmatched ones take the column of `otherwise`.
Points carryOver(const MatchResult& match, const ConstPointsRef& sculpt, const ConstPointsRef& otherwise);

}  // namespace sinew
