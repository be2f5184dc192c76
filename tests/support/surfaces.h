// Small triangle surfaces made by formula.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "sinew/base/types.h"

namespace sinew::test {

struct Surface {
  Points points{3, 0};
  std::vector<Triangle> triangles;
};

/// The unit square in z = 0 with (n + 1)^2 points, diagonals alternating.
inline Surface gridSurface(int n) {
  Surface grid;
  grid.points.resize(3, (n + 1) * (n + 1));
  const auto at = [n](int i, int j) { return static_cast<std::uint32_t>(i * (n + 1) + j); };
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j) {
      grid.points.col(at(i, j)) = Vec3(static_cast<double>(i) / n, static_cast<double>(j) / n, 0);
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const std::uint32_t a = at(i, j);
      const std::uint32_t b = at(i + 1, j);
      const std::uint32_t c = at(i + 1, j + 1);
      const std::uint32_t d = at(i, j + 1);
      if ((i + j) % 2 == 0) {
        grid.triangles.push_back({a, b, c});
        grid.triangles.push_back({a, c, d});
      } else {
        grid.triangles.push_back({a, b, d});
        grid.triangles.push_back({b, c, d});
      }
    }
  }
  return grid;
}

/// Of a closed tube: `rings` rings of `sides` points, then the point at the first end and the one at the other.
inline std::vector<Triangle> tubeTriangles(int rings, int sides) {
  const auto at = [sides](int ring, int side) { return static_cast<std::uint32_t>(ring * sides + side % sides); };
  const auto first = static_cast<std::uint32_t>(rings * sides);
  std::vector<Triangle> triangles;
  for (int j = 0; j < sides; ++j) {
    triangles.push_back({first, at(0, j + 1), at(0, j)});
    triangles.push_back({first + 1, at(rings - 1, j), at(rings - 1, j + 1)});
    for (int i = 0; i + 1 < rings; ++i) {
      triangles.push_back({at(i, j), at(i, j + 1), at(i + 1, j + 1)});
      triangles.push_back({at(i, j), at(i + 1, j + 1), at(i + 1, j)});
    }
  }
  return triangles;
}

/// A closed tube around a straight axis: `rings` rings of `sides` points and a point at each end.
inline Surface capsuleSurface(const Vec3& from, const Vec3& to, double radius, int rings, int sides) {
  Surface tube;
  const Vec3 axis = (to - from).normalized();
  const Vec3 u = axis.unitOrthogonal();
  const Vec3 v = axis.cross(u);
  tube.points.resize(3, rings * sides + 2);
  const auto at = [sides](int ring, int side) { return static_cast<std::uint32_t>(ring * sides + side % sides); };
  for (int i = 0; i < rings; ++i) {
    // Rings run from pole to pole of the capsule, evenly along its outline.
    const double length = (to - from).norm();
    const double outline = length + std::numbers::pi * radius;
    const double s = outline * (i + 1) / (rings + 1) - 0.5 * std::numbers::pi * radius;
    const double along = std::clamp(s, 0.0, length);
    const double tilt = (s - along) / radius;
    for (int j = 0; j < sides; ++j) {
      const double angle = 2 * std::numbers::pi * j / sides;
      const Vec3 out = std::cos(angle) * u + std::sin(angle) * v;
      tube.points.col(at(i, j)) = from + along * axis + radius * (std::cos(tilt) * out + std::sin(tilt) * axis);
    }
  }
  tube.points.rightCols(2) << from - radius * axis, to + radius * axis;
  tube.triangles = tubeTriangles(rings, sides);
  return tube;
}

/// A sphere as a capsule of no length.
inline Surface sphereSurface(double radius, int rings, int sides) {
  // The axis needs a direction, so the capsule gets a length far below rounding.
  return capsuleSurface(Vec3::Zero(), Vec3(0, 0, 1e-12), radius, rings, sides);
}

/// Both, as two pieces.
inline Surface joined(const Surface& a, const Surface& b) {
  Surface both = a;
  const auto shift = static_cast<std::uint32_t>(a.points.cols());
  both.points.resize(3, a.points.cols() + b.points.cols());
  both.points << a.points, b.points;
  for (const Triangle& t : b.triangles) both.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
  return both;
}

}  // namespace sinew::test
