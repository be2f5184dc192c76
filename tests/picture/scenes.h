// Small scenes that the picture tests share.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "sinew/picture/render.h"

namespace sinew::test {

/// Points and triangles together, with their shape.
struct Solid {
  Points points{3, 0};
  std::vector<Triangle> triangles;

  [[nodiscard]] picture::Shape shape(picture::Rgba colour = picture::kClay) const {
    picture::Shape shape;
    shape.points = &points;
    shape.triangles = triangles;
    shape.colour = colour;
    return shape;
  }
};

/// A flat rectangle at height z, facing +z.
inline Solid rectangle(double left, double bottom, double right, double top, double z) {
  Solid solid;
  solid.points.resize(3, 4);
  solid.points << left, right, right, left, bottom, bottom, top, top, z, z, z, z;
  solid.triangles = {{0, 1, 2}, {0, 2, 3}};
  return solid;
}

/// A closed sphere of about 2 * rings * sides triangles.
inline Solid sphere(double radius, int rings, int sides) {
  Solid solid;
  solid.points.resize(3, static_cast<Index>(rings + 1) * sides);
  const auto vertex = [&](int ring, int side) { return static_cast<std::uint32_t>(ring * sides + side % sides); };
  for (int i = 0; i <= rings; ++i) {
    const double polar = std::numbers::pi * i / rings;
    for (int j = 0; j < sides; ++j) {
      const double angle = 2 * std::numbers::pi * j / sides;
      solid.points.col(vertex(i, j)) =
          radius * Vec3(std::sin(polar) * std::sin(angle), std::cos(polar), std::sin(polar) * std::cos(angle));
      if (i == rings) continue;
      solid.triangles.push_back({vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1)});
      solid.triangles.push_back({vertex(i, j), vertex(i + 1, j + 1), vertex(i, j + 1)});
    }
  }
  return solid;
}

/// Looks along -z from (0, 0, 1) with 90 degrees: at z = 0 the picture spans -1 to 1 in both directions.
inline picture::Camera squareCamera() {
  picture::Camera camera;
  camera.eye = Vec3(0, 0, 1);
  camera.fieldOfView = 90;
  return camera;
}

/// Plain colours, black background, one sample: pixels can be counted.
inline picture::RenderOptions plainOptions(int size) {
  picture::RenderOptions options;
  options.width = size;
  options.height = size;
  options.samples = 1;
  options.lit = false;
  options.backgroundTop = {0, 0, 0};
  options.backgroundBottom = {0, 0, 0};
  return options;
}

inline int countPixels(const picture::Image& image, picture::Rgba colour) {
  int count = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) count += image.at(x, y) == colour ? 1 : 0;
  }
  return count;
}

/// How many pixels differ from the colour.
inline int inkOf(const picture::Image& image, picture::Rgba paper) {
  return image.width * image.height - countPixels(image, paper);
}

inline double brightness(picture::Rgba colour) {
  return (colour.r + colour.g + colour.b) / 3.0;
}

}  // namespace sinew::test
