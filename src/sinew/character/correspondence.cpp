// Welding, and carrying sculpts over; the search for a match is in correspondence/match.cpp.
#include "sinew/character/correspondence.h"

#include <fmt/format.h>

#include <cmath>

#include "sinew/base/check.h"
#include "sinew/character/mesh.h"
#include "sinew/math/point_grid.h"

namespace sinew {

WeldMap weld(const ConstPointsRef& rest, double tolerance) {
  SINEW_CHECK(std::isfinite(tolerance) && tolerance >= 0, "weld",
              fmt::format("the tolerance is {}, but it must be zero or more", tolerance));
  checkFinite(rest, "weld", "the rest shape");
  WeldMap map;
  map.pointOfVertex = clusterPoints(rest, tolerance * boundingBox(rest).diagonal());
  for (std::size_t v = 0; v < map.pointOfVertex.size(); ++v) {
    if (map.pointOfVertex[v] == map.firstVertex.size()) map.firstVertex.push_back(static_cast<std::uint32_t>(v));
  }
  return map;
}

Points weldedPoints(const WeldMap& map, const ConstPointsRef& vertices) {
  SINEW_CHECK(toSize(vertices.cols()) == map.pointOfVertex.size(), "weld",
              fmt::format("{} vertices were given to a map of {}", vertices.cols(), map.pointOfVertex.size()));
  Points points(3, map.pointCount());
  for (Index p = 0; p < points.cols(); ++p) points.col(p) = vertices.col(map.firstVertex[toSize(p)]);
  return points;
}

Points unweldedPoints(const WeldMap& map, const ConstPointsRef& points) {
  SINEW_CHECK(points.cols() == map.pointCount(), "weld",
              fmt::format("{} points were given to a map of {}", points.cols(), map.pointCount()));
  Points vertices(3, static_cast<Index>(map.pointOfVertex.size()));
  for (Index v = 0; v < vertices.cols(); ++v) {
    vertices.col(v) = points.col(map.pointOfVertex[toSize(v)]);
  }
  return vertices;
}

Points carryOver(const MatchResult& match, const ConstPointsRef& sculpt, const ConstPointsRef& otherwise) {
  const auto count = static_cast<Index>(match.sculptVertex.size());
  SINEW_CHECK(otherwise.cols() == count, "match",
              fmt::format("the match is for {} vertices, the character's points are {}", count, otherwise.cols()));
  const Mat3 linear = match.scale * match.axes;
  Points carried(3, count);
  for (Index v = 0; v < count; ++v) {
    const std::int64_t from = match.sculptVertex[toSize(v)];
    SINEW_CHECK(from < sculpt.cols(), "match",
                fmt::format("the match refers to sculpt vertex {}, but this sculpt has {} vertices; a sculpt must have "
                            "the vertices of its rest mesh",
                            from, sculpt.cols()));
    if (from < 0) {
      carried.col(v) = otherwise.col(v);
    } else {
      carried.col(v) = linear * sculpt.col(from) + match.offset;
    }
  }
  return carried;
}

}  // namespace sinew
